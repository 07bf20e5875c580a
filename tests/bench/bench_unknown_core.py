"""A core that pwh does not know: fitted to some of its measured blocks, judged by the others.

python -m tests.bench.bench_unknown_core [FILE] [--relative zen3] [--fit 3000] [--test FILE]
    [--seed 0]

FILE is a CSV file (.gz) of hex,cycles: the recording of Cascade Lake, or what pwh measure-blocks
wrote; the blocks beyond those fitted to are judged, or those of --test. Printed are errors of the
predicted cycles, blocks in their band or flagged, and bounds that lie above the measured cycles.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import warehouse
from apps.fitting.cores import estimate_core, read_measured_blocks, store_core
from apps.fitting.throughput import make_fit, read_training_segments
from ingest.analyse import analyse_all
from tests.bench.bench_throughput_blocks import measured, tell
from tests.helpers.support import SHARED, land
from udfs.throughput.fitting import fit_throughput
from warehouse import models

CORE = "unknown"


def main() -> None:
    """Fit to a part of the blocks and print how the others are predicted."""
    parser = argparse.ArgumentParser(description=__doc__)
    recording = SHARED / "uarch" / "cascadelake" / "blocks.csv.gz"
    parser.add_argument("file", type=Path, nargs="?", default=recording)
    parser.add_argument("--relative", default="zen3")
    parser.add_argument("--fit", type=int, default=3000)
    parser.add_argument("--test", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    blocks = known(asked.file)
    order = np.random.default_rng(asked.seed).permutation(len(blocks))
    learnt = [blocks[k] for k in order[: asked.fit]]
    others = known(asked.test) if asked.test else [blocks[k] for k in order[asked.fit :]]
    con = warehouse.connect(":memory:")
    began = time.perf_counter()
    fit(con, learnt, asked.relative, asked.seed)
    print(f"fitted to {len(learnt)} blocks in {time.perf_counter() - began:.0f} s")
    judge(con, others)


def known(file: Path) -> list[tuple[str, float]]:
    """Return blocks with their cycles."""
    columns = measured(file)
    pairs = zip(columns["hex"], columns["cycles_per_iter"], strict=True)
    return [(text, cycles) for text, cycles in pairs if cycles]


def landed(con, blocks: list[tuple[str, float]], run: str) -> str:
    """Land blocks as a run of the core; return its id."""
    path = Path("unknown_core.csv")
    path.write_text("hex,cycles\n" + "".join(f"{text},{cycles}\n" for text, cycles in blocks))
    land(con, path, facts={"machine": CORE}, run_id=run)
    path.unlink()
    return run


def fit(con, blocks: list[tuple[str, float]], relative: str, seed: int) -> None:
    """Estimate the core and fit its model, as pwh fit throughput --core does."""
    landed(con, blocks, "learnt")
    found = read_measured_blocks(con, CORE, relative)
    store_core(con, found, *estimate_core(found, seed, tell))
    segments = read_training_segments(con, "code", CORE)
    fitted = fit_throughput(segments.samples, None, seed, tell)
    models.store(con, make_fit(segments, fitted, CORE, seed))
    analyse_all(con)


def judge(con, blocks: list[tuple[str, float]]) -> None:
    """Print how blocks are predicted that were not fitted to."""
    run = landed(con, blocks, "others")
    found = con.execute(
        "SELECT predicted_cycles, instructions / measured AS cycles, instructions / high AS low, "
        "instructions / low AS high, instructions / tightest_bound AS bound, "
        "len(flags) > 0 AS flagged "
        "FROM throughput_predictions WHERE run_id = ? AND predicted IS NOT NULL",
        [run],
    ).fetchnumpy()
    cycles, bound = found["cycles"], found["bound"]
    error = np.abs(found["predicted_cycles"] / cycles - 1)
    inside = (found["low"] <= cycles) & (cycles <= found["high"])
    told = inside | found["flagged"]
    print(f"{len(error)} of {len(blocks)} others predicted; errors of the cycles:")
    print(f"  median {np.median(error):.1%}, mean {error.mean():.1%}")
    print(f"  in the band {inside.mean():.1%}, in the band or flagged {told.mean():.1%}")
    above, plainly = np.mean(bound > cycles), np.mean(bound > 1.01 * cycles)
    print(f"  bounds above the measured cycles {above:.1%}, by over 1 % {plainly:.1%}")


if __name__ == "__main__":
    main()
