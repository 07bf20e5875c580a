"""Text to stdout, stderr and files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from apps.output.text import printable
from warehouse.errors import UsageError

if TYPE_CHECKING:
    pass

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
    try:
        target.write_text(printable(text) + "\n", encoding="utf-8")
    except OSError as error:
        raise not_written(target, error.strerror or str(error)) from None


def not_written(target: Path, problem: str) -> UsageError:
    """Return the error of a file that cannot be written, with what to do."""
    return UsageError(f"cannot write {target}: {problem}", hint="Name another file: -o FILE")


def print_data(text: str) -> None:
    """Write text to stdout."""
    sys.stdout.write(printable(text) + "\n")


def note(text: str) -> None:
    """Write a message to stderr."""
    sys.stderr.write(printable(f"pwh: {text}\n"))
    sys.stderr.flush()
