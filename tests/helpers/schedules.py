"""Schedules of task runtimes: landed from neutral tables, and generated with their truth known.

A schedule is a dict of neutral tables (workers, fragments, data, inputs, transfers, runtime,
nodes), each a list of dicts; what a row leaves out is unknown.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ingest.derive import derive
from tests.helpers.support import rows_were_written

if TYPE_CHECKING:
    from warehouse.session import Connection

Row = dict[str, Any]
Schedule = dict[str, list[Row]]

NEUTRAL = {
    "nodes": ("nodes", {"node_id": "node", "clock_offset_ns": "clock_offset_ns"}),
    "workers": (
        "workers",
        {"worker_id": "worker", "node_id": "node", "t_begin": "t_begin", "t_end": "t_end"},
    ),
    "fragments": (
        "tasks",
        {
            "fragment_id": "task",
            "worker_id": "worker",
            "ftype": "name",
            "t_submit": "t_submit",
            "t_start": "t_start",
            "t_end": "t_end",
        },
    ),
    "data": (
        "task_data",
        {
            "data_id": "data",
            "producer_fragment": "producer",
            "node_id": "node",
            "t_ready": "t_ready",
            "nbytes": "bytes",
        },
    ),
    "inputs": ("task_inputs", {"fragment_id": "task", "data_id": "data"}),
    "transfers": (
        "transfers",
        {
            "data_id": "data",
            "src_node": "from_node",
            "dst_node": "to_node",
            "t_send": "t_send",
            "t_recv": "t_recv",
            "nbytes": "bytes",
        },
    ),
    "runtime": (
        "runtime_intervals",
        {"worker_id": "worker", "t_start": "t_start", "t_end": "t_end", "total_ns": "total_ns"},
    ),
}
_TEXT = {"node", "worker", "task", "name", "data", "producer", "from_node", "to_node"}


def land_schedule(con: Connection, schedule: Schedule, run: str = "r1", source: int = 1) -> None:
    """Land a schedule's rows and attribute its idle time, in one transaction."""
    land_schedules(con, {run: schedule}, source)


def land_schedules(con: Connection, schedules: Mapping[str, Schedule], source: int = 1) -> None:
    """Land schedules by run, as those of one file: rows and idle time in one transaction."""
    con.execute("BEGIN")
    con.execute(
        "INSERT INTO runs (run_id) FROM (SELECT unnest($runs) AS run_id) "
        "WHERE run_id NOT IN (SELECT run_id FROM runs)",
        {"runs": list(schedules)},
    )
    for name, (table, columns) in NEUTRAL.items():
        found = [(run, row) for run, each in schedules.items() for row in each.get(name, [])]
        batch = pa.table(
            {
                "run_id": pa.array([run for run, _ in found], pa.string()),
                "source_id": pa.array([source for _ in found], pa.int64()),
                **{
                    column: pa.array(
                        [row.get(field) for _, row in found],
                        pa.string() if column in _TEXT else pa.int64(),
                    )
                    for field, column in columns.items()
                },
            }
        )
        con.register("batch", batch)
        con.execute(f"INSERT INTO {table} BY NAME FROM batch")
        con.unregister("batch")
    try:
        derive(con, dict.fromkeys(schedules, source))
        con.execute(
            "INSERT INTO kept_runs BY NAME FROM (SELECT unnest($runs) AS run_id, '' AS revision) "
            "WHERE run_id NOT IN (SELECT run_id FROM kept_runs)",
            {"runs": list(schedules)},
        )
        con.execute("COMMIT")
    except BaseException:
        con.execute("ROLLBACK")
        raise
    rows_were_written(con)


def read_schedule(folder: Path) -> Schedule:
    """Read a folder of neutral tables in CSV."""
    schedule: Schedule = {}
    for name, (_, columns) in NEUTRAL.items():
        path = folder / f"{name}.csv"
        if path.exists():
            with path.open(newline="") as file:
                schedule[name] = [
                    {
                        field: row[field] if column in _TEXT else int(row[field])
                        for field, column in columns.items()
                        if row.get(field)
                    }
                    for row in csv.DictReader(file)
                ]
    return schedule


def write_schedule(folder: Path, schedule: Schedule) -> Path:
    """Write a schedule as a folder of neutral tables in CSV."""
    folder.mkdir(exist_ok=True)
    for name, (_, columns) in NEUTRAL.items():
        if rows := schedule.get(name):
            with (folder / f"{name}.csv").open("w", newline="") as file:
                writer = csv.DictWriter(file, list(columns))
                writer.writeheader()
                writer.writerows(rows)
    return folder


def random_schedule(seed: int) -> Schedule:
    """Make a small schedule with anything that the format can express.

    Tasks overlap and have no length, windows and times are missing, producers, homes and nodes are
    unknown, clocks differ, data take detours, several transfers go the same way or backwards in
    time, runtime is exact, a total, or both.
    """
    rng = random.Random(seed)
    span = rng.choice([8, 30, 30, 200, 10**6, 2**61])
    nodes = [f"n{i}" for i in range(rng.randint(1, 4))]
    workers = [f"w{i}" for i in range(rng.randint(1, 6))]
    tasks = [f"f{i}" for i in range(rng.randint(0, 24))]
    data = [f"d{i}" for i in range(rng.randint(0, 24))]
    pace = rng.choice([1, 4, 12, 40])
    base = rng.choice([0, 0, -span // 2, 10**17])

    def time() -> int:
        return base + rng.randint(0, span)

    def maybe(value: Any, chance: float = 0.5) -> Any:
        return value if rng.random() < chance else None

    def interval(longest: int) -> tuple[int, int]:
        start = time()
        return start, start + rng.choice([0, rng.randint(0, longest), rng.randint(0, longest)])

    def fragment(name: str) -> Row:
        start, end = interval(span // pace)
        return {
            "fragment_id": name,
            "worker_id": rng.choice(workers),
            "t_start": start,
            "t_end": end,
            "t_submit": maybe(time(), 0.4),
            "ftype": rng.choice("ab"),
        }

    def runtime() -> Row:
        start, end = interval(span // rng.choice([2, 10, 40]))
        total = rng.choice([None, None, rng.randint(0, span), 0, 2**62])
        return {
            "worker_id": rng.choice(workers),
            "t_start": start,
            "t_end": end,
            "total_ns": total,
        }

    def window() -> Row:
        start, end = sorted((time(), time()))
        return {"t_begin": maybe(start, 0.2), "t_end": maybe(end, 0.2)}

    known = rng.random() < 0.8
    return {
        "nodes": [
            {"node_id": n, "clock_offset_ns": maybe(rng.randint(-span // 4, span // 4), 0.7)}
            for n in nodes
            if rng.random() < 0.7
        ],
        "workers": [
            {"worker_id": w, "node_id": maybe(rng.choice(nodes), 0.95), **window()} for w in workers
        ],
        "fragments": [fragment(name) for name in tasks],
        "data": [
            {
                "data_id": d,
                "producer_fragment": maybe(rng.choice(tasks), 0.85) if tasks else None,
                "node_id": maybe(rng.choice(nodes), 0.2),
                "t_ready": maybe(time(), 0.2),
            }
            for d in data
            if known or rng.random() < 0.9
        ],
        "inputs": [
            {"fragment_id": rng.choice(tasks), "data_id": rng.choice(data)}
            for _ in range(rng.randint(0, 50) if tasks and data else 0)
        ],
        "transfers": [
            {
                "data_id": rng.choice(data),
                "src_node": maybe(rng.choice(nodes), 0.85),
                "dst_node": rng.choice(nodes),
                "t_send": maybe(time(), 0.8),
                "t_recv": time(),
            }
            for _ in range(rng.randint(0, 40) if data else 0)
        ],
        "runtime": [runtime() for _ in range(rng.randint(0, 14))],
    }
