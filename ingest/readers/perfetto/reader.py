"""Perfetto's own traces (protobuf), through its trace processor where that is installed.

What lands, and how nested slices and flows become tasks and dependences, is in
`ingest.parsing.timelines.landing`. Every thread with slices is a worker. Where no thread has any,
as in a recording of the scheduler alone, the CPUs are workers and what they ran are tasks, named by
thread. Slices of other tracks, which are asynchronous, land with their elapsed times only. Counters
are metrics: those that only grow (times of CPUs, interrupts) with their increase, others with mean
over time and maximum. Samples of stacks and of heaps are counted as left out.

Source: perfetto.dev, "PerfettoSQL prelude" (tables of the trace processor).
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.base import Head, Item, SingleFile
from ingest.readers.perfetto import trace_processor
from ingest.recording import Recording
from ingest.signatures import PERFETTO

_PACKET = b"\n"  # a trace is a repeated field 1


class Perfetto(SingleFile):
    """Reads what Perfetto, Chromium and Android record, by Perfetto's own program."""

    NAME = "perfetto"
    DESCRIPTION = "Perfetto traces (protobuf), where its trace_processor is installed"
    PATTERNS = ("*.pftrace", "*.perfetto-trace")
    TABLES = ("nodes", "workers", "tasks", "task_data", "task_inputs", "fn_timings", "metrics")

    def sniff(self, head: Head) -> bool:
        """Recognise a snapshot of clocks or the name, where the trace processor is installed."""
        return (
            head.data.startswith(_PACKET)
            and PERFETTO.fits(head)
            and trace_processor.program() is not None
        )

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, then its rows; the trace processor reads the whole trace first."""
        from ingest.readers.perfetto.items import trace_items

        yield from trace_items(trace_processor.answer(recording))
