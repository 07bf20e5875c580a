"""Fifty Caliper profiles: pwh ingest against Thicket's loader, in turn, on the same files.

python -m tests.bench.bench_thicket --thicket PYTHON [--profiles FOLDER] [--files 50] [--runs 3]
    [--scale 1]

PYTHON is the interpreter of an environment with llnl-thicket. The files are copies of the profiles
of the folder, by default the recordings of RAJAPerf next to the project, with times that differ
from copy to copy; with --scale they have as many times the regions. What is compared is the
processor time from the start of each process to the end of loading: pwh stores the profiles in an
empty warehouse, Thicket builds its data frame in memory.
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

        def ours() -> float:
            warehouse.connect(fresh(db)).close()
            return processor_seconds([*PWH, "--db", db, "ingest", folder / "profiles"])

        loader, pwh, ratio = in_turn(lambda: processor_seconds(load), ours, asked.runs)
    print(f"{asked.files} profiles: pwh {pwh:.2f} s, Thicket {loader:.2f} s: {ratio:.1f} times")


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


def processor_seconds(command: list[object]) -> float:
    """Run a command to its end and return its processor time, s; raises where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([str(part) for part in command], check=True, **quiet)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
