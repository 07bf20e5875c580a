"""Stored results of runs, computed anew: idle attribution, decoded machine code, scalars.

Ingest computes it with each file. It is outdated where another pwh computed it, and missing where
rows were written by hand. Runs are refreshed in groups, each in one transaction, so that an
interrupted refresh goes on where it was. Attribution takes longest: a cluster can do it
(`ingest.cluster`), to which the rows of runs are sent; this process stores what comes back.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from ingest.analyse import outdate
from ingest.cluster import Cluster
from ingest.derive import decode_again, derive, outdated_code, store_derived
from ingest.scalars import (
    files_of_runs,
    keep_all_scalars,
    outdated_scalars,
    stabilise_names,
)
from ingest.worker import SCALARS, attributed, identity, pack, unpack
from warehouse import sqlfiles
from warehouse.connection import cursor
from warehouse.errors import InputError, PwhError
from warehouse.session import Connection
from warehouse.transactions import transaction

_T = TypeVar("_T")
_RUNS_AT_ONCE = 1000
_ROWS_AT_ONCE = 1_000_000
# Beyond it, memory is better spent here: a worker of a cluster has a part of a machine.
_MOST_ROWS_SENT = 20_000_000
_STORED_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True)
class Outdated:
    """Results to be computed anew: of some runs all, of others the scalars only.

    `sources` are those whose machine code is decoded again.
    """

    whole: Collection[str]
    scalars: Collection[str]
    sources: Collection[int]


@dataclass(slots=True)
class Refreshed:
    """How many runs and sources were done, and what could not be, in words."""

    attributed: int = 0
    decoded: int = 0
    kept: int = 0
    failures: list[PwhError] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Group:
    """Runs that are stored together.

    `files` are those of all of them. Of runs whose idle time is attributed, `traced` has the last
    source of the rows that it needs, and `rows` is their number; `untraced` have none.
    """

    files: Mapping[str, Collection[int]]
    traced: Mapping[str, int]
    untraced: Collection[str]
    rows: int

    @classmethod
    def of(
        cls,
        run_ids: Iterable[str],
        files: Mapping[str, Mapping[int, int]],
        whole: Collection[str],
    ) -> Self:
        """Return the group of some runs, those of `whole` with their idle time."""
        own = {run_id: files[run_id] for run_id in run_ids}
        traces = {
            run_id: [source_id for source_id, traced in sources.items() if traced]
            for run_id, sources in own.items()
            if run_id in whole
        }
        return cls(
            own,
            {run_id: max(found) for run_id, found in traces.items() if found},
            [run_id for run_id, found in traces.items() if not found],
            sum(sum(own[run_id].values()) for run_id in traces),
        )

    def only(self, run_ids: Collection[str]) -> Self:
        """Return the group without other runs; its rows are still counted as those of all."""
        return replace(
            self,
            files={run_id: files for run_id, files in self.files.items() if run_id in run_ids},
            traced={run: source for run, source in self.traced.items() if run in run_ids},
            untraced=[run for run in self.untraced if run in run_ids],
        )


def outdated(con: Connection, differing: Iterable[Collection[tuple[str, str]]] = ()) -> Outdated:
    """Return what is outdated or missing of all runs.

    `differing` are the runs and metrics of scalars that are found to differ from their rows.
    """
    found = outdated_scalars(con)
    changed = dict.fromkeys(run_id for batch in differing for run_id, _ in batch)
    by_hand = [run_id for run_id, is_known in found if not is_known or run_id in changed]
    by_hand += changed.keys() - dict(found).keys()
    known = [run_id for run_id, is_known in found if is_known and run_id not in changed]
    return Outdated(by_hand, known, outdated_code(con, by_hand))


def all_of(con: Connection, run_ids: Collection[str]) -> Outdated:
    """Return all that is stored of some runs, but for those of which rows are gone."""
    fixed = {run for (run,) in con.execute("SELECT run_id FROM forgotten_rows").fetchall()}
    whole = [run_id for run_id in run_ids if run_id not in fixed]
    return Outdated(whole, (), outdated_code(con, whole))


def refresh(
    con: Connection, work: Outdated, done: Refreshed, cluster: Cluster | None = None
) -> Iterator[tuple[float, None]]:
    """Compute anew what is asked for; count it in `done`, and yield the share that is done.

    `cluster` attributes idle time; without one, this process does. What fails for a run is among
    `done.failures`, and the others go on. Raises `ClusterError` where the cluster fails altogether.
    """
    run_ids = dict.fromkeys([*work.whole, *work.scalars])
    with transaction(con):
        outdate(con, work.whole)
        outdate(con, work.scalars, of_apps=True)
    for source_id in work.sources:
        with transaction(con):
            decoded = decode_again(con, source_id)
            outdate(con, decoded)
        run_ids |= dict.fromkeys(decoded)
        done.decoded += 1
    store = _Store(con, done, run_ids)
    groups = list(_groups(store.files, set(work.whole)))
    total = sum(map(_effort, groups)) or 1
    finished = 0
    for group in _stored(store, groups, cluster):
        finished += _effort(group)
        yield finished / total, None


def _effort(group: _Group) -> int:
    """Return about how long a group takes, in rows of a trace."""
    return group.rows + 1000 * len(group.files)


def _groups(files: Mapping[str, Mapping[int, int]], whole: Collection[str]) -> Iterator[_Group]:
    """Put runs together: stored at once, many small ones cost little more than one.

    A group is of runs of which all is computed, or of runs of which only scalars are.
    """
    group: list[str] = []
    rows = 0
    for run_id in sorted(files, key=whole.__contains__):
        is_whole = run_id in whole
        more = sum(files[run_id].values()) if is_whole else 0
        is_full = len(group) == _RUNS_AT_ONCE or rows + more > _ROWS_AT_ONCE
        if group and (is_full or is_whole != (group[0] in whole)):
            yield _Group.of(group, files, whole)
            group, rows = [], 0
        group.append(run_id)
        rows += more
    if group:
        yield _Group.of(group, files, whole)


def _stored(store: _Store, groups: Collection[_Group], cluster: Cluster | None) -> Iterator[_Group]:
    """Attribute and store all groups, elsewhere where there is a cluster; yield each when done."""
    suitable = [
        cluster is not None and 0 < group.rows <= _MOST_ROWS_SENT and len(group.traced) > 0
        for group in groups
    ]
    here = [group for group, is_sent in zip(groups, suitable, strict=True) if not is_sent]
    if cluster is not None and any(suitable):
        sent = [group for group, is_sent in zip(groups, suitable, strict=True) if is_sent]
        yield from _stored_from(cluster, store, sent, here)
    for group in here:
        store.attribute(group)
        yield group


def _stored_from(
    cluster: Cluster, store: _Store, groups: Iterable[_Group], here: list[_Group]
) -> Iterator[_Group]:
    """Send groups to a cluster and store what comes back; what is to be done here joins `here`."""
    waiting: list[tuple[_Group, dict[str, pa.Table]]] = []
    jobs = _ahead(_jobs(cursor(store.con), groups))
    for group, found in cluster.map(attributed, jobs):
        match found:
            case InputError():
                # Here it shows which of the runs is meant.
                here.append(group)
            case PwhError():
                store.fail(group, found)
                yield group
            case _:
                tables = {table: unpack(stream) for table, stream in found.items()}
                waiting.append((group, tables))
        # A few large insertions take half the time of many small ones.
        if sum(len(rows) for _, tables in waiting for rows in tables.values()) > _STORED_AT_ONCE:
            yield from store.attributed(waiting)
            waiting = []
    if waiting:
        yield from store.attributed(waiting)


def _jobs(
    con: Connection, groups: Iterable[_Group]
) -> Iterator[tuple[_Group, tuple[object, ...], int]]:
    """Read the rows of each group when it is its turn; with their bytes."""
    with con:
        for group in groups:
            tables = pack(con, group.files)
            size = sum(map(len, tables.values()))
            yield group, (identity(), group.traced, tables), size


def _ahead(items: Iterator[_T]) -> Iterator[_T]:
    """Yield items, of which another thread makes the next meanwhile."""
    with ThreadPoolExecutor(1) as pool:
        following = pool.submit(next, items, None)
        while (item := following.result()) is not None:
            following = pool.submit(next, items, None)
            yield item


class _Store:
    """Stores what is computed of runs that have not changed since the refresh began.

    Whoever changes a run meanwhile, in a lake or a served warehouse, has computed it anew.
    """

    def __init__(self, con: Connection, done: Refreshed, run_ids: Collection[str]) -> None:
        self.con = con
        self._done = done
        self._states = self._states_of(run_ids)
        self.files = files_of_runs(con, list(self._states))
        self._stabilise_names()

    def attribute(self, group: _Group) -> None:
        """Attribute the idle time of a group here, and store it with the scalars.

        Where that is impossible of one of the runs, it is a failure.
        """
        try:
            with transaction(self.con):
                left = self._unchanged(group)
                store_derived(self.con, left.untraced, {})
                if left.traced:
                    derive(self.con, left.traced)
                keep_all_scalars(self.con, left.files)
        except InputError as error:
            if len(group.files) == 1:
                self.fail(group, error)
                return
            for run_id in group.files:
                self.attribute(group.only({run_id}))
        else:
            self._count(left)

    def attributed(
        self, found: Sequence[tuple[_Group, Mapping[str, pa.Table]]]
    ) -> Iterator[_Group]:
        """Store what was attributed elsewhere, in one transaction; yield the groups."""
        with transaction(self.con):
            left = [self._unchanged(group) for group, _ in found]
            runs = [run for group in left for run in (*group.traced, *group.untraced)]
            tables = _together([tables for _, tables in found])
            if sum(len(group.files) for group, _ in found) > len(runs):
                tables = _only(runs, tables)
            of_workers = tables.pop(SCALARS)
            store_derived(self.con, runs, tables)
            files = {run: files for group in left for run, files in group.files.items()}
            keep_all_scalars(self.con, files, of_workers)
        for group in left:
            self._count(group)
        yield from (group for group, _ in found)

    def fail(self, group: _Group, error: PwhError) -> None:
        """Write down that a group cannot be done; what was stored of it remains."""
        runs = ", ".join(list(group.files)[:3]) + (" ..." if len(group.files) > 3 else "")
        error.problem = f"nothing is stored anew of {runs}: {error.problem}"
        self._done.failures.append(error)

    def _count(self, group: _Group) -> None:
        self._done.attributed += len(group.traced)
        self._done.kept += len(group.files)

    def _unchanged(self, group: _Group) -> _Group:
        """Return the runs of a group that are as they were."""
        now = self._states_of(group.files)
        return group.only({run for run in group.files if now.get(run) == self._states[run]})

    def _states_of(self, run_ids: Collection[str]) -> dict[str, str]:
        """Return the files of runs, and when each landed, as text; of those that there are."""
        params = {"run_ids": json.dumps(list(run_ids))}
        return dict(self.con.execute(sqlfiles.read("derived/states"), params).fetchall())

    def _stabilise_names(self) -> None:
        """Write names as this pwh does: they may be those of an older one, or written by hand."""
        source_ids = {source_id for sources in self.files.values() for source_id in sources}
        if source_ids:
            with transaction(self.con):
                stabilise_names(self.con, source_ids)


def _only(run_ids: Collection[str], tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """Return the rows of runs, by table."""

    def rows(table: pa.Table) -> pa.Table:
        return table.filter(pc.is_in(table["run_id"], pa.array(list(run_ids), pa.string())))

    return {name: rows(table) for name, table in tables.items()}


def _together(found: Sequence[Mapping[str, pa.Table]]) -> dict[str, pa.Table]:
    """Return all rows of each table."""
    return {name: pa.concat_tables([tables[name] for tables in found]) for name in found[0]}
