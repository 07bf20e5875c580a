"""The neutral tables of a task runtime: their columns, and the landing tables that take them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NeutralTable:
    """Where a neutral table lands, its columns with name and type there, and what it must have."""

    landing: str
    columns: dict[str, tuple[str, str]]
    required: tuple[str, ...]


ID, NS = "VARCHAR", "BIGINT"
NEUTRAL = {
    "program": NeutralTable(
        "runs",
        {
            "started_at": ("started_at", "TIMESTAMP WITH TIME ZONE"),
            "app": ("app", ID),
            "version": ("version", ID),
            "machine": ("machine", ID),
        },
        ("started_at",),
    ),
    "nodes": NeutralTable(
        "nodes",
        {"node_id": ("node", ID), "clock_offset_ns": ("clock_offset_ns", NS)},
        ("node_id",),
    ),
    "workers": NeutralTable(
        "workers",
        {
            "worker_id": ("worker", ID),
            "node_id": ("node", ID),
            "t_begin": ("t_begin", NS),
            "t_end": ("t_end", NS),
        },
        ("worker_id", "node_id"),
    ),
    "fragments": NeutralTable(
        "tasks",
        {
            "fragment_id": ("task", ID),
            "worker_id": ("worker", ID),
            "ftype": ("name", ID),
            "t_submit": ("t_submit", NS),
            "t_start": ("t_start", NS),
            "t_end": ("t_end", NS),
        },
        ("fragment_id", "worker_id", "t_start", "t_end"),
    ),
    "data": NeutralTable(
        "task_data",
        {
            "data_id": ("data", ID),
            "producer_fragment": ("producer", ID),
            "node_id": ("node", ID),
            "t_ready": ("t_ready", NS),
            "nbytes": ("bytes", NS),
        },
        ("data_id",),
    ),
    "inputs": NeutralTable(
        "task_inputs",
        {"fragment_id": ("task", ID), "data_id": ("data", ID)},
        ("fragment_id", "data_id"),
    ),
    "transfers": NeutralTable(
        "transfers",
        {
            "data_id": ("data", ID),
            "src_node": ("from_node", ID),
            "dst_node": ("to_node", ID),
            "t_send": ("t_send", NS),
            "t_recv": ("t_recv", NS),
            "nbytes": ("bytes", NS),
        },
        ("data_id", "dst_node", "t_recv"),
    ),
    "runtime": NeutralTable(
        "runtime_intervals",
        {
            "worker_id": ("worker", ID),
            "t_start": ("t_start", NS),
            "t_end": ("t_end", NS),
            "total_ns": ("total_ns", NS),
        },
        ("worker_id", "t_start", "t_end"),
    ),
}
