"""The contract's cases of Chrome traces: a browser's, VizTracer's, and PyTorch's of two ranks.

The browser's is a window of 4 ms out of one of Chromium 156, without arguments. Of PyTorch's the
part of the processor is a training step recorded by torch.profiler 2.13; its GPU, of which there
was none, is written after the schema of Kineto.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

BROWSER = SAMPLES / "chrome-trace" / "browser.json"
VIZTRACER = SAMPLES / "chrome-trace" / "viztracer.json"
KINETO = SAMPLES / "kineto" / "rank0.pt.trace.json"
_TIME = re.compile(r'"ts": ([\d.]+)')
_LINK = re.compile(r'("(?:id|correlation)": )(\d+)')


def _enlarge_browser(folder: Path, times: int) -> Path:
    document = json.loads(BROWSER.read_text(encoding="utf-8"))
    events = [event for event in document["traceEvents"] if event["ph"] != "M"]
    for n in range(1, times):
        for event in events:
            later = event | {"ts": event["ts"] + n * 10_000}
            if "id" in event:
                later["id"] = f"{event['id']}.{n}"
            document["traceEvents"].append(later)
    (folder / "large.json").write_text(json.dumps(document), encoding="utf-8")
    return folder / "large.json"


def _enlarge_viztracer(folder: Path, times: int) -> Path:
    document = json.loads(VIZTRACER.read_text(encoding="utf-8"))
    events = document["traceEvents"]
    document["traceEvents"] = [
        event | {"tid": event["tid"] + 100 * n} for n in range(times) for event in events
    ]
    (folder / "large.json").write_text(json.dumps(document), encoding="utf-8")
    return folder / "large.json"


def enlarge_kineto(folder: Path, times: int) -> Path:
    """Write the traces of both ranks with their step `times` times, 50 ms apart."""
    for part in KINETO.parent.iterdir():
        text = part.read_text(encoding="utf-8")
        begin = text.index('"traceEvents": [') + len('"traceEvents": [')
        end = text.rindex("\n  ]")
        with (folder / part.name).open("w", encoding="utf-8") as file:
            file.write(text[:begin])
            for n in range(times):
                file.write(("," if n else "") + _later(text[begin:end], n))
            file.write(text[end:])
    return folder / KINETO.name


def _later(events: str, n: int) -> str:
    text = _TIME.sub(lambda match: f'"ts": {Decimal(match[1]) + 50_000 * n}', events)
    return _LINK.sub(lambda match: f"{match[1]}{int(match[2]) + 1000 * n}", text)


CASES = (
    Case(
        reader="chrome-trace",
        sample=BROWSER,
        golden=(
            ("SELECT count(*), sum(t_end - t_start) FROM tasks", [(59, 4704000)]),
            ("SELECT count(*) FROM task_data WHERE producer IS NOT NULL", [(36,)]),
            (
                "SELECT function, kind, seconds, round(inclusive_seconds * 1e6), calls "
                "FROM fn_timings WHERE seconds IS NULL",
                [("AnimationFrame::Render", "devtools.timeline", None, 133, 1),
                 ("AnimationFrame::StyleAndLayout", "devtools.timeline", None, 109, 1)],
            ),
            (
                "SELECT worker, name, t_start, t_end FROM tasks ORDER BY t_start, worker LIMIT 2",
                [("Renderer 30601 Chrome_ChildIOThread", "EpollEvent", 0, 52000),
                 ("Renderer 30601 ThreadPoolForegroundWorker", "ThreadPool_RunTask", 66000, 79000)],
            ),
            ("SELECT left_out FROM sources", [
                ("4 flow arrows (no slice at its start or its end); 2 slices (without a start or "
                 "an end); 9 ends of arrows (without an earlier start); 55 instants (they have no "
                 "duration)",),
            ]),
        ),
        enlarge=_enlarge_browser,
    ),
    Case(
        reader="chrome-trace",
        sample=VIZTRACER,
        golden=(
            ("SELECT round(epoch(started_at), 3) FROM runs", [(1795358869.112,)]),
            ("SELECT worker, node FROM workers ORDER BY worker", [
                ("MainThread", "host"),
                ("Thread-1 (work)", "host"),
            ]),
            ("SELECT metric, round(value, 6) FROM metrics", [
                ("queue length, mean over time", 0.524866),
                ("queue length, maximum", 1.0),
            ]),
            (
                "SELECT len(str_split(callpath, '->')), round(seconds * 1e9), "
                "round(inclusive_seconds * 1e9), calls FROM fn_timings "
                "WHERE function LIKE 'step%' AND thread = 15337 ORDER BY ALL",
                [(2, 1042, 2805, 2), (3, 1113, 1763, 4), (4, 650, 650, 4)],
            ),
        ),
        enlarge=_enlarge_viztracer,
    ),
    Case(
        reader="chrome-trace",
        sample=KINETO,
        golden=(
            ("SELECT machine, ranks, round(epoch(started_at), 5), tags, environment FROM runs", [
                ("node1", 2, 1795357624.61818,
                 {"gpu": "NVIDIA A100-SXM4-80GB", "runtime": "PyTorch"},
                 {"gpu": "NVIDIA A100-SXM4-80GB", "cuda_runtime": "12040"}),
            ]),
            ("SELECT worker, node FROM workers ORDER BY worker", [
                ("rank 0 GPU 0 stream 20", "rank 0"),
                ("rank 0 GPU 0 stream 7", "rank 0"),
                ("rank 0 thread 1000 (python)", "rank 0"),
                ("rank 1 GPU 1 stream 20", "rank 1"),
                ("rank 1 GPU 1 stream 7", "rank 1"),
                ("rank 1 thread 1001 (python)", "rank 1"),
            ]),
            (
                "SELECT rank, kind, sum(round(seconds * 1e9)), sum(calls) FROM fn_timings "
                "WHERE kind IN ('kernel', 'gpu_memcpy') GROUP BY ALL ORDER BY ALL",
                [(0, "gpu_memcpy", 2016, 1), (0, "kernel", 256906, 24),
                 (1, "gpu_memcpy", 2016, 1), (1, "kernel", 235690, 24)],
            ),
            (
                "SELECT name, count(*), sum(t_end - t_start) FROM tasks "
                "WHERE worker = 'rank 0 GPU 0 stream 7' AND name LIKE '%gemm%' GROUP BY name "
                "ORDER BY name",
                [("ampere_sgemm_32x32_sliced1x4_nn", 3, 27332),
                 ("ampere_sgemm_32x32_sliced1x4_tn", 2, 23794)],
            ),
            (
                "SELECT worker, blamed_worker, starvation, overhead, flags FROM idle_intervals "
                "WHERE worker LIKE '%stream 20' AND kind = 'lead' ORDER BY worker",
                [("rank 0 GPU 0 stream 20", "rank 0 thread 1000 (python)", 23017993, 1750, None),
                 ("rank 1 GPU 1 stream 20", "rank 1 thread 1001 (python)", 23025506, 1750, None)],
            ),
            (
                "SELECT worker, blamed_worker, starvation, overhead FROM idle_intervals "
                "WHERE worker LIKE 'rank 0 thread%' AND kind = 'inner'",
                [("rank 0 thread 1000 (python)", "rank 0 GPU 0 stream 20", 60016, 3100)],
            ),
        ),
        enlarge=enlarge_kineto,
        others=(SAMPLES / "chrome-trace" / "memory.json",),
        # A rank whose trace cannot be recognised is not there.
        cut_may_land=True,
    ),
)  # fmt: skip
