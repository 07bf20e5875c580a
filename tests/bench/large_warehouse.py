"""A large warehouse of every kind of trace: small recordings that landed, copied many times."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import warehouse
from ingest.scalars import keep_missing_scalars
from tests.bench.schedule import generate
from tests.helpers.support import land
from tests.helpers.windows import EVENTS, KINDS
from warehouse.transactions import transaction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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
_COPY = """
    INSERT INTO {table} BY NAME
    SELECT * EXCLUDE (i) REPLACE (
      $kind || '-' || i AS run_id, CAST($first + i AS BIGINT) AS source_id{changed}
    )
    FROM (SELECT * FROM {table} WHERE run_id = $template) CROSS JOIN range($copies) AS t (i)
    ORDER BY i
"""
_RUNS = """
    INSERT INTO runs BY NAME
    SELECT
      $kind || '-' || i AS run_id, $kind || '-app' || (i * $apps // $copies) AS app,
      '1.' || (i % ($copies // $apps) // $version_runs) AS version, 'm' || (i % 3) AS machine,
      TIMESTAMPTZ '2020-01-01' + to_hours(CAST(i AS INTEGER)) AS started_at,
      2 ** (1 + i % 8) AS ranks, 1.0 AS problem_size,
      (10 + hash(i) % 100 / 100) * {slower} AS wall_seconds,
      MAP {{}} AS tags
    FROM range($copies) AS t (i)
"""
_SOURCES = """
    INSERT INTO sources BY NAME
    SELECT s.* REPLACE (CAST($first + i AS BIGINT) AS source_id, s.path || '/' || i AS path)
    FROM (SELECT * FROM sources WHERE source_id = $source) AS s CROSS JOIN range($copies) AS t (i)
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of trace: its name, and which share of all rows is of it."""

    name: str
    share: float


KINDS_OF_TRACE = (
    Kind("counters", 0.4),
    Kind("functions", 0.2),
    Kind("tasks", 0.15),
    Kind("blocks", 0.15),
    Kind("segments", 0.1),
)


def fill(db: Path, rows: int, runs: int) -> None:
    """Make a warehouse of about `runs` runs that have `rows` rows of landing tables together."""
    con = warehouse.connect(db)
    with tempfile.TemporaryDirectory() as folder:
        for place, kind in enumerate(KINDS_OF_TRACE):
            path = _recording(Path(folder), kind.name, rows // runs)
            (landed,) = land(con, path, run_id=f"{kind.name}-template")
            copies = max(APPS, round(rows * kind.share / sum(landed.rows.values())))
            _copy(con, kind.name, landed.source_id, copies, (place + 1) * 10_000_000)
    with transaction(con):
        keep_missing_scalars(con)
    con.close()


def _copy(con: DuckDBPyConnection, kind: str, source: int, copies: int, first: int) -> None:
    """Make copies of the run that landed as `KIND-template`, from sources `first` on."""
    tables = con.execute(
        "SELECT table_name FROM duckdb_columns() JOIN duckdb_tables() USING (table_name) "
        "WHERE column_name IN ('run_id', 'source_id') GROUP BY table_name HAVING count(*) = 2"
    ).fetchall()
    given = {"kind": kind, "copies": copies, "first": first, "template": f"{kind}-template"}
    for (table,) in tables:
        changed = f", {_CHANGED[table]}" if table in _CHANGED else ""
        sql = _COPY.format(table=table, changed=changed)
        known = {**given, "apps": APPS} if "$apps" in sql else given
        con.execute(sql, known)
    more = {"apps": APPS, "version_runs": VERSION_RUNS}
    con.execute(_RUNS.format(slower=_SLOWER), {"kind": kind, "copies": copies, **more})
    con.execute(_SOURCES, {"copies": copies, "first": first, "source": source})


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
    each = 8
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
