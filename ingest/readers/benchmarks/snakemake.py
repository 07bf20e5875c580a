"""Snakemake's benchmarks: one row a repetition of a rule, separated by tabs.

Source: benchmark.py of Snakemake 9, and what 9.27 writes, also with --benchmark-extended. Each row
is a run: `s` is its wall time, the rule of an extended row its app, and the wildcards a tag. What
lands in `metrics`, added up over the processes that Snakemake sees of a job: max_rss, max_vms,
max_uss, max_pss, io_in and io_out (MiB there, bytes here), cpu_time (s). mean_load, which counts
nothing before the first look at a process, is 0 of a job that computes for a second: left out.

Snakemake looks at the start and every half second, after a while every 30 s. Of a job of less than
half a second it has seen the shell alone: there only the wall time lands. NA and - are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.base import Item, LeftOut, Run, SingleFile
from ingest.parsing.lines import named_cells, numbered_lines, quoted
from ingest.parsing.metric_values import Value, rows
from ingest.recording import Recording
from warehouse.errors import InputError

_MIB = float(1 << 20)
_BETWEEN_LOOKS = 0.5
# Factor and unit.
_METRICS = {
    **dict.fromkeys(
        ("max_rss", "max_vms", "max_uss", "max_pss", "io_in", "io_out"), (_MIB, "bytes")
    ),
    "cpu_time": (1.0, "s"),
}
_NUMBER = re.compile(r"\d{1,15}(?:\.\d+)?")
_UNKNOWN = ("NA", "-", "")


class Snakemake(SingleFile):
    """Reads the benchmark file of a rule."""

    NAME = "snakemake"
    DESCRIPTION = "benchmarks of Snakemake's rules (benchmark: FILE.tsv): times, memory, I/O"
    PATTERNS = ("*.tsv", "*.benchmark.txt")
    TABLES = ("metrics",)
    START = re.compile(rb"s\th:m:s\tmax_rss\t")

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield a run and its values for each row; see `Reader.read`."""
        lines = numbered_lines(recording, must_end=True)
        names = next(lines, (1, ""))[1].split("\t")
        found = [
            (where := f"line {number}", named_cells(names, line.split("\t"), where))
            for number, line in lines
        ]
        values: list[Value] = []
        short = 0
        for place, (where, row) in enumerate(found):
            seconds = _value(row, "s", where)
            yield _run(row, seconds, str(place) if len(found) > 1 else None)
            if seconds is not None and seconds < _BETWEEN_LOOKS:
                short += 1
                continue
            for metric, (factor, unit) in _METRICS.items():
                value = _value(row, metric, where)
                if value is not None:
                    values.append(Value(metric, factor * value, unit, "lower", run=place))
        yield rows(values)
        loads = len(found) if "mean_load" in names else 0
        yield LeftOut(loads, "mean load", "it begins with 0; cpu_time lands")
        yield LeftOut(
            short,
            "job's memory and processor time",
            f"it took less than {_BETWEEN_LOOKS} s, in which Snakemake looks at the shell only",
            "jobs' memory and processor time",
        )


def _value(row: dict[str, str], name: str, where: str) -> float | None:
    text = row.get(name, "")
    if text in _UNKNOWN:
        return None
    if not _NUMBER.fullmatch(text):
        raise InputError(f"{name} is {quoted(text)}", where=where, expected="a number")
    return float(text)


def _run(row: dict[str, str], seconds: float | None, key: str | None) -> Run:
    threads, wildcards = row.get("threads", ""), row.get("wildcards", "{}")
    return Run(
        key=key,
        app=row.get("rule_name") or None,
        wall_seconds=seconds or None,  # 0.00 is less than was measured
        threads=int(threads) if threads.isdecimal() and len(threads) < 6 and int(threads) else None,
        tags={"wildcards": wildcards} if wildcards not in ("{}", *_UNKNOWN) else {},
    )
