"""Counters of `perf stat`: separated (-x), JSON (-j) and the text for people.

Source: perf-stat(1) of Linux, sections CSV FORMAT and JSON FORMAT. What lands in pmu_samples:

- One row per event and place. `cpu` is the processor (-A), `thread` the thread id (--per-thread).
  `region` names any other place: socket, die, cluster, cache, core or node as perf writes it
  (S0-D0-C1), the command name of a thread, the cgroup. How many processors perf added up is not
  kept.
- With -I, `sample` numbers the intervals from 0, `t_start` and `t_end` are their bounds in ns since
  perf began; the sums of --summary are left out. Without -I there is one sample, without times.
  Executions written to one file (`2>> FILE`) that nothing distinguishes are samples 0, 1, 2 ...
- `value` is in perf's `unit`; NULL for <not counted> and <not supported>, as `running` is then.
- `deviation` (-r) is perf's own: the standard error of the mean, relative to the mean.
- Of the tables of --metric-only and --topdown (text, -x, -j) each value lands under its name.
- Numbers with decimal commas, as perf writes them in some languages, are read where they are
  unambiguous: not with -x, (the same comma) and not where perf itself lost the decimals.
- Metrics land as perf's --metric-only shows them: as events with the metric's name, without the
  rates ("/sec", "CPUs utilized") that follow from the counts. One that is not a number or has no
  name is left out. `unit` is what perf writes or the name implies (%, insn/cycle); the clock (GHz)
  is `cycles frequency`; those of hybrid processors end with their core: (cpu_core), (cpu_atom).

`# started on` is local time of an unknown zone and is taken as UTC. The command line gives the app
(its file name) and the tag `command`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.base import Head, Item, SingleFile
from ingest.readers.counters.perf_stat.runs import HEADER, INTERVALS, METRICS, STARTED
from ingest.readers.counters.perf_stat.signs import (
    JSON,
    has_decimal_comma,
    heading_separator,
    is_object,
    separator,
    separator_before_4,
)
from ingest.recording import Recording

_BEGIN = re.compile(
    rf"{STARTED}[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} [ \d]\d |{HEADER}|{INTERVALS}|{METRICS}",
    re.MULTILINE,
)
_SHOWN = 50
_LONGEST = 4096  # characters
# Tables with separators at the ends of lines are written by others, too.
_METRIC = re.compile(
    r"^# started on |GHz|insn per cycle|of all |\btma_|/sec|CPUs utilized|stalled cycles|%  \w"
)


class PerfStat(SingleFile):
    """Counters of Linux `perf stat`, in all the forms that it writes."""

    NAME = "perf-stat"
    DESCRIPTION = "counters of Linux perf stat: -x (any separator), -j, or text; with -I, -r, -A"
    PATTERNS = ("perf-stat.csv", "perf-stat.json", "perf-stat.txt")
    TABLES = ("pmu_samples",)

    def sniff(self, head: Head) -> bool:
        """Recognise perf's own headers, or a first line as only perf writes it."""
        text = head.data.decode("utf-8", "replace")
        if _BEGIN.search(text):
            return True
        lines = text.splitlines()
        # Where perf has no metric, an empty object is the first.
        first = next((line for line in lines if line.strip() not in ("", "{}")), "")
        # A count is a short line. One of a trace in JSON may be the whole file, in which to look
        # for separators takes longer than to land it.
        separates = None
        if len(first) <= _LONGEST:
            if has_decimal_comma(first):
                first = re.sub(r"(\d),(\d)", r"\1.\2", first)
            separates = separator(first) or separator_before_4(first)
        if JSON.match(first) is not None or separates is not None or is_object(first):
            return True
        return heading_separator(lines[:_SHOWN]) is not None and _METRIC.search(text) is not None

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the runs, and their counts stretch by stretch."""
        from ingest.readers.counters.perf_stat.counts import items

        yield from items(recording)
