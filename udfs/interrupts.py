"""Ctrl-C that waits: some calls into DuckDB take it for an error of their own."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def delayed_interrupts() -> Iterator[None]:
    """Let an interrupt (SIGINT) take effect at the end of the block, which is to be short."""
    handler = signal.getsignal(signal.SIGINT)
    # Python handles signals in its main thread; a handler that is not Python's cannot be restored.
    if threading.current_thread() is not threading.main_thread() or handler is None:
        yield
        return
    pressed = False

    def remember(*_: object) -> None:
        nonlocal pressed
        pressed = True

    signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if pressed:
        signal.raise_signal(signal.SIGINT)
