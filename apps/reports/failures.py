"""Programs that failed, in words."""

from __future__ import annotations

import signal

_SIGNAL = 128


def failure_text(exit_code: str, *, interrupted: bool = False) -> str:
    """Return what an exit code means, 128 and more being signals, and what follows from it."""
    cause = ", interrupted" if interrupted else ""
    if exit_code.isdigit() and int(exit_code) > _SIGNAL:
        number = int(exit_code) - _SIGNAL
        known = number in set(signal.Signals)
        cause = f", {signal.Signals(number).name}" if known else cause
    return f"exit code {exit_code}{cause}; the run is in no trend, comparison or gate"
