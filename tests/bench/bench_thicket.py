"""Fifty Caliper profiles: pwh ingest against Thicket's loader, in turn, on the same files.

python -m tests.bench.bench_thicket --thicket PYTHON [--profiles FOLDER] [--files 50] [--runs 3]
    [--scale 1]

PYTHON is the interpreter of an environment with llnl-thicket. The files are copies of the profiles
of the folder, by default the recordings of RAJAPerf next to the project, with times that differ
from copy to copy; with --scale they have as many times the regions. Two things are compared, both
in processor time: the loaders, which read the profiles into tables in memory (Thicket's data frame,
the Arrow tables of pwh's reader), after their libraries were imported; and the whole commands, from
the start of each process to the end of loading, where pwh stores the profiles in an empty
warehouse.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import warehouse
from tests.bench.common import PWH, fresh, in_turn
from tests.ingest.case import SHARED

LOAD = """
import glob, sys, time
import thicket
begin = time.process_time()
found = thicket.Thicket.from_caliperreader(sorted(glob.glob(sys.argv[1] + "/*.cali")))
print(time.process_time() - begin)
assert len(found.profile) == int(sys.argv[2]), found.profile
"""
READ = """
import sys, time
from pathlib import Path
import pandas, pyarrow.compute
from ingest.readers.profiles.caliper import reader, records, rows, split
from ingest.recording import Recording
begin = time.process_time()
files = sorted(Path(sys.argv[1]).glob("*.cali"))
found = [list(reader.Caliper().read(Recording((file,)))) for file in files]
print(time.process_time() - begin)
assert len(found) == int(sys.argv[2]), len(found)
"""
_REGION = re.compile(rb"^__rec=ctx,ref=(\d+)", re.MULTILINE)
_OF_REGION = re.compile(rb"__rec=(?:node,id=\d+,attr=\d+,data=|ctx,ref=)")
_ID = re.compile(rb"\b(id=|ref=|parent=)(\d+)")
_NAME = re.compile(rb"^__rec=node,id=\d+,attr=\d+,data=")
_FRACTION = re.compile(rb"(?<==)\d+\.\d{3,}(?=[,=\n])")


def main() -> None:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--thicket", required=True, help="interpreter with llnl-thicket")
    parser.add_argument("--profiles", type=Path, default=SHARED / "pmu/rajaperf_topdown")
    parser.add_argument("--files", type=int, default=50)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scale", type=int, default=1, help="times as many regions in each file")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copies(
            sorted(asked.profiles.rglob("*.cali")), folder / "profiles", asked.files, asked.scale
        )
        db = folder / "w.duckdb"
        load = [asked.thicket, "-c", LOAD, folder / "profiles", str(asked.files)]
        read = [sys.executable, "-c", READ, folder / "profiles", str(asked.files)]

        def ours() -> float:
            warehouse.connect(fresh(db)).close()
            return processor_seconds([*PWH, "--db", db, "ingest", folder / "profiles"])

        loaders = in_turn(lambda: printed_seconds(load), lambda: printed_seconds(read), asked.runs)
        commands = in_turn(lambda: processor_seconds(load), ours, asked.runs)
    for what, (thicket, pwh, ratio) in (("loaders", loaders), ("commands", commands)):
        print(
            f"{asked.files} profiles, {what}: pwh {pwh:.2f} s, Thicket {thicket:.2f} s: "
            f"{ratio:.1f} times"
        )


def copies(profiles: list[Path], folder: Path, count: int, scale: int = 1) -> None:
    """Write copies of profiles in turn, each with times of its own, `scale` times as long."""
    folder.mkdir()
    for number in range(count):
        data = _longer(profiles[number % len(profiles)].read_bytes(), scale)
        factor = 1 + number / 1000
        changed = _FRACTION.sub(lambda found, by=factor: b"%.6f" % (float(found[0]) * by), data)
        (folder / f"profile{number}.cali").write_bytes(changed)


def _longer(data: bytes, scale: int) -> bytes:
    """Return a profile with each region repeated under other names."""
    regions = set(_REGION.findall(data))
    lines = data.splitlines(keepends=True)
    own = [line for line in lines if _OF_REGION.match(line) and not regions.isdisjoint(_ids(line))]
    more = [_copied(line, regions, copy) for copy in range(1, scale) for line in own]
    return b"".join([*lines[:-1], *more, lines[-1]])


def _ids(line: bytes) -> list[bytes]:
    return [found[2] for found in _ID.finditer(line)]


def _copied(line: bytes, regions: set[bytes], copy: int) -> bytes:
    """Return the line of a region's copy, which has another name and another id."""

    def other(found: re.Match[bytes]) -> bytes:
        return found[0] + b"%05d" % copy if found[2] in regions else found[0]

    return _NAME.sub(rb"\g<0>%d." % copy, _ID.sub(other, line))


def printed_seconds(command: list[object]) -> float:
    """Run a command whose last line says how long it took, s; raises where it fails."""
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True)
    return float(done.stdout.split()[-1])


def processor_seconds(command: list[object]) -> float:
    """Run a command to its end and return its processor time, s; raises where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([str(part) for part in command], check=True, **quiet)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
