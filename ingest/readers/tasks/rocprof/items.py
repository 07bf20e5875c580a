"""From the tables of a trace to its items."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.base import Item, LeftOut, Run
from ingest.parsing.sqlite_file import MAGIC, opened
from ingest.parsing.timelines.landing import landing
from ingest.parsing.timelines.tables import Table, combined
from ingest.readers.tasks.rocprof.counters import counters, has_counters
from ingest.readers.tasks.rocprof.csv_traces import csv_table, read_columns
from ingest.readers.tasks.rocprof.rocpd import rocpd_facts, rocpd_tables
from ingest.recording import Recording
from warehouse.errors import InputError

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
