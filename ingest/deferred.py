"""A reader that is imported only when a file may be its own.

Importing all readers takes longer than landing a small file. What is listed with a reader says
cheaply that a file is not its own; what a file is, the reader itself decides.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import cast

from ingest.base import Head, Item, Reader
from ingest.recording import Recording
from warehouse.errors import UsageError
from warehouse.unneeded import show_unneeded


@dataclass(frozen=True)
class Deferred:
    """A reader by its name and place, `module:Class`, with what its files must show.

    A file can only be its own where its head begins (after blanks) with one of `begins`, or
    contains one of `contains`: both in lower case, compared without regard to case.
    A reader with neither looks at every file. One of a `package` that adds it to pwh may be
    broken: that is a `UsageError` which names it.
    """

    NAME: str
    place: str
    begins: tuple[bytes, ...] = ()
    contains: tuple[bytes, ...] = ()
    package: str | None = None

    @cached_property
    def reader(self) -> Reader:
        """The reader itself, imported now; raises `UsageError` where a package's cannot be."""
        module, _, name = self.place.partition(":")
        if self.package:
            show_unneeded()
        with self._trouble("cannot be loaded"):
            reader = cast("Reader", getattr(import_module(module), name)())
            if self.NAME != reader.NAME:
                raise ValueError(f"its NAME is {reader.NAME!r}")
        return reader

    @property
    def DESCRIPTION(self) -> str:  # noqa: N802
        """Description of the format, in one line."""
        return self.reader.DESCRIPTION

    @property
    def PATTERNS(self) -> tuple[str, ...]:  # noqa: N802
        """Typical file names."""
        return self.reader.PATTERNS

    @property
    def TABLES(self) -> tuple[str, ...]:  # noqa: N802
        """Landing tables it fills."""
        return self.reader.TABLES

    @property
    def WHOLE_FOLDER(self) -> bool:  # noqa: N802
        """Whether a recording is a folder, whose other files are not looked at."""
        return self.reader.WHOLE_FOLDER

    @property
    def SHOWS_SKEW(self) -> bool:  # noqa: N802
        """Whether its messages bear the times of both sides, so that they can align clocks."""
        return getattr(self.reader, "SHOWS_SKEW", True)

    def sniff(self, head: Head) -> str | bool | None:
        """Return whether a file that begins with `head` is of this format; see `Reader.sniff`."""
        if not self._may_be(head):
            return False
        reader = self.reader
        with self._trouble("failed to recognise a file"):
            return reader.sniff(head)

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return all files of the recording that `path` belongs to, the main one first."""
        return self.reader.parts(path)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the recording's runs and rows; see `Reader.read`."""
        return self.reader.read(recording)

    @contextmanager
    def _trouble(self, what: str) -> Iterator[None]:
        """Name the package of a reader that is broken; errors of pwh's own readers pass."""
        try:
            yield
        except Exception as error:
            if self.package is None:
                raise
            raise UsageError(
                f"the reader {self.NAME} of the package {self.package} {what} "
                f"({type(error).__name__}: {error})",
                hint="Update or uninstall that package.",
            ) from error

    def _may_be(self, head: Head) -> bool:
        if not self.begins and not self.contains:
            return True
        return head.start.startswith(self.begins) or any(
            mark in head.lower for mark in self.contains
        )
