"""Text to stdout, stderr and files."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TextIO, cast

from apps.output.files import not_written, replacing
from apps.output.text import printable
from warehouse.errors import ReadingInterrupted

# DuckDB compresses what it writes to names that end so.
COMPRESSED = (".gz", ".zst")
_IN_MEMORY = 16 << 20  # bytes of output


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


@contextmanager
def printed_afterwards() -> Iterator[None]:
    """Print what is written to stdout inside after the block, and nothing if it is interrupted.

    So a reader of stdout that is slow, as a pager is, keeps no warehouse open.
    """
    shown = sys.stdout
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
        spool = _Spool(
            cast("IO[bytes]", file),
            encoding=shown.encoding or "utf-8",
            errors=shown.errors,
            write_through=True,
        )
        spool.is_terminal = shown.isatty()
        sys.stdout = spool
        try:
            yield
        except ReadingInterrupted:
            file.truncate(0)
            raise
        finally:
            sys.stdout = shown
            spool.detach()
            file.seek(0)
            _copy(cast("IO[bytes]", file), shown)


class _Spool(io.TextIOWrapper):
    """Text that is printed later."""

    is_terminal = False

    def isatty(self) -> bool:
        """Return whether it will be printed to a terminal."""
        return self.is_terminal


def _copy(file: IO[bytes], shown: TextIO) -> None:
    try:
        if hasattr(shown, "buffer"):
            shown.flush()
            shutil.copyfileobj(file, shown.buffer)
            shown.flush()
        else:
            shown.write(file.read().decode(shown.encoding or "utf-8"))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise not_written(Path("stdout"), error.strerror or str(error)) from None


def note(text: str) -> None:
    """Write a message to stderr."""
    sys.stderr.write(printable(f"pwh: {text}\n"))
    sys.stderr.flush()
