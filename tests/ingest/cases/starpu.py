"""The contract's case of the reader starpu."""

from __future__ import annotations

import re
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "starpu" / "tasks.rec"
_TIME = re.compile(r"^((?:Submit|Start|End)Time: |\d+\t)(\d+\.\d+)", re.MULTILINE)
_JOB = re.compile(r"\b([01])_([12])\b(?!_)")
_BEGINS = "13\t10.001"


def enlarge(folder: Path, times: int) -> Path:
    """Write the sample's program `times` times, one after the other, 1 ms apart."""
    tasks = SAMPLE.read_text(encoding="utf-8")
    paje = (SAMPLE.parent / "paje.trace").read_text(encoding="utf-8")
    top, body = paje[: paje.index(_BEGINS)], paje[paje.index(_BEGINS) :]
    events = [line for line in body.splitlines() if not line.startswith(("7\t", "8\t"))]
    made = [line for line in body.splitlines() if line.startswith("7\t")]
    with (folder / "tasks.rec").open("w", encoding="utf-8") as file:
        file.writelines(_copy(tasks, i) for i in range(times))
    with (folder / "paje.trace").open("w", encoding="utf-8") as file:
        file.write(top + "\n".join(made) + "\n")
        file.writelines(_copy("\n".join(events) + "\n", i) for i in range(times))
    data = (SAMPLE.parent / "data.rec").read_text(encoding="utf-8")
    (folder / "data.rec").write_text(data, encoding="utf-8")
    return folder / "tasks.rec"


def _copy(text: str, i: int) -> str:
    text = _TIME.sub(lambda match: f"{match[1]}{float(match[2]) + i:.9f}", text)
    text = re.sub(r"^((?:Submit|Start|End)Time: .*)000$", r"\1", text, flags=re.MULTILINE)
    return _JOB.sub(rf"\1_{i}0\2", text).replace("mpicom_0", f"mpicom_{i}")


CASE = Case(
    reader="starpu",
    sample=SAMPLE,
    golden=(
        ("SELECT ranks, threads, wall_seconds, tags['runtime'] FROM runs", [
            (2, None, 0.0008, "StarPU"),
        ]),
        ("SELECT node, clock_offset_ns FROM nodes ORDER BY node", [("r0", None), ("r1", None)]),
        ("SELECT worker, node, t_begin, t_end FROM workers ORDER BY worker", [
            ("0_w0", "r0", 0, 800000),
            ("1_w0", "r1", 0, 800000),
            ("1_w1", "r1", 0, 800000),
        ]),
        ("SELECT task, worker, name, t_submit, t_start, t_end FROM tasks ORDER BY task", [
            ("0_1", "0_w0", "init", 0, 50000, 100000),
            ("0_2", "0_w0", "C", 10000, 200000, 300001),
            ("1_1", "1_w0", "gemm", 40000, 550000, 700000),
            ("1_2", "1_w0", "reduce", 45000, 720000, 800000),
        ]),
        ("SELECT data, producer, node, bytes FROM task_data ORDER BY data", [
            ("h1_6e0030@0", None, "r1", 16),
            ("t1@1", "0_1", None, 4096),
            ("t1@2", "0_2", None, 4096),
            ("t2@0", None, "r1", 8192),
            ("t2@1", "1_1", None, 8192),
            ("t2@2", "1_2", None, 8192),
        ]),
        ("SELECT task, data FROM task_inputs ORDER BY task, data", [
            ("0_2", "t1@1"),
            ("1_1", "t1@2"),
            ("1_1", "t1@2"),
            ("1_1", "t2@0"),
            ("1_2", "h1_6e0030@0"),
            ("1_2", "t2@1"),
        ]),
        ("SELECT data, from_node, to_node, t_send, t_recv, bytes FROM transfers", [
            ("t1@2", "r0", "r1", 310000, 500001, 4096),
        ]),
        ("SELECT worker, t_start, t_end, state FROM runtime_intervals ORDER BY worker, t_start", [
            ("0_w0", 20000, 30000, "Overhead"),
            ("0_w0", 45000, 50000, "Overhead"),
            ("0_w0", 100000, 110000, "Overhead"),
            ("0_w0", 110000, 130000, "Scheduling"),
            ("0_w0", 130000, 140000, "Overhead"),
            ("0_w0", 140000, 150000, "Callback"),
            ("0_w0", 160000, 170000, "Callback"),
            ("0_w0", 170000, 180000, "Progressing"),
            ("0_w0", 300001, 305000, "PushingOutput"),
            ("1_w0", 540000, 550000, "Overhead"),
            ("1_w0", 700000, 720000, "Overhead"),
        ]),
    ),
    enlarge=enlarge,
    cut_may_land=True,
)  # fmt: skip
