"""The contract's case of the reader dask-dump."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import msgpack

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "dask-dump" / "cluster_dump.msgpack.gz"
_KEY = re.compile(r"\b(load-|flaky-|add|total|lambda-)")
_EPOCH = re.compile(r"\b(1[67]\d{8}\.\d+)")


def unpacked() -> dict[str, Any]:
    """Return the sample as Dask's own loader gives it."""
    return msgpack.unpackb(gzip.decompress(SAMPLE.read_bytes()), strict_map_key=False)


def packed(dump: dict[str, Any], path: Path) -> Path:
    """Write a dump."""
    path.write_bytes(gzip.compress(msgpack.packb(dump), 1))
    return path


def enlarge(folder: Path, times: int) -> Path:
    """Write a dump with the sample's tasks `times` times, one second apart."""
    dump = unpacked()
    scheduler = dump["scheduler"]
    tasks, log = scheduler["tasks"], scheduler["transition_log"]
    scheduler["tasks"] = {k: v for i in range(times) for k, v in _copy(tasks, i).items()}
    scheduler["transition_log"] = [row for i in range(times) for row in _copy(log, i)]
    for worker in dump["workers"].values():
        tasks = worker["tasks"]
        worker["tasks"] = {k: v for i in range(times) for k, v in _copy(tasks, i).items()}
        for name in ("log", "stimulus_log", "transfer_incoming_log", "transfer_outgoing_log"):
            rows = worker[name]
            worker[name] = [row for i in range(times) for row in _copy(rows, i)]
    return packed(dump, folder / "cluster_dump.msgpack.gz")


def _copy(value: Any, i: int) -> Any:
    """Return the same, with the number `i` in every key, and later by as many seconds."""
    if isinstance(value, dict):
        return {_copy(k, i): _copy(v, i) for k, v in value.items()}
    if isinstance(value, list):
        return [_copy(item, i) for item in value]
    if isinstance(value, str):
        named = _KEY.sub(rf"x{i}\1", value)
        return _EPOCH.sub(lambda match: str(float(match[1]) + i), named)
    return value + i if isinstance(value, float) and value > 1e9 else value


CASE = Case(
    reader="dask-dump",
    sample=SAMPLE,
    golden=(
        (
            "SELECT epoch_us(started_at), nodes, ranks, threads, tags['distributed'] FROM runs",
            [(1795227232230628, 1, 2, 1, "2026.8.0")],
        ),
        ("SELECT node, clock_offset_ns FROM nodes ORDER BY node", [("0", 0), ("1", 0)]),
        (
            "SELECT worker, node, t_begin, t_end FROM workers ORDER BY worker",
            [("0/t0", "0", 0, 134132385), ("1/t0", "1", 0, 134132385)],
        ),
        (
            "SELECT task, worker, name, t_submit, t_start, t_end FROM tasks ORDER BY t_start",
            [
                ("load-0", "0/t0", "load", 0, 6628036, 30790329),
                ("load-1", "1/t0", "load", 7035494, 13336182, 33963203),
                ("load-2", "0/t0", "load", 14724731, 36253214, 56486607),
                ("load-3", "1/t0", "load", 31938314, 39858818, 60853958),
                ("load-4", "0/t0", "load", 39215803, 59825420, 80064535),
                ("load-5", "1/t0", "load", 40697813, 63879490, 86575985),
                ("('add', 0)", "0/t0", "add", 47297716, 81391811, 91743946),
                ("('add', 1)", "1/t0", "add", 48799515, 88197708, 98430157),
                ("('add', 2)", "0/t0", "add", 50613642, 93512058, 103738070),
                ("flaky-0", "0/t0", "flaky", 52041769, 104632139, 111000776),
                ("flaky-0#2", "0/t0", "flaky", 52041769, 113636255, 118825674),
                ("total", "0/t0", "total", 52586555, 123789549, 134132385),
            ],
        ),
        (
            "SELECT data, producer, node, bytes FROM task_data WHERE data NOT LIKE 'load%' "
            "ORDER BY data",
            [
                ("('add', 0)", "('add', 0)", None, 40000),
                ("('add', 1)", "('add', 1)", None, 40000),
                ("('add', 2)", "('add', 2)", None, 40000),
                ("flaky-0#2", "flaky-0#2", None, 100),
                ("total", "total", None, 28),
            ],
        ),
        (
            "SELECT task, data FROM task_inputs ORDER BY task, data",
            [
                ("('add', 0)", "load-0"),
                ("('add', 0)", "load-1"),
                ("('add', 1)", "load-2"),
                ("('add', 1)", "load-3"),
                ("('add', 2)", "load-4"),
                ("('add', 2)", "load-5"),
                ("flaky-0", "('add', 0)"),
                ("flaky-0#2", "('add', 0)"),
                ("total", "('add', 0)"),
                ("total", "('add', 1)"),
                ("total", "('add', 2)"),
                ("total", "flaky-0#2"),
            ],
        ),
        (
            "SELECT data, from_node, to_node, t_send, t_recv, bytes FROM transfers ORDER BY t_recv",
            [
                ("load-1", "1", "0", 53947210, 61474323, 40000),
                ("load-2", "0", "1", 67125797, 70267200, 40000),
                ("load-5", "1", "0", 90303659, 92085600, 40000),
                ("('add', 1)", "1", "0", 121451139, 122741461, 40000),
            ],
        ),
        (
            "SELECT worker, t_start, t_end, state FROM runtime_intervals ORDER BY t_start LIMIT 3",
            [
                ("0/t0", 5700588, 6628036, "pre"),
                ("1/t0", 12016296, 13336182, "pre"),
                ("0/t0", 30790329, 33353329, "post"),
            ],
        ),
    ),
    enlarge=enlarge,
)
