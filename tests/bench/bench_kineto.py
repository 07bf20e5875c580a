"""A Kineto trace landed whole: pwh ingest against HolisticTraceAnalysis's parser, in turn.

python -m tests.bench.bench_kineto --hta PYTHON [--mib 200] [--runs 3]

PYTHON is the interpreter of an environment with HolisticTraceAnalysis. The trace is the sample's
training step, recorded by torch.profiler, again and again. HTA parses it into its data frame; pwh
lands it in a new warehouse with call paths, dependences and idle attribution. The total time and
number of every kernel by both must be equal.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import warehouse
from tests.bench.bench_hta import said
from tests.bench.common import PWH, fresh, in_turn, peak_child_mib
from tests.ingest.cases.chrome_trace import KINETO, enlarge_kineto

PARSE = """
import json, os, sys
os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
from hta.common.trace_parser import parse_trace_dataframe
from hta.configs.parser_config import ParserConfig
_, events, symbols = parse_trace_dataframe(sys.argv[1], ParserConfig.get_default_cfg())
names = symbols.get_sym_table()
kernels = events[events.cat == symbols.get_sym_id_map()["kernel"]].groupby("name").dur
found = {names[n]: (round(t * 1000), int(c)) for n, t, c in
         zip(kernels.sum().index, kernels.sum(), kernels.count())}
print(json.dumps(found))
"""
TOTALS = """
SELECT function, CAST(round(sum(seconds) * 1e9) AS BIGINT), CAST(sum(calls) AS BIGINT)
FROM fn_timings WHERE kind = 'kernel' GROUP BY function
"""


def main() -> None:
    """Print both times, the ratio, and whether the totals agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hta", help="interpreter with HolisticTraceAnalysis")
    parser.add_argument("--mib", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    check = [asked.hta, "-c", "import hta.common.trace_parser"]
    if asked.hta is None or subprocess.run(check, capture_output=True).returncode:
        print("No HolisticTraceAnalysis: name an interpreter that has it with --hta; nothing done.")
        return
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder), asked.hta, asked.mib, asked.runs)


def compare(folder: Path, hta: str, mib: int, runs: int) -> None:
    """Time both over the same trace, whole processes in turn."""
    enlarge_kineto(folder, (mib << 20) // KINETO.stat().st_size)
    trace = folder / KINETO.name
    for other in folder.glob("*.json"):
        if other != trace:
            other.unlink()
    found: dict[str, dict[str, tuple[int, int]]] = {}
    processor: dict[str, list[float]] = {"pwh": [], "hta": []}

    def ours() -> float:
        # Making a warehouse, a quarter of a second, happens once in its life.
        db = fresh(folder / "pwh.duckdb")
        warehouse.connect(db).close()
        began, worked = time.perf_counter(), child_seconds()
        said([*PWH, "--db", db, "ingest", trace, "--run", "r"])
        took = time.perf_counter() - began
        processor["pwh"].append(child_seconds() - worked)
        with warehouse.connect(db, read_only=True) as con:
            found["pwh"] = {name: (ns, n) for name, ns, n in con.execute(TOTALS).fetchall()}
        return took

    peaks: list[float] = []

    def theirs() -> float:
        peaks.append(peak_child_mib())
        began, worked = time.perf_counter(), child_seconds()
        kernels = json.loads(said([hta, "-c", PARSE, trace]).splitlines()[-1])
        found["hta"] = {name: (ns, n) for name, (ns, n) in kernels.items()}
        processor["hta"].append(child_seconds() - worked)
        return time.perf_counter() - began

    a, b, ratio = in_turn(ours, theirs, runs)
    print(f"{trace.stat().st_size / 1e6:.0f} MB of Kineto trace; medians of {runs} runs in turn")
    print(f"  pwh ingest {a:.2f} s, HTA parser {b:.2f} s, ratio {ratio:.3f}")
    own, other = (statistics.median(processor[name]) for name in ("pwh", "hta"))
    print(f"  processor time {own:.2f} s, {other:.2f} s, ratio {own / other:.3f}")
    print(f"  largest process of pwh {peaks[0]:.0f} MiB, of both {peak_child_mib():.0f} MiB")
    same = "equal" if found["pwh"] == found["hta"] else "NOT equal"
    print(f"  totals of {len(found['pwh'])} kernels: {same}")


def child_seconds() -> float:
    """Return the processor time of all finished child processes, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
