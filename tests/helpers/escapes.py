"""A small run of every kind whose names contain an escape sequence of terminals, as files."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

RED = "\x1b[31m"
SHOWN = "[31m"
RUN = f"run{RED}"
APP = f"app{RED}"
FUNCTION = f"function{RED}"
VERSIONS = (f"v{RED}1", f"v{RED}2")
# One of several runs at known counts, with function times and nothing else.
TIMED_RUN = f"timed{RED}2.4.1"
TASKS = "tasks"
_TOP_DOWN = {
    "topdown.retiring": 0.05,
    "topdown.bad_speculation": 0.01,
    "topdown.frontend_bound": 0.01,
    "topdown.backend_bound": 0.93,
    "topdown.memory_bound": 0.85,
    "topdown.core_bound": 0.08,
    f"event{RED}": 3,
}


def write_escapes(folder: Path) -> list[Path]:
    """Write the files; what is in the folder TASKS has no run of its own, and is of RUN."""
    times = [
        (
            *(f"timed{RED}{i}.{count}.{repetition}", APP, version, f"machine{RED}"),
            *(f"2026-01-{i * 6 + repetition:02}T00:00:00Z", count, count, FUNCTION),
            i * 10 / count + repetition / 100,
        )
        for i, version in enumerate(VERSIONS, 1)
        for count in (1, 2, 4)
        for repetition in range(2)
    ]
    visits = [
        (RUN, 0, FUNCTION, 0, 0, thread, block, 1 + 7 * block * (thread > 1), 4)
        for thread in range(4)
        for block in (0, 1)
    ]
    tables: dict[str, tuple[str, Iterable[Sequence[object]]]] = {
        "times": (
            "run_id,app,version,machine,started_at,ranks,parallelism,function,seconds",
            times,
        ),
        f"counters{RED}": (
            "run_id,app,version,region,event,value",
            [(RUN, APP, VERSIONS[0], FUNCTION, *counter) for counter in _TOP_DOWN.items()],
        ),
        "visits": ("run_id,launch,kernel,block,warp,thread,bb,visits,instructions", visits),
        "edges": (
            "run_id,launch,kernel,src,dst,count",
            [(RUN, 0, FUNCTION, 0, 1, 4), (RUN, 0, FUNCTION, 1, 1, 16)],
        ),
        "blocks": (
            "run_id,kernel,bb,size,barriers,source_file,source_line",
            [(RUN, FUNCTION, bb, 4, bb, f"{RED}.c", bb) for bb in (0, 1)],
        ),
        "segments": (
            "run_id,app,machine,thread,segment,instructions,cycles,hex",
            [(RUN, APP, f"machine{RED}", 0, i, 300, 200 + i, "4801d8") for i in range(3)],
        ),
        f"{TASKS}/nodes": ("node_id,clock_offset_ns", [("n0", 0), ("n1", 0)]),
        f"{TASKS}/workers": (
            "worker_id,node_id,t_begin,t_end",
            [(f"A{RED}", "n0", 0, 100), ("B", "n1", 0, 100)],
        ),
        f"{TASKS}/fragments": (
            "fragment_id,worker_id,t_start,t_end,ftype",
            [("p", f"A{RED}", 0, 30, f"make{RED}"), ("m", "B", 45, 100, "use")],
        ),
        f"{TASKS}/data": ("data_id,producer_fragment", [("x", "p")]),
        f"{TASKS}/inputs": ("fragment_id,data_id", [("m", "x")]),
        f"{TASKS}/transfers": (
            "data_id,src_node,dst_node,t_send,t_recv",
            [("x", "n0", "n1", 32, 40)],
        ),
    }
    (folder / TASKS).mkdir(parents=True)
    for name, (header, rows) in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header.split(","))
            writer.writerows(rows)
    return [folder / TASKS, *sorted(folder.glob("*.csv"))]
