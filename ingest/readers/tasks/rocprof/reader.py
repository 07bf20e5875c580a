"""AMD's GPU traces: CSV files of rocprofv3 and of rocprof, and rocpd databases.

What lands, and how calls and launches become tasks and dependences, is in
`ingest.parsing.timelines.landing`. Each queue of a GPU is a worker (its stream, where the trace
knows streams), with kernels and copies as tasks; so is each thread that called HIP or HSA or has
ranges of roctx. Calls are work, hipDeviceSynchronize and its like and HSA's waits for signals are
waits, ranges spans. The CSV files of one process (`238_kernel_trace.csv`,
`238_hip_api_trace.csv`, ...) are one recording; a call with the same correlation launched what
ran. The older rocprof's results.csv has kernels only,
with their counters (-i) in further columns; counter_collection.csv of rocprofv3 has counters only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ingest.base import DEVICE_TABLES, Head, Item
from ingest.compressed import bare_name
from ingest.recording import Recording

_MAGIC = b"SQLite format 3\0"
_TRACES = ("kernel_trace", "memory_copy_trace")
_CALLS = ("hip_api_trace", "hsa_api_trace", "marker_api_trace", "rccl_api_trace")
_PART = re.compile(rf"(.*?)_?({'|'.join((*_TRACES, *_CALLS))})\.csv", re.IGNORECASE)
_COLUMNS = re.compile(
    rb'\s*(?:"?Guid"?,)?"?(?:Kind|Domain)"?,[^\n]*"?Start_Timestamp"?,"?End_Timestamp"?',
    re.IGNORECASE,
)
_RESULTS = re.compile(
    rb'\s*"?(?:Index"?,"?KernelName"?,[^\n]*"?(?:BeginNs"?,"?EndNs|sig"?,"?obj)\b'
    rb'|Dispatch_ID"?,[^\n]*"?Kernel_Name"?,|(?:Correlation_Id"?,)[^\n]*"?Counter_Name"?,)',
    re.IGNORECASE,
)


class Rocprof:
    """Traces of AMD's GPUs."""

    NAME = "rocprof"
    DESCRIPTION = "AMD GPU traces and counters: CSV of rocprofv3 and rocprof, rocpd databases"
    PATTERNS = ("*_kernel_trace.csv", "*_hip_api_trace.csv", "results.csv", "*.db", "*.rpd")
    TABLES = (*DEVICE_TABLES, "fn_timings", "pmu_samples")
    WHOLE_FOLDER = False

    def sniff(self, head: Head) -> bool:
        """Recognise the columns of a trace, or the tables of a rocpd database."""
        data = head.data
        if data.startswith(_MAGIC):
            return b"rocpd_" in data
        return _COLUMNS.match(data) is not None or _RESULTS.match(data) is not None

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the traces of one process that lie next to each other, kernels first."""
        own = _PART.fullmatch(bare_name(path))
        if own is None:
            return (path,)
        found: dict[str, Path] = {}
        for other in sorted(path.parent.iterdir()):
            match = _PART.fullmatch(bare_name(other))
            if match is not None and match[1] == own[1] and other.is_file():
                found.setdefault(match[2].lower(), path.parent / other.name)
        found[own[2].lower()] = path
        return tuple(found[kind] for kind in (*_TRACES, *_CALLS) if kind in found)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, then its rows; all events are read first."""
        from ingest.readers.tasks.rocprof.items import rocprof_items

        yield from rocprof_items(recording)
