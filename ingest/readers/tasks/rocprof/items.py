"""From the tables of a trace to its items.

Counters of kernels are those of rocprof's and rocprofv2's tables, and of rocprofv3's counter
collection. Sources: the documentation of rocprof (results.csv of -i input.txt), of rocprofv2 and of
rocprofv3 (*_counter_collection.csv, a row for each counter of a dispatch). `region` is the kernel,
`sample` the number of its dispatch, `seconds` how long that took. Units are those in which AMD's
documentation defines derived counters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.base import Item, LeftOut, Rows, Run
from ingest.parsing.numbers import cast
from ingest.parsing.sqlite_file import MAGIC, opened
from ingest.parsing.timelines.landing import landing
from ingest.parsing.timelines.tables import Table, combined
from ingest.readers.tasks.rocprof.csv_traces import csv_table, read_columns
from ingest.readers.tasks.rocprof.rocpd import rocpd_facts, rocpd_tables
from ingest.recording import Recording
from warehouse.errors import InputError

_FACTS = frozenset(
    (
        *("index", "dispatch_id", "kernelname", "kernel_name", "gpu-id", "gpu_id", "queue-id"),
        *("queue_id", "queue-index", "queue_index", "pid", "tid", "grd", "wgr", "lds", "scr"),
        *("vgpr", "arch_vgpr", "accum_vgpr", "sgpr", "wave_size", "fbar", "sig", "obj"),
        *("dispatchns", "beginns", "endns", "completens", "durationns", "correlation_id"),
        *("start_timestamp", "end_timestamp", "agent_id", "kind", "thread_id", "kernel_id"),
        *("private_segment_size", "group_segment_size", "stream_id", "guid", "counters"),
        *("workgroup_size_x", "workgroup_size_y", "workgroup_size_z"),
        *("grid_size_x", "grid_size_y", "grid_size_z", "lds_block_size", "scratch_size"),
        *("vgpr_count", "accum_vgpr_count", "sgpr_count"),
    )
)
_LONG = "counter_name"
_NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_UNITS: Mapping[str, str] = {
    **dict.fromkeys(("VALUUtilization", "VALUBusy", "SALUBusy", "GPUBusy", "L2CacheHit"), "%"),
    **dict.fromkeys(("MemUnitBusy", "MemUnitStalled", "WriteUnitStalled"), "%"),
    **dict.fromkeys(("ALUStalledByLDS", "LDSBankConflict", "OccupancyPercent"), "%"),
    **dict.fromkeys(("VALUInsts", "SALUInsts", "VFetchInsts", "SFetchInsts"), "1/item"),
    **dict.fromkeys(("VWriteInsts", "LDSInsts", "GDSInsts", "FlatVMemInsts"), "1/item"),
    **dict.fromkeys(("FetchSize", "WriteSize", "FETCH_SIZE", "WRITE_SIZE"), "KB"),
}


def has_counters(names: Mapping[str, str]) -> bool:
    """Return whether a table of kernels has counters; `names` has its columns in lower case."""
    if _LONG in names:
        return True
    is_trace = "kind" in names or "domain" in names
    return not is_trace and "kernel" in "".join(names) and not names.keys() <= _FACTS


def counters(columns: Mapping[str, pa.Array], names: Mapping[str, str]) -> Iterator[Item]:
    """Yield the counters of a table, whose columns and their own names are by lower case.

    Raises `InputError` where one is not a number.
    """
    kernels = columns["kernel_name" if "kernel_name" in columns else "kernelname"]
    seconds = _seconds(columns)
    if _LONG in columns:
        of_dispatch = columns["dispatch_id"]
        yield _rows(kernels, of_dispatch, seconds, columns[_LONG], columns["counter_value"])
        return
    dispatches = columns["dispatch_id" if "dispatch_id" in columns else "index"]
    for lower, name in names.items():
        if lower in _FACTS:
            continue
        if _is_text(columns[lower]):
            yield LeftOut(1, "column", "texts, no counter")
        else:
            yield _rows(kernels, dispatches, seconds, [name] * len(kernels), columns[lower])


def _is_text(column: pa.Array) -> bool:
    return len(column) > 0 and not _NUMBER.fullmatch(str(column[0]))


def _seconds(columns: Mapping[str, pa.Array]) -> pa.Array:
    """Return how long the kernels took, NULL where the table has no times."""
    for names in (("start_timestamp", "end_timestamp"), ("beginns", "endns")):
        if columns.keys() >= set(names):
            begin, end = (columns[name] for name in names)
            seconds = pc.divide(pc.subtract(end, begin).cast(pa.float64()), 1e9)
            return pc.if_else(pc.greater(seconds, 0.0), seconds, pa.scalar(None, pa.float64()))
    return pa.nulls(len(next(iter(columns.values()))), pa.float64())


def _rows(
    kernels: pa.Array, dispatches: pa.Array, seconds: pa.Array, events: pa.Array, values: pa.Array
) -> Rows:
    lines = np.arange(2, len(kernels) + 2)
    events = pa.array(events, pa.string())
    return Rows.of_columns(
        "pmu_samples",
        region=kernels,
        sample=cast(dispatches, pa.int64(), lines, "dispatch"),
        event=events,
        value=cast(values, pa.float64(), lines, "counter"),
        seconds=seconds,
        unit=[_UNITS.get(event) for event in events.to_pylist()],
    )


_TAGS = {"runtime": "ROCm"}


def rocprof_items(recording: Recording) -> Iterator[Item]:
    """Yield the run, then its rows, times from its first event on."""
    with recording.open() as file:
        is_database = file.peek(len(MAGIC)).startswith(MAGIC)
    counted: list[Item] = []
    if is_database:
        with opened(recording.plain()) as database:
            tables = rocpd_tables(database)
            run = rocpd_facts(database, _TAGS)
    else:
        tables = []
        for part in recording.parts:
            columns, names = read_columns(recording, part)
            if (table := csv_table(columns, part)) is not None:
                tables.append(table)
            if has_counters(names):
                counted += counters(columns, names)
        run = Run(tags=_TAGS)
    yield run
    yield from counted
    found: list[Table] = [table for table in tables if len(table.start)]
    if not found and counted:
        return
    if not found:
        raise InputError(
            "the trace has neither work of a GPU nor calls",
            expected="a trace of rocprofv3 --kernel-trace --hip-trace",
        )
    timeline, unfinished = combined(found)
    if not len(timeline.slices.start):
        raise InputError("no event of the trace has a start and an end")
    yield LeftOut(unfinished, "event", "without a start or an end, or it ends before it starts")
    yield from landing(timeline, timeline.begin)
