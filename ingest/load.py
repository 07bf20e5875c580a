"""Landing: recordings, their rows and all that follows from them, in one transaction."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ingest import translate
from ingest.analyse import analyse, scopes_of, until_analysed
from ingest.base import TASK_TABLES, Reader, implausible
from ingest.checks import check_keys, check_rows, to_check
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
from ingest.parsed import Options, Parsed
from ingest.repeats import repeats
from ingest.runs import (
    STATING,
    add_facts_of_rows,
    renew_runs,
    take_over_by_hand,
    write_facts,
)
from ingest.scalars import keep_scalars, stabilise_names
from ingest.writer import Batches, Landed, Writer
from warehouse import sqlfiles, transactions
from warehouse.errors import InputError, UsageError
from warehouse.lake.writers import Touched
from warehouse.version import __version__

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from ingest.recording import Recording
    from warehouse.session import Connection


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
    done = [one.landed() if isinstance(one, Writer) else one for one in landed]
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
        self._by_content: dict[tuple[str, str, str | None], Writer] = {}
        self.batches = Batches(con)
        self.writers: list[Writer] = []
        self.forgotten: dict[int, tuple[str, ...]] = {}

    def read(self, parsed: Parsed) -> Landed | Writer:
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
        writer = Writer(self._con, parsed, source_id, self.batches)
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


def _finish(con: Connection, writers: Sequence[Writer]) -> list[str]:
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


def _scaled(con: Connection, writers: Sequence[Writer]) -> set[int]:
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


def _check(con: Connection, writers: Sequence[Writer]) -> None:
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


def _rows_by_table(writers: Sequence[Writer]) -> dict[str, dict[int, int]]:
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


def _derive(con: Connection, writers: Sequence[Writer]) -> list[str]:
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


def remember_rejection(con: Connection, path: Path, reader: str | None, error: InputError) -> None:
    """Write down why a file was rejected, in place of an earlier reason."""
    file = _real_path(path)
    with transactions.transaction(con):
        con.execute("DELETE FROM rejections WHERE path = ?", [file])
        con.execute(
            "INSERT INTO rejections VALUES (?, now(), ?, ?, ?, ?, ?, ?)",
            [
                *(file, reader, error.problem, error.where, error.expected),
                *(error.hint, __version__),
            ],
        )


def forget_rejections(con: Connection, paths: Iterable[Path]) -> None:
    """Remove the rejections of files that have landed now."""
    files = [_real_path(path) for path in paths]
    con.execute("DELETE FROM rejections WHERE path IN (SELECT unnest(?))", [files])


def _real_path(path: Path) -> str:
    # `Path.resolve` raises RuntimeError for symbolic links that lead to each other.
    return path_text(Path(os.path.realpath(path)))
