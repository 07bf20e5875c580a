"""Large schedules of task runtimes for the benchmarks, written as neutral tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv


def generate(folder: Path, tasks: int, workers: int) -> dict[str, int]:
    """Write a schedule of neutral tables; return the rows by table.

    Every worker runs tasks one after the other; a task reads two data that were made before it
    began, lately, anywhere; data of other nodes are sent once to each node that reads them.
    """
    rng = np.random.default_rng(1)
    nodes, each = 8, tasks // workers
    tasks = each * workers
    length = rng.exponential(1_000_000, (workers, each)).astype(np.int64) + 1
    gap = np.where(rng.random((workers, each)) < 0.9, rng.exponential(400_000, (workers, each)), 0)
    end = np.cumsum(length + gap.astype(np.int64), axis=1).ravel()
    order = np.argsort(end - length.ravel(), kind="stable")
    worker = np.repeat(np.arange(workers), each)[order]
    start, end = (end - length.ravel())[order], end[order]
    room = gap.astype(np.int64).ravel()[order]
    by_end = np.argsort(end, kind="stable")
    made = np.searchsorted(end[by_end], start, "right")
    pairs = []
    for _ in range(2):
        pick = made - rng.geometric(1 / 20, tasks)
        reads = np.flatnonzero(pick >= 0)
        pairs.append(reads * tasks + by_end[pick[reads]])
    reader, datum = np.divmod(np.unique(np.concatenate(pairs)), tasks)
    node = worker % nodes
    sent = np.unique((datum * nodes + node[reader])[node[reader] != node[datum]])
    sent, to_node = np.divmod(sent, nodes)
    send = end[sent] + rng.integers(0, 50_000, len(sent))
    before = start - np.minimum(rng.integers(1, 30_000, tasks), room // 2)
    ran = (
        np.concatenate([before, end]),
        np.concatenate([start, end + rng.integers(1, 20_000, tasks)]),
    )
    tables = {
        "nodes": {"node_id": named("n", np.arange(nodes)), "clock_offset_ns": np.zeros(nodes, int)},
        "workers": {
            "worker_id": named("w", np.arange(workers)),
            "node_id": named("n", np.arange(workers) % nodes),
            "t_begin": np.zeros(workers, int),
            "t_end": np.full(workers, end.max()),
        },
        "fragments": {
            "fragment_id": named("f", np.arange(tasks)),
            "worker_id": named("w", worker),
            "t_start": start,
            "t_end": end,
            "ftype": named("type", rng.integers(0, 4, tasks)),
        },
        "data": {
            "data_id": named("d", np.arange(tasks)),
            "producer_fragment": named("f", np.arange(tasks)),
            "nbytes": rng.integers(1, 1000, tasks),
        },
        "inputs": {"fragment_id": named("f", reader), "data_id": named("d", datum)},
        "transfers": {
            "data_id": named("d", sent),
            "src_node": named("n", node[sent]),
            "dst_node": named("n", to_node),
            "t_send": send,
            "t_recv": send + rng.integers(1_000, 400_000, len(sent)),
        },
        "runtime": {
            "worker_id": named("w", np.concatenate([worker, worker])),
            "t_start": ran[0],
            "t_end": ran[1],
        },
    }
    folder.mkdir()
    return {name: write(folder / f"{name}.csv", columns) for name, columns in tables.items()}


def named(prefix: str, numbers: np.ndarray) -> pa.Array:
    """Return names of eight digits behind a prefix."""
    digits = pc.utf8_lpad(pc.cast(pa.array(numbers), pa.string()), 8, "0")
    return pc.binary_join_element_wise(prefix, digits, "")


def write(path: Path, columns: dict[str, np.ndarray | pa.Array]) -> int:
    """Write a table as CSV; return its number of rows."""
    table = pa.table(columns)
    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(quoting_style="none"))
    return len(table)
