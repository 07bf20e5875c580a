"""Text to stdout, stderr and files."""

from __future__ import annotations

import sys
from pathlib import Path

from apps.output.files import not_written, replacing
from apps.output.text import printable

# DuckDB compresses what it writes to names that end so.
COMPRESSED = (".gz", ".zst")


def write_text(text: str, target: Path | None) -> None:
    """Write text to a file, or to stdout where `target` is None.

    Raises `UsageError` where the file cannot be written.
    """
    if target is None:
        print_data(text)
        return
    if target.suffix.lower() in COMPRESSED:
        raise not_written(target, "only CSV and JSON are compressed")
    with replacing(target) as file:
        file.write_text(printable(text) + "\n", encoding="utf-8")


def print_data(text: str) -> None:
    """Write text to stdout."""
    sys.stdout.write(printable(text) + "\n")


def note(text: str) -> None:
    """Write a message to stderr."""
    sys.stderr.write(printable(f"pwh: {text}\n"))
    sys.stderr.flush()
