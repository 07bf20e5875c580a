"""Accuracy of the bottleneck classifiers on programs held out, and the models that ship.

python -m tests.bench.bench_bottleneck_accuracy [FOLDER] [--metric-set gem5-l2] [--folds 10]
    [--seed 0] [--search] [--ship PARQUET]

FOLDER has the recordings pmu_gem5_train.parquet and seg_gem5_train.parquet; columns other than
those of events say what is known of a window. `--search` searches the autoencoder's shape; `--ship`
writes the fitted model as a file for sql/models.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow.parquet as pq

import warehouse
from tests.helpers.support import SHARED
from udfs.bottleneck.fit import DEFAULT_SHAPE, SEARCH, Fitted, fit
from udfs.bottleneck.training import CAUSES, CLASSES, Training
from warehouse import models

EVENTS = {
    "IPC": "uops",
    "L1ICAPC": "l1i_accesses",
    "L2ICAPC": "l2i_accesses",
    "L2ICMPC": "l2i_misses",
    "ITBMPC": "itb_misses",
    "DTBMPC": "dtb_misses",
    "L3MPC": "l3_misses",
    "MEMRPC": "mem_reads",
    "MEMWPC": "mem_writes",
    "DMAGPC": "dma_ops",
    "DMABPC": "dma_bytes",
    "BRMPC": "mispredicts",
}
METRIC_SETS = {"gem5": EVENTS, "gem5-l2": {**EVENTS, "L2DMPC": "l2d_misses"}}
# Costs were measured on core A only. Core E, on which nothing misses, tells how much of the time of
# a kernel is lost to misses on A and on B; on B the components share the loss as on A. A component
# without events there costs nothing.
SHARES_OF_B = """
    WITH
      ideal AS (
        SELECT program, args, sum(uops) / sum(cycles) AS rate
        FROM read_parquet($segments)
        WHERE config = 'E'
        GROUP BY ALL
      ),
      windows AS (
        SELECT
          program, args, config, sum(uops) / sum(cycles) AS rate,
          sum(mem_reads) / sum(cycles) > 5e-5 AS reads,
          any_value(frac_mem) AS mem, any_value(frac_dtb) AS dtb, any_value(frac_icache) AS icache
        FROM read_parquet($windows)
        GROUP BY ALL
      )
    SELECT
      program, args,
      greatest(1 - b.rate / ideal.rate, 0) / greatest(1 - a.rate / ideal.rate, 0.02) AS loss,
      CASE WHEN b.reads THEN greatest(a.mem, 0) * least(loss, 1.2) ELSE 0 END AS mem,
      greatest(a.dtb, 0) * least(loss, 1.2) AS dtb,
      greatest(a.icache, 0) * least(loss, 1.2) AS icache
    FROM windows AS a
    JOIN windows AS b USING (program, args)
    JOIN ideal USING (program, args)
    WHERE a.config = 'A' AND b.config = 'B'
"""


def gem5(folder: Path, metric_set: str) -> Training:
    """Read the windows; certain ones are labelled, and families are the kernels' first letters."""
    events = METRIC_SETS[metric_set]
    columns = pq.read_table(folder / "pmu_gem5_train.parquet").to_pydict()
    cycles = np.array(columns["cycles"], float)
    metrics = np.stack([np.array(columns[e], float) / cycles for e in events.values()], axis=1)
    metrics[:, 0] /= np.array(columns["issue_width"], float)
    certain = zip(columns["label"], columns["label_certain"], strict=True)
    shares = np.array([columns[f"frac_{cause.lower()}"] for cause in CAUSES], float).T
    of_b = shares_of_b(folder)
    places = list(zip(columns["program"], columns["args"], columns["config"], strict=True))
    for i, (program, args, config) in enumerate(places):
        if config == "B" and (program, args) in of_b:
            shares[i, :3] = of_b[program, args]
    # Without DMA there is nothing to cure.
    dma = CAUSES.index("DMA")
    idle = np.isfinite(shares[:, 0]) & (metrics[:, list(events).index("DMAGPC")] == 0)
    shares[idle & np.isnan(shares[:, dma]), dma] = 0
    programs = np.array(columns["program"])
    return Training(
        names=tuple(events),
        metrics=metrics,
        labels=np.array([CLASSES.index(name) if sure else -1 for name, sure in certain]),
        programs=programs,
        families=np.array([name.split("_")[0] for name in programs]),
        runs=np.array([" ".join(place) for place in places]),
        shares=shares,
    )


def shares_of_b(folder: Path) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return the cost shares of memory, data TLB and instruction cache on core B, by kernel."""
    names = {"segments": "seg_gem5_train.parquet", "windows": "pmu_gem5_train.parquet"}
    found = duckdb.execute(SHARES_OF_B, {key: str(folder / name) for key, name in names.items()})
    return {(program, args): tuple(shares) for program, args, _, *shares in found.fetchall()}


def main() -> None:
    """Print the score table; write the model where one is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=SHARED / "uarch")
    parser.add_argument("--metric-set", choices=METRIC_SETS, default="gem5-l2")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--search", action="store_true")
    parser.add_argument("--ship", type=Path)
    asked = parser.parse_args()
    began = time.perf_counter()
    fitted = fit(
        gem5(asked.folder, asked.metric_set),
        seed=asked.seed,
        folds=asked.folds,
        shapes=SEARCH if asked.search else (DEFAULT_SHAPE,),
        progress=tell,
    )
    table(fitted)
    print(f"chosen: {fitted.algorithm}; {time.perf_counter() - began:.0f} s")
    if asked.ship:
        ship(fitted, asked.metric_set, asked.seed, asked.ship)


def tell(what: str, left: float | None = None) -> None:
    """Show progress."""
    print(what, file=sys.stderr, flush=True)


def table(fitted: Fitted) -> None:
    """Print the scores, split by split, a line an algorithm and measure."""
    for algorithm, split, measure, value in sorted(fitted.scores, key=lambda s: (s[1], s[2], s[0])):
        print(f"{split:56} {measure:36} {algorithm:22} {value:.3f}")
    for layers, nodes, measure, value in fitted.search:
        print(f"autoencoder of {layers} x {nodes:<40} {measure:36} {value:.3f}")


def ship(fitted: Fitted, metric_set: str, seed: int, path: Path) -> None:
    """Write the model as a file that every warehouse takes in when it is made."""
    con = warehouse.connect(":memory:")
    version = models.store(
        con,
        models.Fit(
            kind="bottlenecks",
            subject=metric_set,
            algorithm=fitted.algorithm,
            inputs=list(METRIC_SETS[metric_set]),
            description=f"gem5 kernels: {fitted.description}",
            seed=seed,
            arrays=fitted.arrays,
            scores=fitted.scores,
            history=fitted.history,
            search=fitted.search,
        ),
    )
    models.export(con, "bottlenecks", version, path)
    con.close()


if __name__ == "__main__":
    main()
