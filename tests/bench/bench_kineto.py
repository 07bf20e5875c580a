"""A Kineto trace landed whole and reported on, against HolisticTraceAnalysis's answers, in turn.

python -m tests.bench.bench_kineto --hta PYTHON [--mib 200] [--runs 3] [--trace FILE]

PYTHON is the interpreter of an environment with HolisticTraceAnalysis. The trace is FILE, or the
sample's training step, recorded by torch.profiler, again and again. HTA parses it and answers what
tests/helpers/hta_answers.py asks; pwh lands it in a new warehouse with call paths, dependences,
idle attribution and all that is computed of them, and reports. The total time of every kernel
by both must be equal. Beside them: the JSON only decoded with msgspec, and its slices stored as
they are in a table of DuckDB.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import warehouse
from tests.bench.bench_hta import has_hta, said
from tests.bench.common import PWH, fresh, peak_child_mib
from tests.helpers import hta_answers
from tests.ingest.cases.chrome_trace import KINETO, enlarge_kineto

LIMIT = """
import sys
from pathlib import Path
import duckdb, msgspec, pyarrow as pa
from ingest.readers.tasks.chrome_trace.document import Event
class Trace(msgspec.Struct, gc=False):
    traceEvents: list[Event]
read = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Trace, strict=False).traceEvents
kept = [event for event in read if event.ph == "X"]
columns = {name: [getattr(event, name) for event in kept] for name in ("name", "cat")}
columns |= {name: [bytes(getattr(event, name)) for event in kept] for name in ("ts", "dur", "args")}
columns |= {name: [str(getattr(event, name)) for event in kept] for name in ("pid", "tid")}
slices = pa.table(columns)
with duckdb.connect(sys.argv[2]) as con:
    con.execute("CREATE TABLE slices AS FROM slices")
"""
TOTALS = """
SELECT name, sum(seconds) * 1e6 FROM gpu_kernels GROUP BY name
"""


def main() -> None:
    """Print both times, the ratio, and whether the totals agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hta", help="interpreter with HolisticTraceAnalysis")
    parser.add_argument("--mib", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--trace", type=Path, help="a Kineto trace, not compressed")
    asked = parser.parse_args()
    if not has_hta(asked.hta):
        print("No HolisticTraceAnalysis: name an interpreter that has it with --hta; nothing done.")
        return
    with tempfile.TemporaryDirectory() as folder:
        trace = asked.trace or enlarged(Path(folder), asked.mib)
        compare(Path(folder), trace, asked.hta, asked.runs)


def enlarged(folder: Path, mib: int) -> Path:
    """Return the sample, so long, alone in a folder."""
    enlarge_kineto(folder, (mib << 20) // KINETO.stat().st_size)
    trace = folder / KINETO.name
    for other in folder.glob("*.json"):
        if other != trace:
            other.unlink()
    return trace


def compare(folder: Path, trace: Path, hta: str, runs: int) -> None:
    """Time both over the same trace, whole processes in turn."""
    found: dict[str, dict[str, float]] = {}

    def ours() -> None:
        said([*PWH, "--db", db, "ingest", trace, "--run", "r"])
        said([*PWH, "--db", db, "report", "r"])

    def theirs() -> None:
        answers = json.loads(said([hta, hta_answers.__file__, trace]).splitlines()[-1])
        found["hta"] = {name: total for name, total, _ in answers["kernels"]}

    def limit() -> None:
        said([sys.executable, "-c", LIMIT, trace, fresh(folder / "limit.duckdb")])

    took: dict[str, list[tuple[float, float]]] = {"pwh": [], "HTA": [], "limit": []}
    for _ in range(runs):
        # Making a warehouse, a quarter of a second, happens once in its life.
        db = fresh(folder / "pwh.duckdb")
        warehouse.connect(db).close()
        took["pwh"].append(timed(ours))
        peak = peak_child_mib()
        with warehouse.connect(db, read_only=True) as con:
            found["pwh"] = dict(con.execute(TOTALS).fetchall())
        took["HTA"].append(timed(theirs))
        took["limit"].append(timed(limit))
    print(f"{trace.stat().st_size / 1e6:.0f} MB of Kineto trace; medians of {runs} runs in turn")
    for number, what in enumerate(("processor time", "time")):
        a, b, c = (statistics.median(each[number] for each in of) for of in took.values())
        print(f"  {what}: pwh ingest and report {a:.2f} s, HTA's answers {b:.2f} s")
        print(f"    ratio {a / b:.3f}")
        print(f"    JSON decoded and its slices stored: {c:.2f} s, ratio {c / b:.3f}")
    print(f"  largest process of pwh in the first run, or of an earlier one: {peak:.0f} MiB")
    same = found["pwh"].keys() == found["hta"].keys() and all(
        math.isclose(us, found["hta"][name], rel_tol=1e-6) for name, us in found["pwh"].items()
    )
    print(f"  totals of {len(found['pwh'])} kernels: {'equal' if same else 'NOT equal'}")


def timed(work: Callable[[], None]) -> tuple[float, float]:
    """Return the processor time of the child processes that `work` starts, and its time, s."""
    began, worked = time.perf_counter(), child_seconds()
    work()
    return child_seconds() - worked, time.perf_counter() - began


def child_seconds() -> float:
    """Return the processor time of all finished child processes, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
