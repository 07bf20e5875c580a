"""Counts and metrics of Intel VTune: its reports hw-events and summary as CSV.

Sources: `vtune -report hw-events -format csv` (a column `Hardware Event Count:EVENT` for each
event, rows by function, module, process ...) and `vtune -report summary -format csv` (`Hierarchy
Level,Metric Name,Metric Value`). What lands in pmu_samples:

- Of hw-events each count by its event's name; `region` is the first column, as Function or Process.
  Counts of samples are left out; a column with (K), (M) or (G) is in thousands ... and multiplied.
- Of a summary each metric that is a number, by its name: Memory Bound. Its whole is that of the
  run, as are Elapsed Time, Computer Name and the processor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ingest.base import Head, Item, LeftOut, Run, SingleFile
from ingest.parsing.counter_table import Sample, batches, number, records
from ingest.parsing.lines import named_cells
from ingest.recording import Recording
from warehouse.errors import InputError

_SEPARATORS = ",;\t^"
_EVENT = re.compile(r"Hardware Event Count:([^:()]+?)(?::Self)?(?: \(([KMG])\))?")
_SCALES = {None: 1.0, "K": 1e3, "M": 1e6, "G": 1e9}
_SUMMARY = ["Hierarchy Level", "Metric Name", "Metric Value"]
_VALUE = re.compile(r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(%)?(?: of .*)?")


class VTune(SingleFile):
    """Counts of hardware events and metrics that VTune reports."""

    NAME = "vtune"
    DESCRIPTION = "counts and metrics of Intel VTune (CSV): reports hw-events and summary"
    PATTERNS = ("vtune_hw_events.csv", "vtune_summary.csv")
    TABLES = ("pmu_samples",)

    def sniff(self, head: Head) -> bool:
        """Recognise the heading."""
        first = head.data.decode("utf-8", "replace").lstrip("\ufeff\n\r").split("\n", 1)[0]
        return "Hardware Event Count:" in first or (
            re.split(rf"[{_SEPARATORS}]", first.strip().replace('"', ""))[:3] == _SUMMARY
        )

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its counts."""
        lines = records(recording, _SEPARATORS)
        heading = next((fields for _, fields in lines if fields), [])
        if heading[:3] == _SUMMARY:
            yield from _summary(lines)
            return
        found = _counts(heading, lines)
        first = next(found, None)
        if first is None:
            raise InputError("there are no counts", expected="a column Hardware Event Count:EVENT")
        yield Run()
        yield from batches(chain([first], found))


def _counts(heading: list[str], lines: Iterator[tuple[int, list[str]]]) -> Iterator[Sample]:
    events = {column: found for column in heading if (found := _EVENT.fullmatch(column))}
    for line, fields in lines:
        if not fields:
            continue
        where = f"line {line}"
        cells = named_cells(heading, fields, where)
        for column, found in events.items():
            value = number(cells[column], where, column)
            yield {
                "event": found[1],
                "value": None if value is None else value * _SCALES[found[2]],
                "region": fields[0].strip() or None,
                "sample": 0,
            }


def _summary(lines: Iterator[tuple[int, list[str]]]) -> Iterator[Item]:
    samples: list[Sample] = []
    facts: dict[str, str] = {}
    others = 0
    for _, fields in lines:
        if len(fields) < len(_SUMMARY):
            continue
        name, text = fields[1].strip(), fields[2].strip()
        value = _VALUE.fullmatch(text)
        # A table within has more columns; a metric of a part comes after that of the whole.
        if value is None or len(fields) > len(_SUMMARY) or name in facts:
            others += text != "" and value is not None
            facts.setdefault(name, text)
            continue
        facts[name] = text
        samples.append({"event": name, "value": float(value[1]), "unit": value[2], "sample": 0})
    if not samples:
        raise InputError("there are no metrics", expected="a metric with a number")
    elapsed = _VALUE.fullmatch(facts.get("Elapsed Time", ""))
    yield Run(
        machine=facts.get("Computer Name") or None,
        wall_seconds=float(elapsed[1]) if elapsed else None,
        environment={"cpu": facts["Name"]} if facts.get("Name") else {},
    )
    yield from batches(iter(samples))
    yield LeftOut(others, "metric", "of a part of the program, or of a table in the summary")
