"""The only writer: one recording, one reader, one transaction with its `sources` row."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest import translate
from ingest.analyse import analyse, scopes_of, until_analysed
from ingest.base import TASK_TABLES, Item, LeftOut, Reader, Rows, Run, Select, implausible
from ingest.checks import check_keys, check_rows, to_check
from ingest.clocks import Clock, set_clocks
from ingest.commits import take_commits
from ingest.compressed import path_text
from ingest.derive import decode_segments, derive
from ingest.earlier import (
    LandedBefore,
    is_of,
    most_alike,
    refuse_to_continue,
    runs_of,
)
from ingest.forget import take_out
from ingest.git import checked_out
from ingest.memory import registered
from ingest.parsed import Parsed
from ingest.recording import MAX_BYTES
from ingest.repeats import repeats
from ingest.runs import (
    STATING,
    RunBook,
    add_facts_of_rows,
    renew_runs,
    take_over_by_hand,
    write_facts,
)
from ingest.scalars import keep_scalars, stabilise_names
from warehouse import sqlfiles, transactions
from warehouse.errors import InputError, UsageError
from warehouse.lake.writers import Touched
from warehouse.version import __version__

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    import pyarrow as pa

    from ingest.recording import Recording
    from warehouse.session import Connection

_BATCH = "_batch_to_land"
_MOST_COLLECTED = 1 << 16  # rows
_MOST_BYTES = 8 << 20
_FIRST_DATE = datetime(1990, 1, 1, tzinfo=UTC)  # archives without dates unpack as 1970 or 1980


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the user adds to the files: facts override those that the files have of their runs.

    `clock_offsets` (ns) are what the clocks of nodes are ahead by; `align_clocks` estimates those
    of the others. `lenient` accepts references to what a recording does not list. `parameters` are
    kinds of those of experiments (`parsing.parameters.KINDS`), by name.
    `max_bytes` are what a compressed file may contain. `time_zone` is that of times without one.
    """

    run_id: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    replace: bool = False
    clock_offsets: Mapping[str, int] = field(default_factory=dict)
    align_clocks: bool = False
    lenient: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    max_bytes: int = MAX_BYTES
    time_zone: ZoneInfo | None = None


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


def load(
    con: Connection, recording: Recording, reader: Reader, options: Options | None = None
) -> Landed:
    """Read a recording and land it, as `land` does."""
    return land(con, Parsed(recording, reader, options or Options()))


def land(con: Connection, parsed: Parsed) -> Landed:
    """Land a recording whole, or not at all.

    The same content read by the same reader is recognised and left alone, unless `options.run_id`
    names another run: what two runs wrote can be equal. With `options.replace` it, and what the
    same path contained before, is taken out in the same transaction.

    Raises `InputError` with file, place and what was expected, `UsageError` where the options do
    not fit, `WarehouseError` where the warehouse cannot be written; nothing has landed then.
    """
    with translate.input_errors(parsed.recording, parsed.reader):
        (landed,) = land_together(con, [parsed])
    return landed


def land_together(con: Connection, group: Sequence[Parsed]) -> list[Landed]:
    """Land recordings in one transaction: all of them, or none.

    What concerns runs as a whole is computed once for all, which takes most of the time of small
    files. Whatever is wrong with one of them is raised as it comes, without its name: `land` then
    lands each by itself.
    """
    began = time.monotonic()
    with translate.interruptions():
        landed = until_analysed(
            lambda failed: transactions.land(con, lambda: _land(con, group, failed))
        )
    seconds = (time.monotonic() - began) / len(group)
    return [
        replace(one, seconds=seconds + parsed.seconds)
        for one, parsed in zip(landed, group, strict=True)
    ]


def known(con: Connection, group: Sequence[Parsed]) -> list[Parsed]:
    """Return the recordings whose content has landed and stays, which need not be parsed."""
    with translate.interruptions():
        before = _before(con, group)
        return [one for one in group if not one.options.replace and _same(con, before, one)[0]]


def _before(con: Connection, group: Sequence[Parsed]) -> LandedBefore:
    contents = [sha256 for one in group for sha256 in one.hashes]
    return LandedBefore(con, contents, [one.recording for one in group])


def _same(con: Connection, before: LandedBefore, parsed: Parsed) -> tuple[list[int], list[int]]:
    """Return the sources that have the content in the run that the options name, and all earlier.

    Those are of the same content, or were once at the same path.
    """
    earlier = before.of(parsed.hashes, parsed.recording, parsed.reader)
    same = [one for one, is_same in earlier.items() if is_same]
    return [one for one in same if is_of(con, one, parsed.options.run_id)], list(earlier)


def _land(
    con: Connection, recordings: Sequence[Parsed], failed: Mapping[str, str]
) -> tuple[list[Landed], Touched]:
    """Land recordings inside a transaction; return what came of each, and what they touched."""
    group = _Group(con, _before(con, recordings))
    landed = [group.read(one) for one in recordings]
    group.batches.insert_all()
    with_commits = _finish(con, group.writers)
    for writer in group.writers:
        writer.recording.check_unchanged(writer.sha256)
    done = [one.landed() if isinstance(one, _Writer) else one for one in landed]
    runs_of_all = [*group.forgotten.values(), *(one.runs for one in done), with_commits]
    run_ids = list(dict.fromkeys(run_id for runs in runs_of_all for run_id in runs))
    # Before the analyses, which know of what runs were before.
    apps = scopes_of(con, "app", run_ids)
    if group.writers:
        analyse(con, run_ids, failed)
    return done, Touched(
        source_ids=[*group.forgotten, *(one.source_id for one in done)],
        contents=[sha256 for one in recordings for sha256 in one.hashes],
        paths=[path_text(one.recording.path.resolve()) for one in recordings],
        run_ids=run_ids,
        apps=apps,
    )


class _Group:
    """Recordings of one transaction, which are read one after the other.

    `writers` are those of recordings that are new; `forgotten` are sources that they replace, with
    their runs.
    """

    def __init__(self, con: Connection, before: LandedBefore) -> None:
        self._con = con
        self._before = before
        self._by_content: dict[tuple[str, str, str | None], _Writer] = {}
        self.batches = _Batches(con)
        self.writers: list[_Writer] = []
        self.forgotten: dict[int, tuple[str, ...]] = {}

    def read(self, parsed: Parsed) -> Landed | _Writer:
        """Take the rows of a recording, unless its content is there."""
        recording, reader, options = parsed.recording, parsed.reader, parsed.options
        if wrong := implausible(options.facts):
            raise UsageError(f"a run with {wrong[0]} is implausible", hint=f"Give {wrong[1]}.")
        # Of the rows of this transaction some are not in the tables yet.
        contents = [(one, reader.NAME, options.run_id) for one in parsed.hashes]
        twin = next((self._by_content[one] for one in contents if one in self._by_content), None)
        if twin is not None:
            return Landed(twin.source_id, twin.book.run_ids, {}, known=True)
        of_run, earlier = _same(self._con, self._before, parsed)
        if options.replace:
            self._forget(of_run or earlier)
        elif of_run:
            source_id, differs = most_alike(self._con, of_run, options.facts)
            runs = runs_of(self._con, source_id)
            return Landed(source_id, runs, {}, known=True, differs=differs)
        elif earlier:
            refuse_to_continue(self._con, recording, reader)
        taken = (writer.source_id for writer in self.writers)
        source_id = of_run[0] if of_run else self._before.new_source_id(taken)
        writer = _Writer(self._con, parsed, source_id, self.batches)
        parsed.parse()
        # DuckDB is about to read what may have been parsed some time ago.
        recording.check_unchanged()
        with _time_zone(self._con, options.time_zone):
            for item in parsed.items():
                writer.take(item)
        writer.end()
        self._by_content |= dict.fromkeys(contents, writer)
        self.writers.append(writer)
        return writer

    def _forget(self, source_ids: Iterable[int]) -> None:
        for source_id in source_ids:
            if source_id not in self.forgotten:
                self.forgotten[source_id] = runs_of(self._con, source_id)
                take_out(self._con, source_id)


def _finish(con: Connection, writers: Sequence[_Writer]) -> list[str]:
    """Check the rows of files, and write down their sources, their runs and what follows.

    Returns the runs of whose commits something new is known.
    """
    if not writers:
        return []
    _check(con, writers)
    filled = _rows_by_table(writers)
    twice = repeats(con, {writer.source_id: writer.recording for writer in writers}, filled)
    scaled = _scaled(con, writers)
    for writer in writers:
        writer.repeats = twice.get(writer.source_id)
        writer.named_after = writer.recording.stem if writer.source_id in scaled else None
        writer.set_clocks()
    rows = [writer.source() for writer in writers]
    places = ", ".join([f"({', '.join('?' * len(rows[0]))})"] * len(rows))
    con.execute(f"INSERT INTO sources VALUES {places}", [value for row in rows for value in row])
    stabilise_names(con, [writer.source_id for writer in writers], filled)
    take_over_by_hand(con, [run_id for writer in writers for run_id in writer.book.run_ids])
    write_facts(con, [fact for writer in writers for fact in writer.facts()])
    return _derive(con, writers)


def _scaled(con: Connection, writers: Sequence[_Writer]) -> set[int]:
    """Return the sources with times of functions at several counts, of an unknown application.

    Those of two files are of two programs: they are named after their files.
    """
    unnamed = [
        one
        for one in writers
        if "fn_timings" in one.filled and one.book.is_unnamed and not one.options.facts.get("app")
    ]
    several = {one.source_id for one in unnamed if len(one.book.run_ids) > 1}
    if single := [one.source_id for one in unnamed if one.source_id not in several]:
        found = con.execute(
            f"SELECT source_id FROM fn_timings WHERE {sqlfiles.of_sources(single)} "
            "GROUP BY source_id HAVING count(DISTINCT parallelism) > 1"
        )
        several |= {source_id for (source_id,) in found.fetchall()}
    return several


def _check(con: Connection, writers: Sequence[_Writer]) -> None:
    """Raise `InputError` for a row that breaks a rule, or is in a run that another file is of."""
    by_source = {writer.source_id: writer for writer in writers}
    for table, source_id in to_check(con, _rows_by_table(writers)):
        writer = by_source[source_id]
        writer.unlisted |= check_rows(
            con, table, source_id, rows=writer.rows[table], lenient=writer.options.lenient
        )
    run_ids = [run_id for writer in writers if writer.rows for run_id in writer.book.run_ids]
    if incomplete := _lacking_rows(con, run_ids):
        raise InputError(
            f"rows of the run {incomplete} are gone (pwh retention), so that nothing of it can be "
            "computed anew",
            hint=f"Land the file as another run (--run), or first forget that one: pwh forget "
            f"{incomplete}",
        )
    earlier: dict[str, list[int]] = {}
    known = _sources_of(con, [run_id for writer in writers for run_id in writer.book.run_ids])
    for writer in writers:
        others = {
            source_id
            for run_id in writer.book.run_ids
            for source_id in (*known.get(run_id, ()), *earlier.get(run_id, ()))
        }
        for table in writer.rows if others else ():
            check_keys(con, table, writer.source_id, sorted(others))
        for run_id in writer.book.run_ids:
            earlier.setdefault(run_id, []).append(writer.source_id)


def _lacking_rows(con: Connection, run_ids: Collection[str]) -> str | None:
    """Return one of these runs of which retention deleted rows, if any."""
    runs, params = sqlfiles.of_runs(run_ids)
    found = con.execute(f"SELECT run_id FROM forgotten_rows WHERE {runs} LIMIT 1", params)
    return next((run_id for (run_id,) in found.fetchall()), None)


def _rows_by_table(writers: Sequence[_Writer]) -> dict[str, dict[int, int]]:
    """Return how many rows of each source landed, by table; of tables without any nothing."""
    rows: dict[str, dict[int, int]] = {}
    for writer in writers:
        for table in writer.filled:
            rows.setdefault(table, {})[writer.source_id] = writer.rows[table]
    return rows


def _sources_of(con: Connection, run_ids: Sequence[str]) -> dict[str, list[int]]:
    """Return the sources that have landed in runs before, by run."""
    found: dict[str, list[int]] = {}
    runs, params = sqlfiles.of_runs(run_ids)
    sql = f"SELECT DISTINCT run_id, source_id FROM run_facts WHERE {runs}"
    for run_id, source_id in con.execute(sql, params).fetchall():
        found.setdefault(run_id, []).append(source_id)
    return found


def _derive(con: Connection, writers: Sequence[_Writer]) -> list[str]:
    """Store what follows from the rows and facts of files that have just landed.

    Returns the runs of whose commits something new is known.
    """
    run_ids = list(dict.fromkeys(run_id for writer in writers for run_id in writer.book.run_ids))
    rows = sum((Counter(writer.rows) for writer in writers), Counter[str]())
    if stating := [one.source_id for one in writers if not one.rows.keys().isdisjoint(STATING)]:
        add_facts_of_rows(con, stating)
    renew_runs(con, run_ids)
    folders = (writer.recording.path.parent for writer in writers)
    with_commits = take_commits(con, run_ids, (Path(), *folders))
    traces = [one for one in writers if not one.rows.keys().isdisjoint(TASK_TABLES)]
    if traces:
        derive(con, {run_id: one.source_id for one in traces for run_id in one.book.run_ids})
    for writer in writers:
        if "segments" in writer.rows:
            decode_segments(con, writer.source_id)
    keep_scalars(con, run_ids, rows)
    return with_commits


@contextmanager
def _time_zone(con: Connection, zone: ZoneInfo | None) -> Iterator[None]:
    """Let times without a zone, in tables that DuckDB reads, be of this one."""
    if zone is None:
        yield
        return
    con.execute(f"SET TimeZone = {sqlfiles.literal(zone.key)}")
    try:
        yield
    finally:
        con.execute("SET TimeZone = 'UTC'")


def _modified_at(path: Path) -> datetime | None:
    """Return when a file was last modified; None where that is implausible."""
    try:
        found = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OSError, OverflowError, ValueError):
        return None
    return found if _FIRST_DATE < found <= datetime.now(UTC) + timedelta(days=1) else None


class _Batches:
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


class _Writer:
    """Takes the items of one recording into the warehouse, inside the caller's transaction."""

    def __init__(
        self,
        con: Connection,
        parsed: Parsed,
        source_id: int,
        batches: _Batches,
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
