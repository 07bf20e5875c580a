"""Clustering against R's package cluster: the gap statistic, CLARA, and how often they are right.

python -m tests.bench.bench_clustering [--runs 1] [--big-runs 5] [--seeds 100] [--only gap ...]

Needs Rscript with the package cluster (Debian: r-cran-cluster) for `gap`, `choice` and `clara`.
Both sides work on the same points in memory and are timed inside their own process, so that
neither start nor transfer counts; R has a process of its own for each timing.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa

import warehouse
from tests.bench.common import in_turn
from udfs.clustering.clara import clara
from udfs.clustering.gap import gap
from udfs.clustering.points import WORKERS

UNEVEN = (0.4, 0.25, 0.15, 0.1, 0.06, 0.04)
READ = """
library(cluster)
a <- commandArgs(TRUE)
n <- as.integer(a[2]); d <- as.integer(a[3])
x <- matrix(readBin(a[1], "double", n * d), n, byrow = TRUE)
set.seed(1)
"""
GAP = """
s <- system.time(t <- clusGap(x, clara, K.max = 10, B = 50, verbose = FALSE)$Tab)
cat(s[["elapsed"]], maxSE(t[, 3], t[, 4], "Tibs2001SEmax"))
"""
CLARA = """
s <- system.time(r <- clara(x, 6{options}))
cat(s[["elapsed"]], r$objective)
"""
VARIANTS = {
    "as it comes (samples = 5)": "",
    "rngR, pamLike": ", rngR = TRUE, pamLike = TRUE",
    "samples = 50, rngR, pamLike": ", samples = 50, rngR = TRUE, pamLike = TRUE",
}


def main() -> None:
    """Print a table a question."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1, help="timings of the gap statistic")
    parser.add_argument("--big-runs", type=int, default=5, help="timings of CLARA")
    parser.add_argument("--seeds", type=int, default=100, help="of the accuracy table")
    parts = {"gap": speed, "choice": choice, "clara": million, "accuracy": accuracy}
    parser.add_argument("--only", nargs="+", choices=parts, default=list(parts))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.only:
            parts[name](asked, Path(folder))


def blobs(seed: int, n: int, d: int, shares: tuple[float, ...] | None = None) -> np.ndarray:
    """Return n points of unit deviation around six random centres, at least 8 from one another."""
    rng = np.random.default_rng(seed)
    while True:
        centres = rng.uniform(-10, 10, (6, d))
        apart = np.linalg.norm(centres[:, None] - centres, axis=2)
        if apart[np.triu_indices(6, 1)].min() >= 8:
            return centres[rng.choice(6, n, p=shares)] + rng.normal(size=(n, d))


def cloud(seed: int, n: int, d: int) -> np.ndarray:
    """Return n points of one normal distribution."""
    return np.random.default_rng(seed).normal(size=(n, d))


def r(script: str, points: np.ndarray, folder: Path) -> tuple[float, float]:
    """Run R over some points; return the two numbers that it prints: seconds, and its answer."""
    file = folder / "points.bin"
    points.tofile(file)
    command = ["Rscript", "-e", READ + script, file, *map(str, points.shape)]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(found[0]), float(found[1])


def speed(asked: argparse.Namespace, folder: Path) -> None:
    """Time the gap statistic, k = 1..10 with 50 reference sets, on 5000 x 8 points."""
    points = blobs(1, 5000, 8)
    gap(points[:500], 2, 2)  # what is imported at the first call
    chosen = []

    def ours() -> float:
        began = time.perf_counter()
        chosen.append(gap(points, 10, 50, 1, WORKERS).k)
        return time.perf_counter() - began

    def theirs() -> float:
        seconds, k = r(GAP, points, folder)
        chosen.append(int(k))
        return seconds

    a, b, ratio = in_turn(ours, theirs, asked.runs)
    print(f"gap statistic, 5000 x 8, k = 1..10, 50 reference sets, {WORKERS} threads")
    print(f"  {a:.2f} s, R's clusGap(clara) {b:.2f} s: {1 / ratio:.1f} times faster (target 20)")
    print(f"  chosen k, ours and R's in turn: {chosen}")


def choice(asked: argparse.Namespace, folder: Path) -> None:
    """Compare the choice of k with the same rule on R's table."""
    print("choice of k on 300 points, k = 1..10, 50 reference sets, ten seeds each")
    print("  points            the same  ours right  R right")
    for d in (2, 4, 8):
        for name, shares in (("six even", None), ("six uneven", UNEVEN), ("one cloud", ())):
            pairs = []
            for seed in range(10):
                points = cloud(seed, 300, d) if shares == () else blobs(seed, 300, d, shares)
                ours = gap(points, 10, 50, seed, WORKERS).k
                pairs.append((ours, int(r(GAP, points, folder)[1])))
            right = 1 if shares == () else 6
            a, b = (sum(k == right for k in ks) for ks in zip(*pairs, strict=True))
            same = sum(x == y for x, y in pairs)
            print(f"  {name:10}, {d} dims  {same:8}  {a:10}  {b:7}", flush=True)


def million(asked: argparse.Namespace, folder: Path) -> None:
    """Time CLARA, k = 6, on 10^6 x 8 points; in SQL too."""
    print(f"CLARA, 10^6 x 8, k = 6, {WORKERS} threads; medians of {asked.big_runs} runs in turn")
    print("  points      against                      ours      R         ratio  mean distance")
    clara(cloud(1, 500, 8), 2)
    for name, points in (("six", blobs(1, 10**6, 8)), ("one cloud", cloud(1, 10**6, 8))):
        for variant, options in VARIANTS.items():
            means: dict[str, list[float]] = {"ours": [], "R": []}

            def ours(points: np.ndarray = points, means: dict = means) -> float:
                began = time.perf_counter()
                found = clara(points, 6, len(means["ours"]), WORKERS)
                took = time.perf_counter() - began
                means["ours"].append(found.cost / len(points))
                return took

            def theirs(
                points: np.ndarray = points, options: str = options, means: dict = means
            ) -> float:
                seconds, objective = r(CLARA.format(options=options), points, folder)
                means["R"].append(objective)
                return seconds

            a, b, ratio = in_turn(ours, theirs, asked.big_runs)
            worst, best = max(means["ours"]), min(means["R"])
            print(
                f"  {name:10}  {variant:27}  {a:5.2f} s   {b:5.2f} s   {ratio:5.2f}  "
                f"at most {worst:.4f}, R {best:.4f}",
                flush=True,
            )
        print(f"  {name:10}  in SQL, list and labels too   {in_sql(points, asked.big_runs):5.2f} s")


def in_sql(points: np.ndarray, runs: int) -> float:
    """Return the median time of a query that clusters the rows of a table, s."""
    con = warehouse.connect(":memory:")
    metrics = pa.FixedSizeListArray.from_arrays(pa.array(points.ravel()), points.shape[1])
    con.register("arrow", pa.table({"metrics": metrics.cast(pa.list_(pa.float64()))}))
    con.execute("CREATE TABLE points AS FROM arrow")
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        con.execute(
            "SELECT c.cost, len(c.labels) FROM (SELECT cluster_clara(list(metrics), 6) AS c "
            "FROM points)"
        ).fetchall()
        times.append(time.perf_counter() - began)
    con.close()
    return float(np.median(times))


def accuracy(asked: argparse.Namespace, folder: Path) -> None:
    """Count how often the gap statistic is right."""
    print(f"gap statistic over {asked.seeds} seeds, k = 1..10, 50 reference sets: k and how often")
    for d in (8, 4, 3, 2):
        for n in (300, 1000):
            made = {
                "six even": lambda s, n=n, d=d: blobs(s, n, d),
                "six uneven": lambda s, n=n, d=d: blobs(s, n, d, UNEVEN),
                "one cloud": lambda s, n=n, d=d: cloud(s, n, d),
            }
            for name, make in made.items():
                ks = Counter(gap(make(s), 10, 50, s, WORKERS).k for s in range(asked.seeds))
                print(f"  {name:10}  {n:5} x {d}  {dict(sorted(ks.items()))}", flush=True)


if __name__ == "__main__":
    main()
