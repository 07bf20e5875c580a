"""Facts about other processes (Linux; elsewhere next to nothing)."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_LONGEST = 60  # characters of a command


def process_text(pid: int, name: str) -> str:
    """Return a process in words: its command where that is pwh, its number and how long it runs."""
    text = f"{_pwh_command(pid) or name}, process {pid}"
    with suppress(OSError, IndexError, ValueError):
        up = float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
        seconds = up - int(_stat(pid)[19]) / os.sysconf("SC_CLK_TCK")
        text += f", running for {_duration(seconds)}"
    return f"{text}, stopped" if is_stopped(pid) else text


def is_stopped(pid: int) -> bool:
    """Return whether a process was stopped, as by Ctrl-Z."""
    with suppress(OSError, IndexError):
        return _stat(pid)[0] in "Tt"
    return False


def _stat(pid: int) -> list[str]:
    """Return the fields of a process after its name: the state, and others."""
    text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    return text.rpartition(")")[2].split()


def _pwh_command(pid: int) -> str | None:
    """Return the words after the program pwh, with it."""
    with suppress(OSError):
        raw = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        words = raw.rstrip("\0").split("\0")
        for number, word in enumerate(words[:3]):
            if word.rpartition("/")[2] == "pwh":
                rest = words[number + 1 :]
                # Which warehouse it is, is known.
                text = " ".join(["pwh", *(rest[2:] if rest[:1] == ["--db"] else rest)])
                return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]} ..."
    return None


def _duration(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
