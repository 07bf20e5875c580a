"""Protocol of a reader, and what it yields.

A reader turns one *recording* (one file, or a few that belong together) into rows of landing
tables. It never sees a database connection: it yields runs, Arrow batches, or SELECTs that the
loader runs over the file itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from ingest.compressed import bare_name
from ingest.recording import read_head
from warehouse.catalog import landing

if TYPE_CHECKING:
    import pyarrow as pa

    from ingest.recording import Recording

# Landing tables of kinds of traces, for what a reader declares.
_GRAPH_TABLES = ("nodes", "workers", "tasks", "task_data", "task_inputs")
TASK_TABLES = (*_GRAPH_TABLES, "transfers", "runtime_intervals")
DEVICE_TABLES = (*_GRAPH_TABLES, "gpu_gaps", "gpu_late")
BLOCK_TABLES = ("bb_launches", "bb_visits", "bb_edges", "bb_blocks", "bb_opcodes", "bb_dependences")
# Arrow's names of the types of landing columns.
_ARROW_TYPES = {"VARCHAR": "string", "INTEGER": "int32", "BIGINT": "int64", "DOUBLE": "float64"}
_SINGLE = (str, float, int, type(None))


@dataclass(frozen=True)
class Head:
    """The beginning of a file, by which readers recognise it.

    `data` are the first 64 KiB of the content, decompressed and without a byte order mark.
    """

    data: bytes
    path: Path

    @cached_property
    def lower(self) -> bytes:
        """The data in lower case."""
        return self.data.lower()

    @cached_property
    def start(self) -> bytes:
        """The data in lower case, without blanks before them."""
        return self.lower.lstrip()

    @property
    def name(self) -> str:
        """The file's name without a compression suffix."""
        return bare_name(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Facts of one run in a file; unknown is None.

    Yield a run before the first rows that belong to it. `key` distinguishes the runs of one file
    and becomes the end of the run's id ("p8.r2"); a file with one run leaves it None. Yielding
    the same key again adds facts that were only known later. Where the file itself names the
    run, `run_id` is that name.
    """

    key: str | None = None
    run_id: str | None = None
    app: str | None = None
    version: str | None = None
    machine: str | None = None
    started_at: datetime | None = None
    nodes: int | None = None
    ranks: int | None = None
    threads: int | None = None
    problem_size: float | None = None
    wall_seconds: float | None = None
    commit: str | None = None
    branch: str | None = None
    committed_at: datetime | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


def implausible(facts: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return (problem, expected) of the first implausible fact of a run, None if there is none."""
    for name, value in facts.items():
        if name in ("nodes", "ranks", "threads") and not 1 <= value < 1 << 31:
            return f"{name} = {value}", "a number from 1 to 2147483647"
        if name in ("problem_size", "wall_seconds") and not (math.isfinite(value) and value >= 0):
            return f"{name} = {value}", "a finite number of 0 or more"
        # A date that Python cannot represent comes from DuckDB as text.
        if name in ("started_at", "committed_at") and not (
            isinstance(value, datetime) and 1970 <= value.year < 2200
        ):
            return f"{name} = {value}", "a date from 1970 on"
    return None


@dataclass(frozen=True, slots=True)
class Rows:
    """A batch of rows of one landing table.

    Columns are the landing table's, without run_id and source_id; those that are absent land as
    NULL. Where a file contains many runs, a column `run` (integer) has it: the position of the
    row's run in the order in which the runs were first yielded, from 0. Without that column all
    rows belong to run 0. `run` is used that way only in tables that have no column of that name.
    """

    table: str
    batch: pa.RecordBatch | pa.Table

    @classmethod
    def of_columns(cls, table: str, **columns: Any) -> Rows:
        """Return rows of columns: arrays (Arrow, numpy), values in turn, or one value of all rows.

        Whole numbers and plain values get the type of the table's column; None is NULL.
        """
        import pyarrow as pa

        types = {column.name: _ARROW_TYPES.get(column.type) for column in landing()[table]}
        found = {}
        for name, column in columns.items():
            if isinstance(column, pa.Array | pa.ChunkedArray):
                found[name] = column
            elif not isinstance(column, _SINGLE):
                is_float = hasattr(column, "dtype") and column.dtype.kind not in "iu"
                found[name] = pa.array(column, None if is_float else types.get(name, "int32"))
        rows = len(next(iter(found.values())))
        for name, value in columns.items():
            if name not in found:
                found[name] = pa.repeat(pa.scalar(value, types.get(name, "int32")), rows)
        return cls(table, pa.table({name: found[name] for name in columns}))

    @classmethod
    def of_records(
        cls, table: str, names: Sequence[str], records: Sequence[Sequence[object]]
    ) -> Rows:
        """Return rows of plain values, which are by the names of their columns."""
        columns = zip(*records, strict=True) if records else [()] * len(names)
        return cls.of_columns(table, **dict(zip(names, columns, strict=True)))


@dataclass(frozen=True, slots=True)
class Select:
    """A SELECT with named parameters ($name) that DuckDB runs straight over the file.

    Its columns are as those of `Rows`. Where the file contains many runs, `names_runs` is the name
    of the column that distinguishes them: `run_id` (the file's own name for the run) or `run_key`
    (as `Run.key`). For the table `runs` the columns are that one and the facts of `Run`. The
    order of rows must be the file's, so that a bad value can be reported with its row.
    """

    table: str
    sql: str
    params: Mapping[str, Any]
    names_runs: Literal["run_id", "run_key"] | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Records of a file that land in no table: how many, of what kind, and why.

    `record` names one of them, `records` several, by default with an s. Items of the same kind
    and reason are added up.
    """

    count: int
    record: str
    reason: str
    records: str | None = None

    def of(self, count: int) -> str:
        """Return a number of such records and the reason in words."""
        many = self.records or f"{self.record}s"
        return f"{count:,} {self.record if count == 1 else many} ({self.reason})"


Item = Run | Rows | Select | LeftOut


class Reader(Protocol):
    """One format, listed in `ingest.readers.READERS`."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a constant of the class
        """Name, lower case with hyphens."""
        ...

    @property
    def DESCRIPTION(self) -> str:  # noqa: N802
        """Description of the format, in one line."""
        ...

    @property
    def PATTERNS(self) -> tuple[str, ...]:  # noqa: N802
        """Typical file names."""
        ...

    @property
    def TABLES(self) -> tuple[str, ...]:  # noqa: N802
        """Landing tables it fills."""
        ...

    @property
    def WHOLE_FOLDER(self) -> bool:  # noqa: N802
        """Whether a recording is a folder, whose other files are not looked at."""
        ...

    def sniff(self, head: Head) -> str | bool | None:
        """Return whether a file that begins with `head` is of this format, and in which form.

        A format of several forms returns the name of the one found, which `form_of` has for `read`.
        Most formats show in the content. Some file names are part of the format (`data.rec`,
        `config.ini`), and Parquet has its columns at its end: so the head knows its file as well.
        """
        ...

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return all files of the recording that `path` belongs to, the main one first.

        The result is the same for each of the parts. For most formats it is `(path,)`.
        """
        ...

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the recording's runs and rows, streaming where the file can be large.

        Raises `InputError` with the place and what was expected where the file is not right.
        """
        ...


class SingleFile:
    """Mixin for formats where a recording is one file, which is most of them.

    `START` is what such a file begins with, or `SIGN` what its first 64 KiB contain.
    """

    WHOLE_FOLDER = False
    START: ClassVar[re.Pattern[bytes] | None] = None
    SIGN: ClassVar[re.Pattern[bytes] | None] = None

    def sniff(self, head: Head) -> str | bool | None:
        """Recognise a file by its start or its sign; see `Reader.sniff`."""
        if self.START is not None:
            return self.START.match(head.data) is not None
        return self.SIGN is not None and self.SIGN.search(head.data) is not None

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the file itself."""
        return (path,)


def form_of(reader: Reader, recording: Recording) -> str | None:
    """Return the form that `sniff` found, which is called where the user named the reader."""
    path = recording.path
    form = recording.form or reader.sniff(Head(read_head(path), path))
    return form if isinstance(form, str) else None
