"""Caliper: times of tests/samples/mpi at four ranks; the top-down shares are made up."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

STREAM = SAMPLES / "caliper" / "stencil.cali"
SPLIT = SAMPLES / "caliper" / "stencil.json"
RANKS = 4
_PLACE = re.compile(r"(__rec=ctx,.*,data=)(\d+)(=.*)")

_TIMES = """
    SELECT callpath, parallelism, seconds, inclusive_seconds, calls FROM fn_timings
    WHERE rank = 1 ORDER BY rowid
"""
_RUNS = """
    SELECT app, machine, epoch(started_at), nodes, ranks, problem_size, tags['compiler'] FROM runs
"""
_SHARES = """
    PIVOT (FROM pmu_samples WHERE rank = 0)
    ON event IN (
        'topdown.retiring', 'topdown.frontend_bound', 'topdown.backend_bound',
        'topdown.bad_speculation'
    )
    USING any_value(value) GROUP BY region, unit ORDER BY region
"""


def _enlarge_stream(folder: Path, times: int) -> Path:
    path = folder / "large.cali"
    lines = STREAM.read_text().splitlines()
    *nodes, globals_ = [line for line in lines if not line.startswith("__rec=ctx")]
    records = [match for line in lines if (match := _PLACE.fullmatch(line))]
    with path.open("w") as file:
        print(*nodes, sep="\n", file=file)
        for copy in range(times):
            for one in records:
                print(f"{one[1]}{int(one[2]) + copy * RANKS}{one[3]}", file=file)
        print(globals_, file=file)
    return path


def _enlarge_split(folder: Path, times: int) -> Path:
    path = folder / "large.json"
    document = json.loads(SPLIT.read_text())
    rows = document["data"]
    document["data"] = [
        [inclusive, rank + copy * RANKS, own, node]
        for copy in range(times)
        for inclusive, rank, own, node in rows
    ]
    path.write_text(json.dumps(document))
    return path


CASES = (
    Case(
        reader="caliper",
        sample=STREAM,
        golden=(
            (
                _TIMES,
                [
                    ("main", 4, 0.002659, 2.089083, 1),
                    ("main->MPI_Bcast", 4, 0.01707, 0.01707, 1),
                    ("main->exchange", 4, 7.7e-05, 1.6481, 100),
                    ("main->exchange->MPI_Irecv", 4, 0.002435, 0.002435, 200),
                    ("main->exchange->MPI_Isend", 4, 0.000349, 0.000349, 200),
                    ("main->exchange->MPI_Waitall", 4, 1.645239, 1.645239, 100),
                    ("main->relax", 4, 0.16896, 0.16896, 100),
                    ("main->residual", 4, 0.025598, 0.252257, 20),
                    ("main->residual->MPI_Allreduce", 4, 0.226659, 0.226659, 20),
                    ("main->MPI_Reduce", 4, 3.8e-05, 3.8e-05, 1),
                ],
            ),
            (_RUNS, [("stencil", "atlas", 1792800000.0, 1, 4, 4194304.0, "gcc 12.2")]),
            (
                _SHARES,
                [
                    ("main", "ratio", 0.21234, 0.40112, 0.20331, 0.18004),
                    ("main->exchange", "ratio", 0.25001, 0.5103, 0.90002, 0.10045),
                    ("main->relax", "ratio", 0.30122, 0.01231, 0.68541, 0.00106),
                    ("main->residual", "ratio", 0.41002, 0.02011, 0.56033, 0.00954),
                ],
            ),
        ),
        enlarge=_enlarge_stream,
    ),
    Case(
        reader="caliper",
        sample=SPLIT,
        golden=(
            (
                _TIMES,
                [
                    (None, 2, 0.001251, 0.001251, None),
                    ("main", 2, 0.00266, 2.089083, None),
                    ("main->MPI_Bcast", 2, 0.01707, 0.01707, None),
                    ("main->exchange", 2, 7.7e-05, 1.6481, None),
                    ("main->exchange->MPI_Irecv", 2, 0.002435, 0.002435, None),
                    ("main->exchange->MPI_Isend", 2, 0.000349, 0.000349, None),
                    ("main->exchange->MPI_Waitall", 2, 1.645239, 1.645239, None),
                    ("main->relax", 2, 0.16896, 0.16896, None),
                    ("main->residual", 2, 0.025598, 0.252257, None),
                    ("main->residual->MPI_Allreduce", 2, 0.226658, 0.226658, None),
                    ("main->MPI_Reduce", 2, 3.8e-05, 3.8e-05, None),
                ],
            ),
            (
                "SELECT app, machine, nodes, ranks, problem_size FROM runs",
                [("stencil", "atlas", None, 2, None)],
            ),
        ),
        enlarge=_enlarge_split,
    ),
)
