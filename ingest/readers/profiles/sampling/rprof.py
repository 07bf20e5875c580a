"""Output of R's Rprof: "order" "sort" "main", one line a sample, from the leaf to the root.

Source: R_doProf in R's src/main/eval.c, and what R 4.2 writes. The first line states the interval
in microseconds, of the processor's time or of the clock (event = "elapsed", Windows): the file does
not state of which. With append = TRUE the line is repeated.

- The interval is a sample's time. "<GC>" is garbage collection (gc.profiling).
- Before a function can be where in a file it was (line.profiling), as 1#12: a function is one
  function, whichever line ran.
- Before a sample can be what the heap had (memory.profiling): its highest sum is `peak_heap`. The
  first two numbers are in units of 8 bytes, as in summaryRprof.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.base import Item, LeftOut, Run, SingleFile
from ingest.parsing.call_paths import frame_name
from ingest.parsing.lines import numbered_lines, unexpected
from ingest.parsing.metric_values import Value, rows
from ingest.readers.profiles.sampling.stacks import NO_THREAD, Measure, Stacks
from ingest.recording import Recording

_HEADER = r"(?:[A-Za-z]+ profiling: )*sample\.interval=(\d{1,9})\r?"
_TITLE = re.compile(_HEADER)
_SAMPLE = re.compile(r'(?::(\d{1,15}):(\d{1,15}):(\d{1,15}):\d+:)?((?:\d+#\d+ |(?>".*?" ))*+)')
_FUNCTION = re.compile(r'"(.*?)" |\d+#\d+ ')
_VECTOR = 8  # bytes
_MICROSECONDS = 1e6


class Rprof(SingleFile):
    """Reads R's own sampling profiles."""

    NAME = "rprof"
    DESCRIPTION = "R's Rprof (also with line.profiling, memory.profiling, gc.profiling)"
    PATTERNS = ("Rprof.out", "*.Rprof")
    TABLES = ("fn_timings", "pmu_samples", "metrics")
    START = re.compile(_HEADER.encode() + b"\n")

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its rows; see `Reader.read`."""

        stacks, known = Stacks(), dict[str, int]()
        time, counts = Measure("time", per_second=_MICROSECONDS), Measure("samples", "samples")
        interval = peak = without = placed = 0
        for number, line in numbered_lines(recording, must_end=True):
            if title := _TITLE.fullmatch(line):
                interval = int(title[1])
                continue
            if line.startswith("#File "):
                continue
            found = _SAMPLE.fullmatch(line)
            if found is None:
                raise unexpected(
                    line,
                    number,
                    'functions from the leaf on: "order" "sort" "main"',
                    "Is the file cut off or damaged here?",
                )
            if found[1]:
                small, large, nodes = map(int, found.groups()[:3])
                peak = max(peak, _VECTOR * (small + large) + nodes)
            text = found[4]
            if text not in known:
                names = [name for name in _FUNCTION.findall(text) if name]
                known[text] = stacks.path([frame_name(name) for name in reversed(names)])
            if known[text] < 0:
                without += 1
                continue
            placed += "#" in text
            counts.sums[NO_THREAD, known[text]] += 1
            time.sums[NO_THREAD, known[text]] += interval
        yield Run(tags={"recorder": "Rprof"})
        yield from stacks.items([time, counts])
        if peak:
            yield rows([Value("peak_heap", float(peak), "bytes", "lower")])
        yield LeftOut(without, "sample", "outside of functions")
        yield LeftOut(
            placed, "sample's lines", "functions are not told apart by line", "samples' lines"
        )
