"""The tree of errors. Each states what is wrong and what to do, in the user's terms.

PwhError
├── UsageError            exit 2  the command or its options are wrong
├── InputError            exit 3  a file is not as expected
├── WarehouseError        exit 4
│   ├── WarehouseMissing          the file does not exist
│   ├── WarehouseBusy             another process has it open
│   │   ├── WarehouseConflict         another program changes the same rows
│   │   └── ReadingInterrupted        a writer waited for a query
│   ├── WarehouseMoved            its path leads to another file, or none, since it was opened
│   ├── WarehouseOutdated         an older pwh wrote it
│   ├── WarehouseTooNew           a newer pwh wrote it
│   ├── NotAWarehouse             it is some other file
│   ├── WarehouseDamaged          its file cannot be read
│   └── OutOfMemory               what a step needs is more than there is
├── ClusterError          exit 4  a Dask cluster cannot do the work
└── NothingToAnalyse      exit 5  the warehouse has no data for the question
"""

from __future__ import annotations

from pathlib import PurePath


class PwhError(Exception):
    """Base of every error that pwh raises on purpose."""

    exit_code = 1

    def __init__(self, problem: str, *, hint: str | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint

    def __str__(self) -> str:
        return self.problem if self.hint is None else f"{self.problem}\n  {self.hint}"


class UsageError(PwhError):
    """The command or its options cannot be carried out."""

    exit_code = 2


class InputError(PwhError):
    """A file is not what its reader expects.

    `where` is the place inside the file ("line 3", "record 17", "byte 4096"), `expected` what
    was expected there. The loader fills in `path`, so readers need not.
    """

    exit_code = 3

    def __init__(
        self,
        problem: str,
        *,
        path: str | None = None,
        where: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(problem, hint=hint)
        self.path = path
        self.where = where
        self.expected = expected

    def __str__(self) -> str:
        # Of a recording of several files, readers name the one that they mean.
        where = (self.where or "").removeprefix(f"{PurePath(self.path or '').name}, ")
        place = ", ".join(part for part in (self.path, where) if part)
        lines = [f"{place}: {self.problem}" if place else self.problem]
        if self.expected:
            lines.append(f"  expected {self.expected}")
        if self.hint:
            lines.append(f"  {self.hint}")
        return "\n".join(lines)


class WarehouseError(PwhError):
    """The warehouse cannot be used."""

    exit_code = 4


class WarehouseMissing(WarehouseError):
    """There is no file at the path."""


class WarehouseBusy(WarehouseError):
    """Another process has the file open."""


class WarehouseConflict(WarehouseBusy):
    """Another program changes the same rows; the same again, a little later, may succeed."""


class ReadingInterrupted(WarehouseBusy):
    """A query was interrupted, as a writer waited for it; the same again may succeed."""


class WarehouseMoved(WarehouseError):
    """The file was renamed, deleted or replaced while it was open."""


class WarehouseOutdated(WarehouseError):
    """The schema or the views are older than this pwh."""


class WarehouseTooNew(WarehouseError):
    """The schema is newer than this pwh."""


class NotAWarehouse(WarehouseError):
    """The file is not a DuckDB file, or contains something else."""


class WarehouseDamaged(WarehouseError):
    """Blocks of the file cannot be read."""


class OutOfMemory(WarehouseError):
    """Memory ran out; the file is as it was."""


class ClusterError(PwhError):
    """A Dask cluster does not answer, or cannot do the work."""

    exit_code = 4


class NothingToAnalyse(PwhError):
    """The question is valid, but the warehouse has no data for it."""

    exit_code = 5
