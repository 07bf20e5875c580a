"""Chrome trace events as JSON, the format that most tracers can write, and PyTorch Kineto's.

What lands, and how nested slices, flows and launches become tasks and dependences, is in
`ingest.parsing.timelines.landing`. Of a plain Chrome trace every thread is a worker and its
outermost slices are tasks; VizTracer traces each function, so that its threads are there from their
first slice to their last. An end (E) with a name ends the last slice of that name. Asynchronous
operations land with their elapsed times only, counters as metrics: mean over time and maximum.

Of a Kineto trace each stream of a GPU is a worker too, named by device and stream, with kernels,
copies and fills as tasks; the call with the same correlation has launched them. Annotations and
frames of Python are spans; cudaDeviceSynchronize and its like are waits; steps have one name.
Several ranks are one run: the traces in one folder whose distributedInfo has the same world_size
and different ranks. Their times are on one clock, as Kineto writes them. Instants at which memory
was allocated or freed are samples of what each device had in use and reserved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ingest.base import DEVICE_TABLES, Head, Item
from ingest.readers.tasks.chrome_trace.ranks import ranks_beside
from ingest.recording import Recording

_OBJECT = re.compile(rb'\s*\{(?s:.*?)"traceEvents"\s*:\s*\[')
_ARRAY = re.compile(rb'\s*\[\s*\{(?=(?s:.*?)"ph"\s*:\s*")(?=(?s:.*?)"ts"\s*:)')


class ChromeTrace:
    """Chrome traces and Kineto's; of the latter all ranks in a folder."""

    NAME = "chrome-trace"
    DESCRIPTION = "Chrome trace event JSON, PyTorch profiler traces (Kineto, all ranks of a run)"
    PATTERNS = ("*.trace.json", "*.pt.trace.json", "trace*.json", "*.trace.json.gz")
    TABLES = (*DEVICE_TABLES, "fn_timings", "metrics", "pmu_samples")
    WHOLE_FOLDER = False

    def sniff(self, head: Head) -> bool:
        """Recognise an object with traceEvents, or an array of events with phase and time."""
        return any(form.match(head.data) is not None for form in (_OBJECT, _ARRAY))

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the traces of all ranks that lie in the folder, by rank."""
        return ranks_beside(path)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, then the rows of each process; the files are read first."""
        from ingest.readers.tasks.chrome_trace.processes import process_items

        yield from process_items(recording)
