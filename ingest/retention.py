"""Retention: delete what the rules of a warehouse (retention_rules) say, and note that it is gone.

The answers that were computed of such rows stay: nothing computes them anew (ingest.analyse,
ingest.refresh), and no file adds rows to a run that lacks others (ingest.load).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ingest.analyse import until_analysed
from ingest.forget import forget_runs
from warehouse import sqlfiles
from warehouse.maintenance import bytes_of_rows, size_of
from warehouse.session import Connection
from warehouse.transactions import transaction

LIMIT = 0
"""Number of the rule that stands for the size that a warehouse may have."""
# What is derived of the rows of a table at landing, and read with them only.
_DERIVED = {"tasks": "idle_segments", "segments": "segment_features"}
_RUNS_AT_ONCE = 500
# A file is written anew only where that saves a quarter of it (warehouse.replacement).
_COMPACT = 0.75


@dataclass(frozen=True, slots=True)
class Expired:
    """Rows of a run that a rule deletes; where `table` is None, all and the run itself."""

    rule_id: int
    run_id: str
    table: str | None
    rows: int


@dataclass(slots=True)
class Gone:
    """Deletions of one rule, added up: runs, and rows by table."""

    runs: set[str] = field(default_factory=set)
    rows: dict[str | None, int] = field(default_factory=lambda: defaultdict(int))


def expired(con: Connection, now: datetime, most: float | None = None) -> list[Expired]:
    """Return what the rules delete at a time, the oldest runs first.

    Where the warehouse then still has more than `most` bytes, also rows of younger runs.
    """
    sql = sqlfiles.read("derived/retention/expired")
    found = con.execute(sql, {"now": now, "every": most is not None}).fetchall()
    rows = [Expired(*one[:4]) for one in found]
    due = [one for one in rows if one.rule_id != LIMIT]
    total = size_of(con)
    if most is None or total <= most:
        return due
    size = bytes_of_rows(con)
    excess = total - most * _COMPACT - sum(_bytes(one, size) for one in due)
    for one in rows:
        if one.rule_id == LIMIT and excess > 0:
            due.append(one)
            excess -= _bytes(one, size)
    return due


def added_up(rows: Iterable[Expired]) -> dict[int, Gone]:
    """Return what each rule deletes."""
    found: dict[int, Gone] = defaultdict(Gone)
    for one in rows:
        found[one.rule_id].runs.add(one.run_id)
        found[one.rule_id].rows[one.table] += one.rows
    return dict(sorted(found.items()))


def megabytes(con: Connection, gone: Gone) -> float:
    """Return about how much of the warehouse rows take, in MB."""
    size = bytes_of_rows(con)
    return sum(_bytes(Expired(0, "", table, n), size) for table, n in gone.rows.items()) / 1e6


def apply(con: Connection, now: datetime, most: float | None = None) -> list[Expired]:
    """Delete what the rules say, and return it.

    Runs are done in groups, each in one transaction that looks again what is due: whoever stops it
    has whole runs only, and the next call goes on.
    """
    done: list[Expired] = []
    due = expired(con, now, most)
    while due:
        group = _first(due)
        runs = {one.run_id for one in group}

        def delete(failed: Mapping[str, str], runs: Collection[str] = runs) -> list[Expired]:
            with transaction(con):
                # others may have annotated some meanwhile
                still = [one for one in expired(con, now, most) if one.run_id in runs]
                _delete_rows(con, [one for one in still if one.table is not None], now)
                if whole := [one.run_id for one in still if one.table is None]:
                    forget_runs(con, whole, failed)
            return still

        done += until_analysed(delete)
        due = [one for one in due if one.run_id not in runs]
    return done


def _first(rows: Collection[Expired]) -> list[Expired]:
    runs = list(dict.fromkeys(one.run_id for one in rows))[:_RUNS_AT_ONCE]
    chosen = set(runs)
    return [one for one in rows if one.run_id in chosen]


def _bytes(one: Expired, size: Mapping[str, float]) -> float:
    # a run's rows may be of any table
    each = size.get(one.table, 0) if one.table else sum(size.values()) / max(len(size), 1)
    return one.rows * each


def _delete_rows(con: Connection, rows: Iterable[Expired], now: datetime) -> None:
    """Delete rows of runs, and note how many; the caller keeps the transaction."""
    by_table: dict[str, list[str]] = defaultdict(list)
    for one in rows:
        if one.table is not None:
            by_table[one.table].append(one.run_id)
    for table, run_ids in by_table.items():
        runs, params = sqlfiles.of_runs(run_ids)
        con.execute(
            "INSERT INTO forgotten_rows SELECT run_id, source_id, $table, count(*), $now "
            f"FROM {table} WHERE {runs} GROUP BY run_id, source_id",
            params | {"table": table, "now": now},
        )
        for name in filter(None, (table, _DERIVED.get(table))):
            con.execute(f"DELETE FROM {name} WHERE {runs}", params)
