"""Machine-code blocks: accuracy on block families held out, speed beside llvm-mca, the model.

python -m tests.bench.bench_throughput_blocks [FILE] [--seed 0] [--copies 4] [--mca 2000]
    [--no-fit] [--core zen3] [--ship PARQUET]

FILE is the recording bb_tput_zen3_train.parquet, or a CSV file (.gz) of hex,cycles measured on the
core --core. The machine code is described as pwh ingest does
it, `--copies` times over with other displacements, so that blocks differ. llvm-mca (--mca blocks of
them, whole process, one file of many regions) is left out where it is not installed; with --mca 0
no speed is measured. Scores are
mean and median error and Kendall's tau of the predicted cycles. `--ship` writes the fitted model as
a file for sql/models.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import iced_x86 as ix
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv
from scipy.stats import kendalltau

import warehouse
from apps.fitting.throughput import KIND, TrainingSegments, make_fit
from tests.helpers.machine_code import features_of
from tests.helpers.support import SHARED
from udfs.throughput.algorithms import Samples, algorithms, train_boosting
from udfs.throughput.blocks import describe, describe_blocks
from udfs.throughput.boosting import folds, predict_boosting
from udfs.throughput.families import families
from udfs.throughput.features import FEATURES, LOG_BEST
from udfs.throughput.fitting import fit_throughput
from udfs.throughput.inputs import CODE
from warehouse import models

MCA = ("llvm-mca-14", "llvm-mca")
# How far measurements are trusted by the number of passes that agreed: 3, 4, more.
TRUST = np.array([0.6, 0.8, 1.0])
BOUNDS = {
    "width bound": "log_width",
    "loop-carried chain": "log_chain",
    "unit bound": "log_units",
    "tightest bound and simulation": LOG_BEST,
}

SOURCES = {
    "zen3": "BHive blocks on an AMD EPYC (Zen 3)",
    "cascadelake": "blocks of libraries on an Intel Xeon (Cascade Lake)",
}
LEAST = ("width", "critical_path", "unit")


def main() -> None:
    """Print speed, then the score table; write the model where one is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    recording = SHARED / "uarch" / "bb_tput_zen3_train.parquet"
    parser.add_argument("file", type=Path, nargs="?", default=recording)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--copies", type=int, default=4)
    parser.add_argument("--mca", type=int, default=2000)
    parser.add_argument("--no-fit", action="store_true")
    parser.add_argument("--core", default="zen3")
    parser.add_argument("--ship", type=Path)
    asked = parser.parse_args()
    columns = measured(asked.file)
    if asked.mca:
        speeds(columns["hex"], asked.copies, asked.mca)
    if not asked.no_fit:
        found = training_segments(columns, asked.core)
        began = time.perf_counter()
        table(found.samples, asked.seed)
        print(f"{len(found.samples.cycles)} blocks scored in {time.perf_counter() - began:.0f} s")
        if asked.ship:
            ship(found, asked.core, asked.seed, asked.ship)


def speeds(hexes: list[str], copies: int, mca: int) -> None:
    """Print how many blocks a second are described and predicted, and those of llvm-mca."""
    described, predicted = speed(hexes, copies), prediction_speed(hexes)
    theirs = mca_speed(hexes[:mca])
    if theirs:
        print(
            f"llvm-mca {theirs:.0f} blocks/s; features {described / theirs:.0f}, predictions "
            f"{predicted / theirs:.0f} times as many"
        )


def measured(file: Path) -> dict[str, list]:
    """Return the columns hex, cycles_per_iter and n_agree of measured blocks."""
    if file.suffix == ".parquet":
        return pq.read_table(file).to_pydict()
    rows = csv.read_csv(file).to_pydict()
    return {
        "hex": rows["hex"],
        "cycles_per_iter": rows["cycles"],
        "n_agree": [9] * len(rows["hex"]),
    }


def speed(hexes: list[str], copies: int) -> float:
    """Time the features of blocks that differ; return blocks a second."""
    blocks = hexes + [moved(text, copy) for copy in range(1, copies) for text in hexes]
    wall = time.perf_counter()
    found = describe_blocks(pa.array([blocks]), pa.array([False]), pa.nulls(1)).flatten()
    wall = time.perf_counter() - wall
    undecodable = found.field("features").null_count
    print(
        f"features of {len(blocks)} blocks ({len(set(blocks))} different, "
        f"{undecodable} undecodable): {wall:.2f} s; "
        f"{len(blocks) / wall:.0f} blocks/s"
    )
    return len(blocks) / wall


def prediction_speed(hexes: list[str], rows: int = 1 << 18) -> float:
    """Time the shipped model on features at hand, as after ingest; return blocks a second."""
    file = next(path for path in models.shipped_files() if path.stem == "throughput-zen3")
    arrays = {
        array["name"]: np.reshape(array["values"], array["shape"])
        for array in pq.read_table(file).to_pylist()[0]["model_arrays"]
    }
    x = np.resize(features_of(hexes), (rows, len(FEATURES)))
    wall, cpu = time.perf_counter(), time.process_time()
    predict_boosting(x, arrays)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(
        f"predictions with bands of {rows} blocks: {wall:.2f} s, {cpu:.2f} s of processors; "
        f"{rows / wall:.0f} blocks/s"
    )
    return rows / wall


def moved(text: str, copy: int) -> str:
    """Return a block with other displacements, so that no instruction with one is known yet."""
    code = bytearray.fromhex(text)
    decoder, at = ix.Decoder(64, bytes(code)), 0
    for instruction in decoder:
        places = decoder.get_constant_offsets(instruction)
        if places.displacement_size == 4:
            where = at + places.displacement_offset
            value = int.from_bytes(code[where : where + 4], "little") + 64 * copy
            code[where : where + 4] = (value & 0xFFFFFFFF).to_bytes(4, "little")
        at += instruction.len
    return code.hex()


def mca_speed(hexes: list[str]) -> float | None:
    """Time llvm-mca on blocks, all in one file; return blocks a second, None without llvm-mca."""
    tool = next((found for name in MCA if (found := shutil.which(name))), None)
    if tool is None or not hexes:
        print("llvm-mca is not installed" if hexes else "llvm-mca: not asked for")
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "blocks.s"
        for _ in range(20):
            file.write_text("".join(region(k, text) for k, text in enumerate(hexes)))
            command = (tool, "-mtriple=x86_64", "-mcpu=znver3", "-summary-view", str(file))
            began = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True)
            took = time.perf_counter() - began
            if done.returncode == 0:
                print(f"llvm-mca took {took:.2f} s for {len(hexes)} blocks")
                return len(hexes) / took
            hexes = without_refused(hexes, file.read_text(), done.stderr)
    print("llvm-mca takes none of the blocks")
    return None


def region(number: int, text: str) -> str:
    """Return a block as a region of assembly."""
    formatter = ix.Formatter(ix.FormatterSyntax.GAS)
    lines = [formatter.format(i) for i in ix.Decoder(64, bytes.fromhex(text))]
    body = "\n".join(lines)
    return f"# LLVM-MCA-BEGIN b{number}\n{body}\n# LLVM-MCA-END\n"


def without_refused(hexes: list[str], assembly: str, complaints: str) -> list[str]:
    """Leave out the blocks in whose lines llvm-mca found errors."""
    places = [line.split(":") for line in complaints.splitlines() if ": error:" in line]
    wrong = {int(parts[1]) for parts in places if len(parts) > 1 and parts[1].isdigit()}
    block, out = -1, set()
    for number, line in enumerate(assembly.splitlines(), 1):
        block += line.startswith("# LLVM-MCA-BEGIN")
        if number in wrong:
            out.add(block)
    return [text for k, text in enumerate(hexes) if k not in out]


def training_segments(columns: dict[str, list], core: str) -> TrainingSegments:
    """Describe the measured blocks as `pwh fit throughput` takes them, with how far to trust."""
    with warehouse.connect(":memory:") as con:
        query = "SELECT costs FROM _cores WHERE of_core = ?"
        (costs,) = con.execute(query, [core]).fetchone() or (None,)
    table = describe(columns["hex"], False, costs)
    known = np.asarray(table["features"].is_valid())
    x = np.stack(table["features"].filter(known).to_numpy()).astype(np.float64)
    code = table["code"].combine_chunks().filter(pa.array(known))
    hexes = [text for text, good in zip(columns["hex"], known, strict=True) if good]
    samples = Samples(
        x,
        cycles=np.array(columns["cycles_per_iter"])[known],
        bounds=np.stack([code.field(f"{name}_cycles").to_numpy() for name in LEAST], axis=1),
        instructions=x[:, FEATURES.index("n_instructions")],
        groups=families(hexes).astype(np.str_),
        width=np.full(len(x), float(costs["width"])),
        inputs=CODE,
        is_code=True,
        weights=TRUST[np.clip(np.array(columns["n_agree"])[known] - 3, 0, 2)],
    )
    return TrainingSegments("code", samples, None, {})


def table(samples: Samples, seed: int) -> None:
    """Print the scores on a fifth held out, a line an algorithm and measure."""
    y = np.log(samples.cycles)
    for split, groups in (
        ("block families held out", samples.groups.astype(np.int64)),
        ("random fifth held out", np.arange(len(y))),
    ):
        held = folds(groups, 5, seed) == 0
        part, test = samples.at(np.flatnonzero(~held)), samples.at(np.flatnonzero(held))
        logs = {name: f(test) for name, f in algorithms(part, part.trust, seed).items()}
        logs |= {name: test.x[:, FEATURES.index(column)] for name, column in BOUNDS.items()}
        for name, found in logs.items():
            error = np.abs(np.expm1(found - y[held]))
            tau = kendalltau(found, y[held])[0]
            print(f"{split:24} {name:30} {error.mean():7.1%} {np.median(error):7.1%} {tau:6.3f}")
        if split.startswith("block"):
            # Bands are worth knowing where they are hard: on families that were not seen.
            arrays = train_boosting(part, part.trust, seed)
            _, low, high = predict_boosting(test.x, arrays)
            inside = np.mean((low <= y[held]) & (y[held] <= high))
            print(f"{split:24} {'in the band of boosting':30} {inside:7.1%}")


def tell(what: str, left: float | None = None) -> None:
    """Show progress."""
    print(what, file=sys.stderr, flush=True)


def ship(found: TrainingSegments, core: str, seed: int, path: Path) -> None:
    """Fit as `pwh fit throughput` does, and write what every warehouse takes in when it is made."""
    fitted = fit_throughput(found.samples, None, seed, tell)
    fit = make_fit(found, fitted, core, seed)
    fit = replace(fit, description=f"{SOURCES.get(core, core)}: {fit.description}")
    con = warehouse.connect(":memory:")
    models.export(con, KIND, models.store(con, fit), path)
    con.close()
    print(f"{path.name}: {fit.algorithm} in {fitted.seconds:.0f} s, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
