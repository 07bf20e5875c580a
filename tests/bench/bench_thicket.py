"""Fifty Caliper profiles: pwh ingest against Thicket's loader, in turn, on the same files.

python -m tests.bench.bench_thicket --thicket PYTHON [--profiles FOLDER] [--files 50] [--runs 3]

PYTHON is the interpreter of an environment with llnl-thicket. The files are copies of the profiles
of the folder, by default the recordings of RAJAPerf next to the project, with times that differ
from copy to copy. What is compared is the processor time from the start of each process to the end
of loading: pwh stores the profiles in an empty warehouse, Thicket builds its data frame in memory.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import tempfile
from pathlib import Path

import warehouse
from tests.bench.common import PWH, fresh, in_turn
from tests.ingest.case import SHARED

LOAD = """
import glob, sys
import thicket
found = thicket.Thicket.from_caliperreader(sorted(glob.glob(sys.argv[1] + "/*.cali")))
assert len(found.profile) == int(sys.argv[2]), found.profile
"""
_FRACTION = re.compile(rb"(?<==)\d+\.\d{3,}(?=[,=\n])")


def main() -> None:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--thicket", required=True, help="interpreter with llnl-thicket")
    parser.add_argument("--profiles", type=Path, default=SHARED / "pmu/rajaperf_topdown")
    parser.add_argument("--files", type=int, default=50)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copies(sorted(asked.profiles.rglob("*.cali")), folder / "profiles", asked.files)
        db = folder / "w.duckdb"
        load = [asked.thicket, "-c", LOAD, folder / "profiles", str(asked.files)]

        def ours() -> float:
            warehouse.connect(fresh(db)).close()
            return processor_seconds([*PWH, "--db", db, "ingest", folder / "profiles"])

        loader, pwh, ratio = in_turn(lambda: processor_seconds(load), ours, asked.runs)
    print(f"{asked.files} profiles: pwh {pwh:.2f} s, Thicket {loader:.2f} s: {ratio:.1f} times")


def copies(profiles: list[Path], folder: Path, count: int) -> None:
    """Write copies of profiles in turn, each with times of its own."""
    folder.mkdir()
    for number in range(count):
        data = profiles[number % len(profiles)].read_bytes()
        factor = 1 + number / 1000
        changed = _FRACTION.sub(lambda found, by=factor: b"%.6f" % (float(found[0]) * by), data)
        (folder / f"profile{number}.cali").write_bytes(changed)


def processor_seconds(command: list[object]) -> float:
    """Run a command to its end and return its processor time, s; raises where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([str(part) for part in command], check=True, **quiet)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
