"""Top-down shares of pmu-tools: what `toplev -x SEP -o FILE` writes.

Source: tl_output.py of pmu-tools (OutputCSV). A heading, with `Timestamp` (-I) and `CPUs` where
there are several, then a line for each node and metric. What lands in pmu_samples:

- `event` is the node's full name (Backend_Bound.Memory_Bound), `value` and `unit` as toplev writes
  them (`% Slots`; its sign < for nodes below their threshold is left out).
- `running` is Multiplex, `deviation` Stddev over the value.
- `sample` numbers the intervals of a place from 0, `t_end` is their end in ns; the sums of the
  whole (SUMMARY) are left out. `cpu` is the processor, any other place is the `region`.
- The processor that the first line names is of the run's environment.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from ingest.base import Head, Item, Run, SingleFile
from ingest.parsing.counter_table import Sample, batches, number, records
from ingest.parsing.lines import named_cells
from ingest.recording import Recording
from warehouse.errors import InputError

_HEADING = re.compile(
    r'^"?(?:Timestamp"?[,;\t]"?)?(?:CPUs"?[,;\t]"?)?Area"?([,;\t])"?Value"?\1"?Unit', re.MULTILINE
)
_ON = re.compile(r"# \S+ on (.+?)(?: \[|$)")
_CPU = re.compile(r"CPU(\d{1,6})")


class Toplev(SingleFile):
    """Shares of issue slots by toplev of pmu-tools."""

    NAME = "toplev"
    DESCRIPTION = "top-down shares of pmu-tools: toplev -x, (any separator); with -I, --per-core"
    PATTERNS = ("toplev.csv",)
    TABLES = ("pmu_samples",)

    def sniff(self, head: Head) -> bool:
        """Recognise the heading."""
        return _HEADING.search(head.data.decode("utf-8", "replace")) is not None

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and the values of its nodes."""
        lines = records(recording, ",;\t")
        environment: dict[str, str] = {}
        heading: list[str] = []
        for _, fields in lines:
            if cpu := _ON.match(",".join(fields)):
                environment["cpu"] = cpu[1]
            elif fields and not fields[0].startswith("#"):
                heading = fields
                break
        if not {"Area", "Value", "Unit"} <= set(heading):
            raise InputError("there is no heading", expected="columns Area, Value, Unit ...")
        found = _samples(heading, lines)
        first = next(found, None)
        if first is None:
            raise InputError("there are no values", expected="a heading and a line for each node")
        yield Run(environment=environment)
        yield from batches(chain([first], found))


def _samples(heading: list[str], lines: Iterator[tuple[int, list[str]]]) -> Iterator[Sample]:
    times: dict[str, str] = {}
    count: Counter[str] = Counter()
    for line, fields in lines:
        if not fields or fields[0].startswith("#") or fields == heading:
            continue
        where = f"line {line}"
        cells = named_cells(heading, fields, where)
        time, place = cells.get("Timestamp", ""), cells.get("CPUs", "")
        if time == "SUMMARY":
            continue
        if times.setdefault(place, time) != time:
            times[place] = time
            count[place] += 1
        end = number(time, where, "Timestamp")
        value = number(cells["Value"], where, "Value")
        deviation = number(cells.get("Stddev", ""), where, "Stddev")
        running = number(cells.get("Multiplex", ""), where, "Multiplex")
        cpu = _CPU.fullmatch(place)
        yield {
            "event": cells["Area"],
            "value": value,
            "unit": cells["Unit"].rstrip("<? ") or None,
            "deviation": deviation / abs(value) if value and deviation is not None else None,
            # 0 where toplev does not know
            "running": min(running, 100) / 100 if running else None,
            "cpu": int(cpu[1]) if cpu else None,
            "region": None if cpu else place or None,
            "sample": count[place],
            "t_end": None if end is None else round(end * 1e9),
        }
