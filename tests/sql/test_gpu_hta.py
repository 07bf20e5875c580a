"""What people ask of GPU traces, with HolisticTraceAnalysis as the judge.

It wants packages of other versions, so PWH_HTA names the interpreter of an environment of its own:

    python -m venv hta && hta/bin/pip install HolisticTraceAnalysis
    PWH_HTA=hta/bin/python python -m pytest tests/sql/test_gpu_hta.py
"""

from __future__ import annotations

import gzip
import json
import math
import os
import subprocess

import pytest

from tests.helpers import hta_answers
from tests.helpers.support import land, rows, shared

HTA = os.environ.get("PWH_HTA")
ROUNDING = 0.01  # us; HTA reckons in floating point, and idle time to this


@pytest.mark.skipif(HTA is None, reason="PWH_HTA names no interpreter with HolisticTraceAnalysis")
@pytest.mark.parametrize(
    "name", ["chain_eager", "copies_pinned", "resnet", "streams_4", "tokens_batch", "communication"]
)
def test_the_same_numbers(warehouse, tmp_path, name):
    path = tmp_path / "t.pt.trace.json"
    if name == "communication":
        path.write_text(json.dumps(communicating()))
    else:
        packed = shared(f"h100/kineto/{name}.pt.trace.json.gz").read_bytes()
        path.write_bytes(gzip.decompress(packed))
    theirs = said(path)
    land(warehouse, path)
    ((*parts, communicates, hidden),) = rows(
        warehouse,
        "SELECT idle_seconds, computing_seconds + both_seconds, copying_seconds, window_seconds, "
        "communicating_seconds, hidden_seconds FROM gpu_activity",
    )
    idle, calculating, copying, window = (1e6 * part for part in parts)
    calculating -= 1e6 * (communicates - hidden)
    copying += 1e6 * (communicates - hidden)
    whole = theirs["whole"]
    of_whole = ("idle_time", "compute_time", "non_compute_time", "kernel_time")
    assert [idle, calculating, copying, window] == pytest.approx(
        [whole[f"{part}(us)"] for part in of_whole], abs=ROUNDING
    )
    of_streams = rows(
        warehouse,
        "SELECT CAST(regexp_extract(stream, '\\d+$') AS INTEGER), count(*), avg(length), "
        "max(length) FROM gpu_queue GROUP BY ALL ORDER BY ALL",
    )
    # HTA has a row for each change, also where several are at one moment.
    assert [(stream, most) for stream, _, _, most in of_streams] == [
        (stream, most) for stream, _, _, most in theirs["queues"]
    ]
    found = {
        kernel: (1e6 * total, 1e6 * total / calls)
        for kernel, total, calls in rows(
            warehouse,
            "SELECT name, sum(seconds), sum(calls) FROM gpu_operators GROUP BY name",
        )
    }
    assert found == {
        kernel: pytest.approx((total, mean), abs=ROUNDING)
        for kernel, total, mean in theirs["kernels"]
    }
    (overlap,) = theirs["overlap"]
    if not math.isnan(overlap):
        assert 100 * hidden / communicates == pytest.approx(overlap, abs=ROUNDING)


def communicating():
    """Return a trace in which a part of the communication is hidden behind computation."""
    events = []
    for step in range(6):
        begin = 1000 + 300 * step
        for number, (name, stream, start, length) in enumerate(
            (
                ("gemm_f32", 7, 10, 100 + step),
                ("ncclDevKernel_AllReduce_Sum", 20, 60, 90),
                ("add_kernel", 7, 200, 40),
            )
        ):
            args = {"correlation": 3 * step + number + 1}
            call = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "dur": 2}
            call |= {"ts": begin + 3 * number, "args": {"cbid": 211, **args}}
            kernel = {"cat": "kernel", "name": name, "pid": 0, "tid": stream, "dur": length}
            kernel |= {"ts": begin + start, "args": {"device": 0, "stream": stream, **args}}
            events += [{"ph": "X", **call}, {"ph": "X", **kernel}]
    rank = {"backend": "nccl", "rank": 0, "world_size": 2}
    return {"schemaVersion": 1, "distributedInfo": rank, "traceEvents": events}


def said(path):
    """Return what HTA says of a trace."""
    done = subprocess.run(
        [str(HTA), hta_answers.__file__, str(path)], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])
