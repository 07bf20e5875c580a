"""What one recording adds to the warehouse, inside the transaction of who lands it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest import translate
from ingest.base import TASK_TABLES, Item, LeftOut, Rows, Run, Select
from ingest.clocks import Clock, set_clocks
from ingest.compressed import path_text
from ingest.git import checked_out
from ingest.memory import registered
from ingest.runs import RunBook
from warehouse.errors import InputError, UsageError
from warehouse.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

    from ingest.parsed import Parsed
    from warehouse.session import Connection

_BATCH = "_batch_to_land"
_MOST_COLLECTED = 1 << 16  # rows
_MOST_BYTES = 8 << 20
_FIRST_DATE = datetime(1990, 1, 1, tzinfo=UTC)  # archives without dates unpack as 1970 or 1980


@dataclass(frozen=True, slots=True)
class Landed:
    """What came of one recording: its rows by table, or that they were there already.

    `seconds` are the wall time, or an equal part of that of recordings that landed together.
    `without_zone` is whether times without a zone were taken as UTC.
    `differs` is how the facts of what was there are not those that options state, in words.
    `unended` is whether the file ends without a line break, and its last line was taken for whole.
    `clocks` are the offsets that options set; `unlisted` counts the rows with references to what
    the recording does not list, by `table.column`. `left_out` is what the file contains besides
    and `repeats` what it contains twice, in words; None where there is nothing. `named_after` is
    the name of the file where its runs are of an application of that name.
    """

    source_id: int
    runs: tuple[str, ...]
    rows: dict[str, int]
    seconds: float = 0.0
    left_out: str | None = None
    repeats: str | None = None
    named_after: str | None = None
    unended: bool = False
    known: bool = False
    without_zone: bool = False
    differs: str | None = None
    clocks: tuple[Clock, ...] = ()
    unlisted: Mapping[str, int] = field(default_factory=dict)


class Batches:
    """Puts batches of one table together: each insertion costs as much as thousands of rows.

    Rows of a source stay next to each other. Inserts inside the caller's transaction.
    """

    def __init__(self, con: Connection) -> None:
        self._con = con
        self._waiting: dict[str, list[pa.Table]] = {}
        self._path = ""

    def add(self, table: str, rows: pa.Table, path: Path) -> None:
        """Take rows of a file with all their columns, for insertion soon."""
        waiting = self._waiting.setdefault(table, [])
        if waiting and waiting[0].schema != rows.schema:
            self.insert(table)
        waiting.append(rows)
        self._path = path_text(path)
        if (
            sum(map(len, waiting)) >= _MOST_COLLECTED
            or sum(one.nbytes for one in waiting) >= _MOST_BYTES
        ):
            self.insert(table)

    def insert(self, table: str) -> None:
        """Insert what was taken of a table."""
        if waiting := self._waiting.get(table):
            import pyarrow as pa

            with (
                translate.select_errors(table, self._path),
                registered(self._con, **{_BATCH: pa.concat_tables(waiting)}),
            ):
                # Table names come from readers, never from files.
                self._con.execute(f"INSERT INTO {table} BY NAME FROM {_BATCH}")
            waiting.clear()

    def insert_all(self) -> None:
        """Insert all that was taken."""
        for table in self._waiting:
            self.insert(table)


class Writer:
    """Takes the items of one recording into the warehouse, inside the caller's transaction."""

    def __init__(
        self,
        con: Connection,
        parsed: Parsed,
        source_id: int,
        batches: Batches,
    ) -> None:
        self.con = con
        self.batches = batches
        self.recording = recording = parsed.recording
        self.reader = parsed.reader
        self.options = parsed.options
        self._zone = parsed.zone
        self.source_id = source_id
        self.sha256, *self._content = parsed.hashes
        is_folder = self.reader.WHOLE_FOLDER
        stem = recording.path.resolve().parent.name if is_folder else recording.stem
        self.book = RunBook(f"{stem}-{self.sha256[:8]}", self.options.run_id)
        self.rows: dict[str, int] = {}
        self._has_wall_times = False
        self.clocks: tuple[Clock, ...] = ()
        self.repeats: str | None = None
        self.named_after: str | None = None
        self.unlisted: dict[str, int] = {}
        self._left_out: Counter[LeftOut] = Counter()
        self._ended: datetime | None = None

    @property
    def left_out(self) -> str | None:
        """What was left out, how many of it and why, in words; None for nothing."""
        kinds = (kind.of(count) for kind, count in self._left_out.items() if count)
        return "; ".join(kinds) or None

    def take(self, item: Item) -> None:
        """Land one item."""
        match item:
            case Run():
                self._has_wall_times |= item.wall_seconds is not None
                self.book.add(item)
            case Rows():
                self._insert_rows(item)
            case Select(table="runs"):
                self._take_runs(item)
            case Select():
                self.batches.insert(item.table)
                self._insert_select(item)
            case LeftOut():
                self._left_out[replace(item, count=0)] += item.count

    @property
    def filled(self) -> tuple[str, ...]:
        """The landing tables in which rows landed."""
        return tuple(table for table, rows in self.rows.items() if rows)

    def end(self) -> None:
        """Take the end of the recording; raises `InputError` where it had no rows or wall times."""
        escaped = sum(self.recording.escaped.values())
        self.take(LeftOut(escaped, "byte", "not UTF-8: written as \\xNN in names"))
        unended = len(self.recording.unended)
        self.take(
            LeftOut(unended, "line break", "missing at the end: the last line is taken whole")
        )
        for name in self.recording.others:
            self.take(
                LeftOut(1, f"part that the reader {name} recognises", f"--reader {name} lands it")
            )
        if not self.filled and not self._has_wall_times:
            raise InputError(
                "the file contains no measurements", expected="at least one row of data"
            )
        # Files of a transaction are read one after the other: that orders what they state.
        self._ended = datetime.now(UTC)

    def source(self) -> list[object]:
        """Return the row of the recording in `sources`."""
        return [
            self.source_id,
            path_text(self.recording.path.resolve()),
            self.sha256,
            self.recording.bytes_total,
            self.reader.NAME,
            self._ended,
            sum(self.rows.values()),
            __version__,
            self.left_out,
            self.repeats,
            next(iter(self._content), None),
        ]

    def facts(self) -> list[dict[str, Any]]:
        """Return what recording and options state of its runs."""
        modified_at = _modified_at(self.recording.path)
        options = self.options
        head = checked_out(self.recording.path, modified_at)
        return self.book.stated(
            self.source_id, options.facts, options.tags, modified_at, head, self.named_after
        )

    def landed(self) -> Landed:
        """Return what came of the recording, once it is finished."""
        return Landed(
            self.source_id,
            self.book.run_ids,
            self.rows,
            left_out=self.left_out,
            clocks=self.clocks,
            repeats=self.repeats,
            named_after=self.named_after,
            unended=bool(self.recording.unended),
            without_zone=self._zone.is_used and self.options.time_zone is None,
            unlisted=self.unlisted,
        )

    def set_clocks(self) -> None:
        """Estimate and write down what the clocks of nodes are ahead by, where options ask."""
        options = self.options
        is_trace = not self.rows.keys().isdisjoint(TASK_TABLES)
        if options.clock_offsets or (options.align_clocks and is_trace):
            if options.align_clocks and not getattr(self.reader, "SHOWS_SKEW", True):
                raise UsageError(
                    f"messages in {self.reader.NAME} recordings bear the receiver's times only, so "
                    "they cannot align the clocks",
                    hint="State what the clocks are ahead by: --clock-offset NODE=SECONDS.",
                )
            self.clocks = set_clocks(
                self.con,
                self.source_id,
                self.book.run_ids,
                options.clock_offsets,
                align=options.align_clocks,
            )
            # It may have added nodes that only workers or messages name.
            of_source = "SELECT count(*) FROM nodes WHERE source_id = ?"
            found = self.con.execute(of_source, [self.source_id]).fetchone()
            self.rows["nodes"] = int(found[0]) if found else 0

    def _insert_rows(self, item: Rows) -> None:
        import pyarrow as pa

        batch = item.batch
        rows = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
        if "run" in rows.schema.names:
            run_ids = pa.array(self.book.run_ids, pa.string()).take(rows.column("run"))
            rows = rows.drop_columns(["run"])
        else:
            self.book.add_default()
            run_ids = pa.repeat(pa.scalar(self.book.run_ids[0], pa.string()), len(rows))
        source_ids = pa.repeat(pa.scalar(self.source_id, pa.int64()), len(rows))
        rows = rows.append_column("run_id", run_ids).append_column("source_id", source_ids)
        self.rows[item.table] = self.rows.get(item.table, 0) + len(rows)
        self.batches.add(item.table, rows, self.recording.path)

    def _insert_select(self, item: Select) -> None:
        if item.names_runs is None:
            self.book.add_default()
            run_id, rest, params = "$run", "q.*", {"run": self.book.run_ids[0]}
        elif self.options.run_id is not None:
            self.book.add_default()
            self._check_one_run(item)
            run_id, rest = "$run", f"q.* EXCLUDE ({item.names_runs})"
            params = {"run": self.options.run_id}
        elif item.names_runs == "run_key":
            run_id, rest = "$base || '.' || q.run_key", "q.* EXCLUDE (run_key)"
            params = {"base": self.book.base}
        else:
            run_id, rest, params = "q.run_id", "q.* EXCLUDE (run_id)", {}
        sql = f"SELECT {run_id} AS run_id, $source AS source_id, {rest} FROM ({item.sql}) AS q"
        self._insert(item.table, sql, {**params, **item.params})
        if item.names_runs is not None:
            self._note_runs(item.table)

    def _insert(self, table: str, sql: str, params: Mapping[str, Any]) -> None:
        # Table names come from readers, never from files.
        statement = f"INSERT INTO {table} BY NAME {sql}"
        with translate.select_errors(table, self._file_of(params)):
            done = self.con.execute(statement, {"source": self.source_id, **params}).fetchone()
        self.rows[table] = self.rows.get(table, 0) + (done[0] if done else 0)

    def _file_of(self, params: Mapping[str, Any]) -> str:
        """Return the part of the recording that a SELECT reads, for its errors."""
        path = params.get("path")
        part = self.recording.path if path is None else self.recording.original(str(path))
        return path_text(part)

    def _take_runs(self, item: Select) -> None:
        with translate.select_errors("runs", self._file_of(item.params)):
            cursor = self.con.execute(item.sql, dict(item.params))
            names = [column[0] for column in cursor.description or ()]
            for values in cursor.fetchall():
                facts = dict(zip(names, values, strict=True))
                key = facts.pop("run_key", None)
                self._has_wall_times |= facts.get("wall_seconds") is not None
                self.book.add(Run(key=key, **facts), final=True)

    def _check_one_run(self, item: Select) -> None:
        found = self.con.execute(
            f"SELECT count(DISTINCT {item.names_runs}) FROM ({item.sql})", dict(item.params)
        ).fetchone()
        if found and found[0] > 1:
            self.book.reject_single_run_id(found[0])

    def _note_runs(self, table: str) -> None:
        """Write down runs that the file names without any facts."""
        found = self.con.execute(
            f"SELECT DISTINCT run_id FROM {table} WHERE source_id = ? ORDER BY run_id",
            [self.source_id],
        ).fetchall()
        self.book.note(run_id for (run_id,) in found)


def _modified_at(path: Path) -> datetime | None:
    """Return when a file was last modified; None where that is implausible."""
    try:
        found = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OSError, OverflowError, ValueError):
        return None
    return found if _FIRST_DATE < found <= datetime.now(UTC) + timedelta(days=1) else None
