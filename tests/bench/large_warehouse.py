"""A large warehouse of every kind of trace: small recordings that landed, copied many times."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import warehouse
from ingest.scalars import keep_scalars
from tests.bench.schedule import generate
from tests.helpers.support import land
from tests.helpers.windows import EVENTS, KINDS
from warehouse.catalog import by_run_and_source
from warehouse.transactions import transaction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ingest.writer import Landed

APPS = 10
"""Applications of each kind of trace."""
VERSION_RUNS = 40
"""Runs of each version."""
_BLOCKS = Path(__file__).parents[1] / "samples" / "machine-code" / "blocks.csv"
# Times and counts differ from copy to copy, and every application has become slower once.
_SLOWER = "if(i % ($copies // $apps) >= $copies // $apps * 0.7, 1.1, 1)"
_SCATTER = f"""
    (1 + 0.03 * (hash(i, 1) % 1000 / 1000 - 0.5)) * {_SLOWER} * pow(2, -i % 8)
"""
_CHANGED = {
    "pmu_samples": "value * (1 + 0.03 * (hash(i, event) % 1000 / 1000 - 0.5)) AS value",
    "fn_timings": f"seconds * {_SCATTER} AS seconds",
}
# As real ones: digits of a digest behind a name that many share, and numbers in the order of
# landing.
_RUN_ID = "printf('%s-%08x', $kind, hash($kind, i) >> 32)"
_LANDED = "TIMESTAMPTZ '2020-01-01' + to_hours(CAST(i AS INTEGER)) + to_minutes($place)"
_SOURCE_ID = f"epoch_us({_LANDED})"
_COPY = f"""
    INSERT INTO {{table}} BY NAME
    SELECT * EXCLUDE (i) REPLACE ({_RUN_ID} AS run_id, {_SOURCE_ID} AS source_id{{changed}})
    FROM (SELECT * FROM {{table}} WHERE run_id = $template)
    CROSS JOIN range($begin, $end) AS t (i)
    ORDER BY i
"""
_RUNS = f"""
    INSERT INTO runs BY NAME
    SELECT
      {_RUN_ID} AS run_id, $kind || '-app' || (i * $apps // $copies) AS app,
      '1.' || (i % ($copies // $apps) // $version_runs) AS version, 'm' || (i % 3) AS machine,
      {_LANDED} AS started_at,
      2 ** (1 + i % 8) AS ranks, 1.0 AS problem_size,
      (10 + hash(i) % 100 / 100) * {_SLOWER} AS wall_seconds,
      MAP {{}} AS tags
    FROM range($begin, $end) AS t (i)
    RETURNING run_id
"""
_SOURCES = f"""
    INSERT INTO sources BY NAME
    SELECT
      s.* REPLACE (
        {_SOURCE_ID} AS source_id, s.path || '/' || i AS path, {_LANDED} AS ingested_at
      )
    FROM (SELECT * FROM sources WHERE source_id = $source) AS s
    CROSS JOIN range($begin, $end) AS t (i)
"""
_FUNCTIONS = 500  # of an application at most; more rows are of more ranks
_ROWS_AT_ONCE = 10_000_000
_MEMORY = "6GiB"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of trace: its name, and which share of all rows is of it."""

    name: str
    share: float


KINDS_OF_TRACE = (
    Kind("counters", 0.45),
    Kind("functions", 0.25),
    Kind("tasks", 0.08),
    Kind("blocks", 0.2),
    Kind("segments", 0.02),
)


def fill(db: Path, rows: int, runs: int) -> None:
    """Make a warehouse of about `runs` runs that have `rows` rows of landing tables together."""
    con = warehouse.connect(db)
    con.execute(f"SET memory_limit = '{_MEMORY}'")
    with tempfile.TemporaryDirectory() as folder:
        for place, kind in enumerate(KINDS_OF_TRACE):
            path = _recording(Path(folder), kind.name, rows // runs)
            (landed,) = land(con, path, run_id=f"{kind.name}-template")
            of_run = sum(landed.rows.values())
            copies = max(APPS, round(rows * kind.share / of_run))
            at_once = max(1, _ROWS_AT_ONCE // of_run)
            for begin in range(0, copies, at_once):
                part = {"begin": begin, "end": min(begin + at_once, copies)}
                which = {**part, "kind": kind.name, "place": place, "copies": copies, "apps": APPS}
                with transaction(con):
                    _copy(con, landed, which)
    con.close()


def _copy(con: DuckDBPyConnection, landed: Landed, which: Mapping[str, int | str]) -> None:
    """Make the copies `begin` to `end` of `copies` of a run, with what follows from its rows."""
    for table in by_run_and_source():
        changed = f", {_CHANGED[table]}" if table in _CHANGED else ""
        _insert(con, _COPY.format(table=table, changed=changed), template=landed.runs[0], **which)
    _insert(con, _SOURCES, source=landed.source_id, **which)
    added = _insert(con, _RUNS, version_runs=VERSION_RUNS, **which)
    keep_scalars(con, [run_id for (run_id,) in added], landed.rows)


def _insert(con: DuckDBPyConnection, sql: str, **known: int | str) -> list[tuple[str]]:
    """Insert rows, with those parameters that the statement has; return what it returns."""
    used = {name: value for name, value in known.items() if re.search(rf"\${name}\b", sql)}
    return con.execute(sql, used).fetchall()


def _recording(folder: Path, kind: str, rows: int) -> Path:
    """Write a recording of a kind with about so many rows; return what is to be ingested."""
    path = folder / f"{kind}.csv"
    if kind == "tasks":
        generate(folder / kind, max(64, rows * 2 // 15), 16)
        return folder / kind
    lines = {
        "counters": _counters,
        "functions": _functions,
        "blocks": _visits,
        "segments": _segments,
    }[kind](rows)
    path.write_text("\n".join(lines) + "\n")
    return path


def _counters(rows: int) -> list[str]:
    chance = np.random.default_rng(1)
    kinds = list(KINDS.values())
    lines = ["sample,event,value"]
    for sample in range(max(1, rows // len(EVENTS))):
        counts = dict.fromkeys(EVENTS, 0) | kinds[sample % len(kinds)]
        counts = {name: round(n * chance.normal(1, 0.04)) for name, n in counts.items()}
        counts |= {"cycles": 10000, "issue_width": 4, "l1i_accesses": 2500}
        lines += [f"{sample},{name},{count}" for name, count in counts.items()]
    return lines


def _functions(rows: int) -> list[str]:
    each = max(8, rows // _FUNCTIONS)
    chance = np.random.default_rng(2)
    seconds = chance.exponential(1.0, (max(1, rows // each), each))
    return ["function,rank,seconds"] + [
        f"function{place},{rank},{value:.6f}"
        for place, of_one in enumerate(seconds)
        for rank, value in enumerate(of_one)
    ]


def _visits(rows: int) -> list[str]:
    bbs, threads = 16, max(1, rows // 16)
    chance = np.random.default_rng(3)
    visits = chance.integers(1, 40, (threads, bbs))
    return ["launch,kernel,block,warp,thread,bb,visits,instructions"] + [
        f"0,kernel,{thread // 128},{thread // 32 % 4},{thread % 128},{bb},{count},{6 * count}"
        for thread, of_one in enumerate(visits)
        for bb, count in enumerate(of_one)
    ]


def _segments(rows: int) -> list[str]:
    known = _BLOCKS.read_text(encoding="utf-8").split()
    return [known[i % len(known)] for i in range(rows)]
