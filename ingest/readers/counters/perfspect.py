"""Metrics of Intel PerfSpect: the summary of a run, and the table over time.

Sources: recordings of PerfSpect 1 (summary: `metrics,avg,p95,min,max`), and its documentation and
source for PerfSpect 3 (summary: `metric,mean,min,max,stddev`; over time: a line a moment,
`TS,SKT,CPU,CID,` and a column a metric). What lands in pmu_samples:

- `event` is the metric's name as PerfSpect writes it, `value` its mean. The other columns of a
  summary are events too, their heading behind the name: `metric_CPI p95`.
- `deviation` is the standard deviation over the mean, where the summary has one.
- Over time, `sample` counts the lines of one place from 0; `t_start` is TS in ns since the first
  one where TS counts seconds. `cpu` is CPU; a socket or a cgroup is the `region`.
- `unit` is what the name has in brackets, or %; of power J/s, of latencies ns/access, of MPI
  misses/instruction.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from ingest.base import Head, Item, Run, SingleFile
from ingest.parsing.counter_table import Sample, batches, number, records
from ingest.parsing.lines import named_cells, quoted
from ingest.recording import Recording
from warehouse.errors import InputError

Records = Iterator[tuple[int, list[str]]]

_SUMMARIES = tuple([name, mean] for name in ("metric", "metrics") for mean in ("avg", "mean"))
_PLACES = ("TS", "SKT", "CPU", "CID")
_UNIT = re.compile(r"\((?:in )?([^()]*(?:Hz|/s|/sec|sec|W|watts|C|%|clks|ns))\)")
# Nothing of PerfSpect adds up over time: it writes means of an interval.
_MEANS = {"W": "J/s", "watts": "J/s", "ns": "ns/access"}
_PER_INSTRUCTION = re.compile(r"\bMPI\b")
_LARGEST_CPU = 1 << 20


class PerfSpect(SingleFile):
    """Metrics of Intel PerfSpect, summed up or over time."""

    NAME = "perfspect"
    DESCRIPTION = "metrics of Intel PerfSpect (CSV): summary or over time"
    PATTERNS = ("metric_out.average.csv", "*_metrics.csv", "*_metrics_summary.csv")
    TABLES = ("pmu_samples",)

    def sniff(self, head: Head) -> bool:
        """Recognise the heading."""
        first = head.data.decode("utf-8", "replace").split("\n", 1)[0]
        fields = [field.strip().strip('"') for field in first.split(",")]
        return _is_summary(fields) or tuple(fields[:4]) == _PLACES

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its metrics."""
        lines = records(recording)
        _, heading = next(lines, (1, []))
        if _is_summary(heading):
            found = _summary(heading, lines)
        elif tuple(heading[:4]) == _PLACES and len(heading) > 4:
            found = _over_time(heading, lines)
        else:
            raise InputError(
                f"the heading is {quoted(','.join(heading))}",
                where="line 1",
                expected="metrics,avg,... or metric,mean,... or TS,SKT,CPU,CID,...",
            )
        first = next(found, None)
        if first is None:
            raise InputError("there are no metrics", where="end of the file", expected="a metric")
        yield Run()
        yield from batches(chain([first], found))


def _is_summary(heading: list[str]) -> bool:
    return [name.lower() for name in heading[:2]] in _SUMMARIES


def _summary(heading: list[str], lines: Records) -> Iterator[Sample]:
    seen: set[str] = set()
    for line, fields in lines:
        where = f"line {line}"
        named_cells(heading, fields, where)
        name = fields[0].strip()
        if not name or name in seen:
            problem = f"the metric {quoted(name)} is repeated" if name else "the metric has no name"
            raise InputError(problem, where=where, expected="each metric once")
        seen.add(name)
        columns = [column.lower() for column in heading[1:]]
        values = {
            column: number(field, where, f"{column} of {name}")
            for column, field in zip(columns, fields[1:], strict=True)
        }
        unit = _unit(name)
        mean, spread = values.pop(columns[0]), values.pop("stddev", None)
        deviation = spread / abs(mean) if spread is not None and mean else None
        yield {"event": name, "value": mean, "unit": unit, "deviation": deviation}
        for column, value in values.items():
            yield {"event": f"{name} {column}", "value": value, "unit": unit}


def _over_time(heading: list[str], lines: Records) -> Iterator[Sample]:
    names = heading[4:]
    units = [_unit(name) for name in names]
    count: Counter[tuple[str, ...]] = Counter()
    began: float | None = None
    for line, fields in lines:
        where = f"line {line}"
        named_cells(heading, fields, where)
        moment, socket, cpu, cgroup = (field.strip() for field in fields[:4])
        seconds = number(moment, where, "TS") if re.fullmatch(r"[\d.]+", moment) else None
        began = seconds if began is None else began
        place = {
            "cpu": _cpu(cpu, where),
            "region": cgroup or (f"S{socket}" if socket and not cpu else None),
            "sample": count[(socket, cpu, cgroup)],
            "t_start": None if seconds is None or began is None else round((seconds - began) * 1e9),
        }
        count[(socket, cpu, cgroup)] += 1
        for name, unit, field in zip(names, units, fields[4:], strict=True):
            value = number(field, where, name)
            yield {**place, "event": name, "unit": unit, "value": value}


def _cpu(text: str, where: str) -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"\d{1,7}", text) or int(text) > _LARGEST_CPU:
        raise InputError(f"CPU is {quoted(text)}", where=where, expected="a processor's number")
    return int(text)


def _unit(name: str) -> str | None:
    if found := _UNIT.search(name):
        return _MEANS.get(found[1], found[1])
    if _PER_INSTRUCTION.search(name):
        return "misses/instruction"
    return "%" if "%" in name else None
