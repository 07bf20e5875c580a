"""Accuracy of the bottleneck classifiers on programs held out, and the model that ships.

python -m tests.bench.bench_bottleneck_accuracy [FILE] [--folds 30] [--seed 0] [--ship PARQUET]

FILE is the recording pmu_gem5_train.parquet; the other columns than those of events say what is
known of a window. `--ship` writes the fitted model as a file for sql/models.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import warehouse
from tests.helpers.support import SHARED
from udfs.bottleneck.fit import Fitted, fit
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


def gem5(path: Path) -> Training:
    """Read the windows; certain ones are labelled, and families are the kernels' first letters."""
    columns = pq.read_table(path).to_pydict()
    cycles = np.array(columns["cycles"], float)
    metrics = np.stack([np.array(columns[e], float) / cycles for e in EVENTS.values()], axis=1)
    metrics[:, 0] /= np.array(columns["issue_width"], float)
    certain = zip(columns["label"], columns["label_certain"], strict=True)
    shares = np.array([columns[f"frac_{cause.lower()}"] for cause in CAUSES], float).T
    # Without DMA there is nothing to cure.
    idle = np.isfinite(shares[:, 0]) & (metrics[:, list(EVENTS).index("DMAGPC")] == 0)
    shares[idle, CAUSES.index("DMA")] = 0
    programs = np.array(columns["program"])
    return Training(
        names=tuple(EVENTS),
        metrics=metrics,
        labels=np.array([CLASSES.index(name) if sure else -1 for name, sure in certain]),
        programs=programs,
        families=np.array([name.split("_")[0] for name in programs]),
        shares=shares,
    )


def main() -> None:
    """Print the score table; write the model where one is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    recording = SHARED / "uarch" / "pmu_gem5_train.parquet"
    parser.add_argument("file", type=Path, nargs="?", default=recording)
    parser.add_argument("--folds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ship", type=Path)
    asked = parser.parse_args()
    began = time.perf_counter()
    fitted = fit(gem5(asked.file), seed=asked.seed, folds=asked.folds, progress=tell)
    table(fitted)
    print(f"chosen: {fitted.algorithm}; {time.perf_counter() - began:.0f} s")
    if asked.ship:
        ship(fitted, asked.seed, asked.ship)


def tell(what: str) -> None:
    """Show progress."""
    print(what, file=sys.stderr, flush=True)


def table(fitted: Fitted) -> None:
    """Print the scores, split by split, a line an algorithm and measure."""
    for algorithm, split, measure, value in sorted(fitted.scores, key=lambda s: (s[1], s[2], s[0])):
        print(f"{split:56} {measure:36} {algorithm:22} {value:.3f}")
    for layers, nodes, measure, value in fitted.search:
        print(f"autoencoder of {layers} x {nodes:<40} {measure:36} {value:.3f}")


def ship(fitted: Fitted, seed: int, path: Path) -> None:
    """Write the model as a file that every warehouse takes in when it is made."""
    con = warehouse.connect(":memory:")
    version = models.store(
        con,
        models.Fit(
            kind="bottlenecks",
            subject="gem5",
            algorithm=fitted.algorithm,
            inputs=list(EVENTS),
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
