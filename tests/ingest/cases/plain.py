"""Plain tables: counters as CSV, function times as Parquet, block visits as Arrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.ingest.case import SAMPLES, Case

FOLDER = SAMPLES / "plain"

COUNTERS = (
    (
        """
        SELECT run_id, rank, region, t_start, t_end, event, value FROM pmu_samples ORDER BY rowid
        """,
        [
            ("stencil-8", 0, "sweep", 0, 1000000, "cycles", 2500000.0),
            ("stencil-8", 0, "sweep", 0, 1000000, "instructions", 4100000.0),
            ("stencil-8", 1, "sweep", 0, 1000000, "cycles", 2520000.0),
            ("stencil-8", 1, "sweep", 0, 1000000, "instructions", None),
            ("stencil-9", 0, "sweep, inner", 0, 900000, "cycles", 2250000.0),
            ("stencil-9", 1, None, 0, 900000, "cycles", 2240000.5),
        ],
    ),
    (
        """
        SELECT run_id, app, version, machine, epoch(started_at), ranks, threads
        FROM runs ORDER BY run_id
        """,
        [
            ("stencil-8", "stencil", "1.4", "atlas", 1772352000.0, 2, None),
            ("stencil-9", "stencil", "1.5", "atlas", 1772438400.0, 2, None),
        ],
    ),
)
TIMINGS = (
    (
        """
        SELECT split_part(run_id, '.', 2), function, parallelism, repetition, seconds, calls
        FROM fn_timings ORDER BY rowid
        """,
        [
            ("stencil/1/0", "sweep", 1, 0, 4.102, 100),
            ("stencil/1/0", "exchange", 1, 0, 0.0, 100),
            ("stencil/2/0", "sweep", 2, 0, 2.061, 100),
            ("stencil/2/0", "exchange", 2, 0, 0.0311, None),
            ("stencil/4/0", "sweep", 4, 0, 1.043, 100),
            ("stencil/4/0", "exchange", 4, 0, None, 100),
        ],
    ),
    ("SELECT app, count(*) FROM runs GROUP BY app", [("stencil", 3)]),
)
VISITS = (
    (
        """
        SELECT kernel, bb, count(thread), sum(visits)::INT, sum(instructions)::INT
        FROM bb_visits GROUP BY ALL ORDER BY bb
        """,
        [("scan", 0, 10, 145, 580), ("scan", 1, 10, 155, 620), ("scan", 2, 10, 165, 660)],
    ),
)


def _enlarge_csv(folder: Path, times: int) -> Path:
    header, _, rows = (FOLDER / "counters.csv").read_bytes().partition(b"\n")
    path = folder / "large.csv"
    path.write_bytes(header + b"\n" + rows * times)
    return path


def _enlarge_parquet(folder: Path, times: int) -> Path:
    path = folder / "large.parquet"
    table = pq.read_table(FOLDER / "timings.parquet")
    place = table.schema.get_field_index("repetition")
    numbers = (
        pa.array([number] * len(table), table.schema.types[place]) for number in range(times)
    )
    # Equal rows of a repetition would land once.
    parts = [table.set_column(place, "repetition", [one]) for one in numbers]
    pq.write_table(pa.concat_tables(parts), path)
    return path


def _enlarge_arrow(folder: Path, times: int) -> Path:
    with pa.ipc.open_file(FOLDER / "visits.arrow") as reader:
        table = reader.read_all()
    path = folder / "large.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        for _ in range(times):
            writer.write_table(table)
    return path


def _case(name: str, golden: Any, enlarge: Any, cut_may_land: bool = False) -> Case:
    return Case(
        reader="plain",
        sample=FOLDER / name,
        golden=golden,
        enlarge=enlarge,
        cut_may_land=cut_may_land,
    )


CASES = (
    _case("counters.csv", COUNTERS, _enlarge_csv, cut_may_land=True),
    _case("timings.parquet", TIMINGS, _enlarge_parquet),
    _case("visits.arrow", VISITS, _enlarge_arrow),
    # A stream may end after any batch.
    _case("visits.arrows", VISITS, _enlarge_arrow, cut_may_land=True),
)
