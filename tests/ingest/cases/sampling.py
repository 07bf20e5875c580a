"""The contract's cases of sampling profiles.

The samples are of small programs: perf 6.1 (perf record -F 997 -g, perf script --header; host and
processor replaced), py-spy 0.4 (raw and speedscope), Go 1.19, Node.js 20 and R 4.2.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.ingest.case import SAMPLES, Case
from tests.ingest.pprof_files import profile

PERF = SAMPLES / "perf-script" / "sieve.txt"
FOLDED = SAMPLES / "folded-stacks" / "wordcount.raw"
SPEEDSCOPE = SAMPLES / "json-profile" / "py-spy.speedscope.json"
RPROF = SAMPLES / "rprof" / "Rprof.out"
GO = SAMPLES / "pprof" / "cpu.pb.gz"


def _perf(folder: Path, times: int) -> Path:
    text = PERF.read_text(encoding="utf-8")
    path = folder / "large.txt"
    path.write_text("".join(text.replace("+0x", f"_{copy}+0x") for copy in range(times)))
    return path


def _folded(folder: Path, times: int) -> Path:
    lines = [line for line in FOLDED.read_text(encoding="utf-8").splitlines() if ";" in line]
    path = folder / "large.folded"
    path.write_text("".join(f"copy{copy};{line}\n" for copy in range(times) for line in lines))
    return path


def _rprof(folder: Path, times: int) -> Path:
    title, *lines = RPROF.read_text(encoding="utf-8").splitlines(keepends=True)
    path = folder / "Rprof.out"
    copies = (line.replace(' "', f' "f{copy}.') for copy in range(times) for line in lines)
    path.write_text(title + "".join(copies))
    return path


def _speedscope(folder: Path, times: int) -> Path:
    document = json.loads(SPEEDSCOPE.read_text(encoding="utf-8"))
    frames, (one,) = document["shared"]["frames"], document["profiles"]
    document["shared"]["frames"] = [
        frame | {"name": f"{frame['name']}{copy}"} for copy in range(times) for frame in frames
    ]
    one["samples"] = [
        [copy * len(frames) + at for at in sample]
        for copy in range(times)
        for sample in one["samples"]
    ]
    one["weights"] *= times
    path = folder / "large.speedscope.json"
    path.write_text(json.dumps(document))
    return path


def _pprof(folder: Path, times: int) -> Path:
    types = [("samples", "count"), ("cpu", "nanoseconds")]
    stacks = [(("main", f"work{n}"), (1, 10_000_000)) for n in range(30 * times)]
    path = folder / "large.pb"
    path.write_bytes(profile(types, stacks))
    return path


CASES = (
    Case(
        reader="perf-script",
        sample=PERF,
        others=(PERF.with_name("flat.txt"), PERF.with_name("two-events.txt")),
        golden=(
            (
                "SELECT app, machine, started_at::TIMESTAMP::VARCHAR, tags['recorder'], "
                "tags['command'], environment FROM runs",
                [
                    (
                        "sieve",
                        "node1",
                        "2026-11-22 14:53:28",
                        "perf 6.1.187",
                        "/usr/bin/perf record -F 997 -o h.data -g ./sieve",
                        {"cores": "2", "cpu": "CPU", "kernel": "6.1.0"},
                    )
                ],
            ),
            (
                "SELECT callpath, round(seconds, 9), round(inclusive_seconds, 9), thread "
                "FROM fn_timings WHERE inclusive_seconds > 0.004 ORDER BY ALL",
                [
                    ("command sieve", 0.0, 0.006018054, 20534),
                    ("command sieve worker 1", 0.0, 0.062186558, 20536),
                    ("command sieve worker 1->start_thread", 0.0, 0.062186558, 20536),
                    ("command sieve worker 1->start_thread->work", 0.0, 0.062186558, 20536),
                    (
                        "command sieve worker 1->start_thread->work->sieve",
                        0.061183549,
                        0.061183549,
                        20536,
                    ),
                    ("command sieve->__libc_start_call_main", 0.0, 0.006018054, 20534),
                ],
            ),
            (
                "SELECT event, unit, sum(value), max(inclusive) FROM pmu_samples GROUP BY ALL",
                [("samples", "samples", 68.0, 62.0)],
            ),
        ),
        enlarge=_perf,
        sums_records=True,
    ),
    Case(
        reader="folded-stacks",
        sample=FOLDED,
        golden=(
            (
                "SELECT event, unit, sum(value), count(inclusive) FROM pmu_samples GROUP BY ALL",
                [("weight", None, 173.0, 93)],
            ),
            (
                "SELECT function, own, inclusive FROM function_totals "
                "WHERE function LIKE '%(wordcount.py)' ORDER BY own DESC, function",
                [
                    ("depth (wordcount.py)", 117.0, 117.0),
                    ("Counter.add (wordcount.py)", 38.0, 155.0),
                    ("split (wordcount.py)", 9.0, 9.0),
                    ("count (wordcount.py)", 4.0, 168.0),
                    ("<module> (wordcount.py)", 0.0, 168.0),
                    ("main (wordcount.py)", 0.0, 168.0),
                ],
            ),
        ),
        enlarge=_folded,
        sums_records=True,
    ),
    Case(
        reader="rprof",
        sample=RPROF,
        golden=(
            # What summaryRprof prints as self.time and total.time.
            (
                "SELECT function, round(own, 3), round(inclusive, 3) FROM function_totals "
                "ORDER BY own DESC, inclusive DESC, function LIMIT 4",
                [
                    ("c", 0.19, 0.19),
                    ("order", 0.04, 0.05),
                    ("fib", 0.02, 0.02),
                    ("eval", 0.01, 0.01),
                ],
            ),
            (
                "SELECT event, sum(value) FROM pmu_samples GROUP BY ALL",
                [("samples", 30.0)],
            ),
            ("SELECT metric, value, unit FROM metrics", [("peak_heap", 86522600.0, "bytes")]),
            (
                "SELECT left_out FROM sources",
                [("30 samples' lines (functions are not told apart by line)",)],
            ),
        ),
        enlarge=_rprof,
        sums_records=True,
    ),
    Case(
        reader="pprof",
        sample=GO,
        others=(GO.with_name("heap.pb.gz"),),
        golden=(
            (
                "SELECT app, round(wall_seconds, 3), epoch(started_at)::BIGINT FROM runs",
                [("words", 1.991, 1795357855)],
            ),
            # What go tool pprof -top prints as flat and cum.
            (
                "SELECT function, round(own, 3), round(inclusive, 3) FROM function_totals "
                "ORDER BY round(own, 6) DESC, function LIMIT 5",
                [
                    ("runtime.mapassign_faststr", 0.15, 0.29),
                    ("aeshashbody", 0.12, 0.12),
                    ("runtime.asyncPreempt", 0.12, 0.12),
                    ("main.depth", 0.04, 0.15),
                    ("main.count", 0.02, 0.47),
                ],
            ),
            (
                "SELECT event, unit, sum(value) FROM pmu_samples GROUP BY ALL",
                [("samples", None, 47.0)],
            ),
        ),
        enlarge=_pprof,
    ),
    Case(
        reader="json-profile",
        sample=SPEEDSCOPE,
        others=tuple(
            SPEEDSCOPE.with_name(name)
            for name in (
                *("evented.speedscope.json", "perf.json", "pyinstrument.json"),
                *("scalene.json", "words.cpuprofile"),
            )
        ),
        golden=(
            ("SELECT app, tags['recorder'] FROM runs", [(None, "py-spy@0.4.3")]),
            (
                "SELECT function, round(own, 3), round(inclusive, 3) FROM function_totals "
                "ORDER BY own DESC, function LIMIT 3",
                [
                    ("depth (/home/user/wordcount.py)", 0.97, 0.97),
                    ("Counter.add (/home/user/wordcount.py)", 0.38, 1.35),
                    ("count (/home/user/wordcount.py)", 0.08, 1.46),
                ],
            ),
            (
                "SELECT thread, event, sum(value) FROM pmu_samples GROUP BY ALL",
                [(20896, "samples", 156.0)],
            ),
            ("SELECT left_out FROM sources", [("5 samples (without a stack)",)]),
        ),
        enlarge=_speedscope,
    ),
)
