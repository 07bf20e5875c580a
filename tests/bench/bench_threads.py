"""Threads: one matrix against scipy's cdist, verdicts of a million threads, a log to its verdict.

    OMP_NUM_THREADS=2 python -m tests.bench.bench_threads [--runs 3] [--threads 1000000]

The matrix is timed from dense vectors to dense matrix on both sides, and for pwh also from the
rows of the warehouse. Launches of the verdict: threads of four kinds, and threads that all differ.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.spatial.distance import cdist

import warehouse
from tests.bench.bench_gpgpusim import write
from tests.bench.common import fresh, in_turn, peak_child_mib, timed
from tests.helpers.support import land
from udfs.similarity import distances

SELF = (sys.executable, "-m", "tests.bench.bench_threads")
SHAPE = (1024, 10_000)
SCIPY = {"euclidean": "euclidean", "manhattan": "cityblock"}
VISITS = """
    INSERT INTO bb_visits
    SELECT 'bench', 1, {launch}, 'k', t // {size}, t % {size} // 32, t % {size}, NULL, bb,
      CAST({visits} AS BIGINT) AS visits, 5 * visits
    FROM range({threads}) AS t(t), range(10) AS b(bb)
"""
LAUNCHES = {
    "four kinds, blocks of 256": (256, "1 + (t % 4) * (bb % 3)"),
    "all different, blocks of 256": (256, "1 + hash(t * 10 + bb) % 8"),
    "all different, blocks of 1024": (1024, "1 + hash(t * 10 + bb) % 8"),
}


def main() -> None:
    """Print a line a figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1_000_000)
    parser.add_argument("--blocks", type=int, default=106, help="thread blocks of the log")
    parser.add_argument("--ask", nargs=2, metavar=("DB", "LAUNCH"), help=argparse.SUPPRESS)
    parser.add_argument("--land", nargs=2, metavar=("DB", "LOG"), help=argparse.SUPPRESS)
    parser.add_argument("--verdict", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.ask:
        ask(asked.ask[0], int(asked.ask[1]))
    elif asked.land:
        land_log(asked.land[0], Path(asked.land[1]), verdict=asked.verdict)
    else:
        verdicts(asked.threads)
        log(asked.blocks, asked.runs)
        matrices(asked.runs)


def seconds(work: Callable[[], object]) -> float:
    """Time something."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def matrices(runs: int) -> None:
    """Compare the matrix of one thread block."""
    dense = np.random.default_rng(0).integers(0, 8, SHAPE).astype(np.float64)
    con = warehouse.connect(":memory:")
    thread, bb = np.nonzero(dense)
    con.register(
        "given", pa.table({"thread": thread, "bb": bb, "visits": dense[thread, bb].astype(int)})
    )
    con.execute(
        "INSERT INTO bb_visits SELECT 'bench', 1, 0, 'k', 0, thread // 32, thread, NULL, bb, "
        "visits, NULL FROM given"
    )
    print(f"matrix of {SHAPE[0]} threads x {SHAPE[1]} blocks; medians of {runs} runs in turn")
    for metric, name in SCIPY.items():
        query = f"FROM thread_distances('bench', 0, 0, metric := '{metric}')"
        found = con.execute(query).fetchnumpy()["distance"].reshape(SHAPE[0], -1)
        expected = cdist(dense, dense, name)
        worst = np.max(np.abs(found - expected) / np.where(expected, expected, 1))
        ours, theirs, ratio = in_turn(
            lambda m=metric: seconds(lambda: distances(dense, m, counts=True)),
            lambda n=name: seconds(lambda: cdist(dense, dense, n)),
            runs,
        )
        rows = statistics.median(
            seconds(lambda q=query: con.execute(q).fetchnumpy()) for _ in range(runs)
        )
        print(
            f"{metric:10}  pwh {ours:6.3f} s  cdist {theirs:6.3f} s  "
            f"{1 / ratio:5.1f} times faster (target 3)  "
            f"through SQL, a row a pair {rows:6.3f} s  worst relative difference {worst:.1g}"
        )
    con.close()


def verdicts(threads: int) -> None:
    """Time verdicts of large launches, each in a process of its own."""
    print(
        f"verdict of {threads} threads, {10 * threads} rows, whole process (target 20 s, 4096 MiB)"
    )
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "pwh.duckdb"
        con = warehouse.connect(db)
        for launch, (size, visits) in enumerate(LAUNCHES.values()):
            con.execute(VISITS.format(launch=launch, size=size, visits=visits, threads=threads))
        con.execute(
            "INSERT INTO bb_blocks (run_id, source_id, kernel, bb, size, barriers) "
            "SELECT 'bench', 1, 'k', bb, 5, bb % 3 // 2 FROM range(10) AS b(bb)"
        )
        con.close()
        for launch, name in enumerate(LAUNCHES):
            took = timed([*SELF, "--ask", db, str(launch)])
            print(f"{name:30}  {took:6.2f} s  {peak_child_mib():.0f} MiB at most so far")


def ask(db: str, launch: int) -> None:
    """Return the verdict on one launch."""
    con = warehouse.connect(db)
    query = "FROM thread_behaviour WHERE run_id = 'bench' AND launch = ?"
    print(con.execute(query, [launch]).fetchall())
    con.close()


def log(blocks: int, runs: int) -> None:
    """Time a level-5 log to its verdict, in one process, against its ingest alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "turns.log"
        write(path, blocks)
        db = Path(folder) / "pwh.duckdb"

        def ingest(*options: str) -> float:
            warehouse.connect(fresh(db)).close()
            return timed([*SELF, "--land", db, path, *options])

        both, alone, ratio = in_turn(lambda: ingest("--verdict"), ingest, runs)
        size = path.stat().st_size / 1e6
    print(
        f"a log of {size:.0f} MB: ingest {alone:.2f} s, to the verdict {both:.2f} s, "
        f"ratio {ratio:.2f} (target 1.3)"
    )


def land_log(db: str, path: Path, *, verdict: bool) -> None:
    """Ingest a log, and maybe give the verdict."""
    con = warehouse.connect(db)
    land(con, path)
    if verdict:
        print(con.execute("FROM thread_behaviour").fetchall())
    con.close()


if __name__ == "__main__":
    main()
