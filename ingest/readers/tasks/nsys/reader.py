"""Nsight Systems reports as SQLite: `nsys export --type sqlite REPORT.nsys-rep`.

What lands, and how calls and launches become tasks and dependences, is in
`ingest.parsing.timelines.landing`. Each stream of a GPU is a worker, with kernels, graphs, copies
and fills as tasks; so is each thread that called CUDA or MPI or has ranges of NVTX. Calls are
work, cudaDeviceSynchronize and its like waits, pushed and popped ranges spans; ranges between
threads and calls of the operating system (poll, pthread_cond_wait, ...), most of which wait for
something, land with their elapsed times only. A kernel bears its full (demangled) name. Times
count from the first event on; the start of the session dates them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.base import DEVICE_TABLES, Head, Item, SingleFile
from ingest.recording import Recording

_MAGIC = b"SQLite format 3\0"
_MARKS = (b"CUPTI_ACTIVITY_KIND_", b"CREATE TABLE NVTX_EVENTS", b"META_DATA_EXPORT", b"nsys")


class Nsys(SingleFile):
    """The SQLite export of a report of Nsight Systems."""

    NAME = "nsys"
    DESCRIPTION = "Nsight Systems reports exported as SQLite (nsys export --type sqlite)"
    PATTERNS = ("*.sqlite", "*.db")
    TABLES = (*DEVICE_TABLES, "fn_timings")

    def sniff(self, head: Head) -> bool:
        """Recognise a SQLite database with tables of CUPTI, NVTX or the export."""
        data = head.data
        return (
            data.startswith(_MAGIC)
            and b"StringIds" in data
            and any(mark in data for mark in _MARKS)
        )

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, then its rows; all events are read first."""
        from ingest.readers.tasks.nsys.report import report_items

        yield from report_items(recording)
