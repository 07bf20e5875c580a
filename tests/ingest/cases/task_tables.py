"""The contract's case of the reader task-tables."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "task-tables" / "fragments.csv"
_STEP = 2000
_NUMBERED = {
    "workers": (),
    "nodes": (),
    "fragments": ("fragment_id",),
    "data": ("data_id", "producer_fragment"),
    "inputs": ("fragment_id", "data_id"),
    "transfers": ("data_id",),
    "runtime": (),
}
_TIMES = ("t_start", "t_end", "t_submit", "t_ready", "t_send", "t_recv")


def enlarge(folder: Path, times: int) -> Path:
    """Write the sample's program `times` times, one after the other."""
    for name, numbered in _NUMBERED.items():
        source = (SAMPLE.parent / f"{name}.csv").read_text(encoding="utf-8")
        header, *lines = source.splitlines()
        names = header.split(",")
        repeats = 1 if name in ("workers", "nodes") else times
        with (folder / f"{name}.csv").open("w", encoding="utf-8") as file:
            file.write(header + "\n")
            for i in range(repeats):
                for line in lines:
                    values = dict(zip(names, line.split(","), strict=True))
                    for column, value in values.items():
                        if value and column in numbered:
                            values[column] = f"{value}{i}"
                        elif value and column in _TIMES and name != "workers":
                            values[column] = str(int(value) + i * _STEP)
                    file.write(",".join(values.values()) + "\n")
    return folder / "fragments.csv"


CASE = Case(
    reader="task-tables",
    sample=SAMPLE,
    golden=(
        (
            "SELECT node, clock_offset_ns FROM nodes ORDER BY node",
            [("n0", 0), ("n1", 100)],
        ),
        (
            "SELECT worker, node, t_begin, t_end FROM workers ORDER BY worker",
            [("n0w0", "n0", 0, 1000), ("n1w0", "n1", None, None)],
        ),
        (
            "SELECT task, worker, name, t_submit, t_start, t_end FROM tasks ORDER BY task",
            [
                ("a", "n0w0", "make", 0, 100, 300),
                ("b", "n1w0", "use", 20, 600, 750),
                ("c", "n0w0", None, None, 700, 700),
            ],
        ),
        (
            "SELECT data, producer, node, t_ready, bytes FROM task_data ORDER BY data",
            [
                ("d0", None, "n0", 0, 64),
                ("da", "a", None, None, 800),
                ("db", "b", None, None, None),
            ],
        ),
        (
            "SELECT task, data FROM task_inputs ORDER BY task",
            [("a", "d0"), ("b", "da"), ("c", "db")],
        ),
        (
            "SELECT data, from_node, to_node, t_send, t_recv, bytes FROM transfers ORDER BY data",
            [("da", "n0", "n1", 310, 550, 800), ("db", None, "n0", None, 680, None)],
        ),
        (
            "SELECT worker, t_start, t_end, total_ns FROM runtime_intervals ORDER BY t_start",
            [("n0w0", 0, 1000, 40), ("n0w0", 300, 320, None)],
        ),
    ),
    enlarge=enlarge,
    cut_may_land=True,
)
