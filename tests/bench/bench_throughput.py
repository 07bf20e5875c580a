"""Throughput: unseen programs and block families, what the reduction costs, a million predictions.

python -m tests.bench.bench_throughput [--only traces|blocks|million] [--blocks 20000] [--ship FILE]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import warehouse
from apps.fitting.throughput import KIND, make_fit, read_training_segments
from tests.bench.bench_plain import fresh
from tests.helpers.support import SHARED, land
from udfs.throughput.algorithms import algorithms
from udfs.throughput.fitting import Fitted, fit_throughput
from warehouse import models

TRACES = SHARED / "uarch" / "seg_gem5_train.parquet"
BLOCKS = SHARED / "uarch" / "bb_tput_zen3_train.parquet"
# Kernels made to have one bottleneck are named so; the others are real programs.
KERNELS = ("b_", "d_", "i_", "m_", "o_")
ROWS = 1_000_000
EXPLAINED = 10_000
MANY = {
    "traced segments": "INSERT INTO segments BY NAME SELECT s.* REPLACE ('many' AS run_id, "
    "1 AS source_id, row_number() OVER () - 1 AS segment) FROM segments AS s, range({copies}) "
    "WHERE s.hex IS NULL LIMIT {rows}",
    "blocks": "INSERT INTO segment_features BY NAME SELECT s.* REPLACE ('coded' AS run_id, "
    "1 AS source_id, row_number() OVER () - 1 AS segment) FROM segment_features AS s, "
    "range({copies}) LIMIT {rows}",
}


def main() -> None:
    """Print the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("traces", "blocks", "million"))
    parser.add_argument("--blocks", type=int, default=20_000)
    parser.add_argument("--ship", type=Path, help="write the model of the traces there")
    asked = parser.parse_args()
    con = warehouse.connect(":memory:")
    if asked.only in (None, "traces"):
        land(con, TRACES)
        traces(con, asked.ship)
    if asked.only in (None, "blocks"):
        blocks(con, asked.blocks)
    if asked.only in (None, "million"):
        million()


def traces(con, ship: Path | None) -> None:
    """Leave one real program out after the other; the lab's kernels are only learned from."""
    samples = read_training_segments(con, "trace").samples
    real = [p for p in np.unique(samples.groups) if not p.startswith(KERNELS)]
    print(f"gem5 segments: each of {len(real)} real programs left out in turn, the issue")
    print("distribution not used; errors of the predicted cycles, and of instructions per cycle")
    logs: dict[str, list] = {}
    tests = []
    for program in real:
        held = samples.groups == program
        part = samples.at(np.flatnonzero(~held))
        _, group, size = np.unique(part.groups, return_inverse=True, return_counts=True)
        tests.append(np.flatnonzero(held))
        for name, predict in algorithms(part, 1 / np.sqrt(size[group]), seed=0).items():
            logs.setdefault(name, []).append(predict(samples.at(tests[-1])))
    actual = np.log(samples.cycles[np.concatenate(tests)])
    print("algorithm           MAPE cycles  median  MAPE IPC")
    for name, parts in logs.items():
        off = np.concatenate(parts) - actual
        cycles, ipc = np.abs(np.expm1(off)), np.abs(np.expm1(-off))
        print(f"{name:18}  {cycles.mean():11.1%}  {np.median(cycles):6.1%}  {ipc.mean():8.1%}")
    # The band of a program from the errors of the others.
    errors = [
        -(part - np.log(samples.cycles[t]))
        for part, t in zip(logs["combined bounds"], tests, strict=True)
    ]
    inside = []
    for k, own in enumerate(errors):
        low, high = np.quantile(np.concatenate(errors[:k] + errors[k + 1 :]), (0.04, 0.96))
        inside.append((own >= low) & (own <= high))
    print(f"in the band by other programs: {np.concatenate(inside).mean():.1%}")
    fitted = scored("gem5 segments, programs held out by tenths", samples, None)
    if ship is not None:
        gathered = read_training_segments(con, "trace")
        version = models.store(con, make_fit(gathered, fitted, "gem5", 0))
        models.export(con, KIND, version, ship)
    scored("the same with the reduction", samples, (200, 0.15))


def blocks(con, count: int) -> None:
    """Fit to measured blocks with the reduction, as `pwh fit throughput --reduce` does."""
    con.execute(
        "CREATE TABLE some_blocks AS SELECT hex, cycles_per_100 FROM read_parquet(?) LIMIT ?",
        [str(BLOCKS), count],
    )
    path = fresh(Path("some_blocks.parquet"))
    con.execute("COPY some_blocks TO 'some_blocks.parquet'")
    began = time.perf_counter()
    land(con, path)
    print(f"\n{count} blocks landed, decoded and described in {time.perf_counter() - began:.1f} s")
    path.unlink()
    scored(f"{count} Zen 3 blocks", read_training_segments(con, "code").samples, (200, 0.15))


def scored(title: str, samples, reduction) -> Fitted:
    """Fit, and print the score table and what the reduction did."""
    fitted = fit_throughput(samples, reduction)
    print(f"\n{title}: {len(samples.cycles)} segments, fitted in {fitted.seconds:.0f} s")
    if fitted.thinned is not None:
        print(fitted.thinned)
    values = {(name, split, what): value for name, split, what, value in fitted.scores}
    splits = list(dict.fromkeys(split for _, split, *_ in fitted.scores))
    print(f"algorithm           {splits[0]}: mean, median, tau     {splits[1]}: mean, median, tau")
    for name in dict.fromkeys(name for name, *_ in fitted.scores):
        cells = [
            f"{values[name, split, 'mean error']:8.1%} {values[name, split, 'median error']:8.1%} "
            f"{values[name, split, chr(75) + 'endall' + chr(39) + 's tau']:6.2f}"
            for split in splits
        ]
        print(f"{name:18}  {'        '.join(cells)}")
    print(f"chosen: {fitted.algorithm}")
    return fitted


def million() -> None:
    """Time predictions of a million segments through the SQL view, by the shipped models.

    And the effects of groups of features on some of them.
    """
    con = warehouse.connect(":memory:")
    land(con, TRACES)
    land(con, BLOCKS, reader="machine-code")
    con.execute("INSERT INTO runs BY NAME SELECT unnest(['many', 'coded']) AS run_id")
    for (name, sql), run in zip(MANY.items(), ("many", "coded"), strict=True):
        con.execute(sql.format(copies=1000, rows=ROWS))
        began = time.perf_counter()
        found = con.execute(
            "SELECT count(predicted), avg(predicted) FROM throughput_predictions WHERE run_id = ?",
            [run],
        ).fetchone()
        seconds = time.perf_counter() - began
        print(f"{name}: {found[0]} predictions, mean {found[1]:.3f}, in {seconds:.1f} s (target 5)")
        began = time.perf_counter()
        found = con.execute(
            "SELECT count(*) FROM throughput_effects WHERE run_id = ? AND segment < ?",
            [run, EXPLAINED],
        ).fetchone()
        seconds = time.perf_counter() - began
        print(f"{name}: effects of {EXPLAINED} segments, {found[0]} rows, in {seconds:.1f} s")


if __name__ == "__main__":
    main()
