"""Output of Nsight Compute without --csv: a table of metrics for each section of each launch.

Source: Nsight Compute's command line documentation (--page details, and --page raw, a table for
each launch), and what versions of 2019 to 2025 print. What lands is what the reader `ncu` lands of
the same as CSV; `sample` is the number of the launch in the file, from 0, as its ID is. Rules are
told by their advice, as their names are not printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa

from ingest.base import Head, Item, Rows, Run, SingleFile
from ingest.parsing.lines import numbered_lines, unexpected
from ingest.readers.counters.ncu.reader import rule_rows, tall, with_lengths
from ingest.readers.counters.ncu.rules import Rule
from ingest.readers.counters.ncu.values import Separators, check_any
from ingest.recording import Recording
from warehouse.errors import InputError

_LAUNCH = re.compile(
    r"  (\S.*?)(?: \(\d+, \d+, \d+\)x\(\d+, \d+, \d+\))?"
    r"(?:, \d{4}-\w{3}-\d\d \d\d:\d\d:\d\d)?, Context \d+, Stream \d+"
    r"(?:, Device \d+(?:, CC (\d+\.\d+))?.*)?\s*"
)
_SECTION = re.compile(r"    Section: \S.*")
_DASHES = re.compile(r"    -+ -+ -+\s*")
_LAST = re.compile(rf"{_DASHES.pattern}|.*\.\s*")  # the end of a table, or of a sentence
_PROGRAM = re.compile(r"\[\d+\] (\S+)@\S+\s*")
_HEADING = "Metric Name"
_BATCH = 1 << 16
_FIRST = re.compile(
    rf"^(?:{_SECTION.pattern}|{_LAUNCH.pattern})\r?\n {{4}}-+ -+ -+[ \t]*\r?$", re.MULTILINE
)
_RULE = re.compile(r"    (?:OPT|INF|WRN)   (?:Est\. (Local )?Speedup: ([\d.]+)%)?\s*(.*)")
_ADVICE = re.compile(r" {10}(\S.*)")

Metric = tuple[str, str, str, str, str]  # ID, kernel, name, unit, value
_COLUMNS = ("ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value")


class NcuText(SingleFile):
    """Metrics of kernel launches as Nsight Compute prints them for people."""

    NAME = "ncu-text"
    DESCRIPTION = "metrics of kernel launches that Nsight Compute prints (ncu without --csv)"
    PATTERNS = ("ncu.txt", "*.ncu.txt")
    TABLES = ("pmu_samples",)

    def sniff(self, head: Head) -> bool:
        """Recognise the first table of a section."""
        return _FIRST.search(head.data.decode("utf-8", "replace")) is not None

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its metrics, some launches at a time."""
        separators = Separators()
        facts: dict[str, str] = {}
        found: list[Metric] = []
        rules: list[Rule] = []
        landed = 0
        yield Run()
        for metric in _metrics(recording, facts, rules):
            if len(found) >= _BATCH and metric[0] != found[-1][0]:
                landed += len(found)
                yield from _rows(found, separators)
                found.clear()
            found.append(metric)
        landed += len(found)
        yield from _rows(found, separators)
        separators.check()
        check_any(landed)
        yield from rule_rows(rules)
        yield Run(app=facts.pop("app", None), environment=facts)


def _metrics(recording: Recording, facts: dict[str, str], rules: list[Rule]) -> Iterator[Metric]:
    """Yield the metrics of all launches; the program's name is added to `facts`, and `rules`."""
    launch, kernel = -1, ""
    spans: list[tuple[int, int]] = []
    begins = False
    number = 0
    for number, line in numbered_lines(recording, must_end=_LAST.fullmatch):
        if found := _PROGRAM.fullmatch(line):
            facts.setdefault("app", re.split(r"[/\\]", found[1])[-1])
        elif found := _LAUNCH.fullmatch(line):
            launch, kernel, spans = launch + 1, found[1], []
            facts |= {"compute_capability": found[2]} if found[2] else {}
        elif _SECTION.fullmatch(line):
            begins, spans = True, []
        elif _DASHES.fullmatch(line):
            # Below the names of the columns is a second line of dashes, below the table the last.
            ends = bool(spans) and not begins
            spans = [] if ends else [one.span() for one in re.finditer("-+", line)]
        elif not line.strip():
            spans = []
        elif not spans and _take_rule(line, launch, kernel, rules):
            continue
        elif spans:
            (_, first), (_, second), _ = spans
            name, unit, value = line[:first].strip(), line[first:second].strip(), line[second:]
            begins = name == _HEADING
            if not begins:
                # On the raw page some metrics have none.
                is_whole = value.strip() or "__" in name
                if launch < 0 or not name or not is_whole:
                    raise unexpected(
                        line.strip(),
                        number,
                        "a metric, its unit and value, below the line of its kernel",
                    )
                if value.strip():
                    yield str(launch), kernel, name, unit, value.strip()
    if spans:
        raise InputError(
            "the end of the last table is missing",
            where=f"line {number}",
            expected="a line of dashes",
            hint="The file is cut off. Copy or record it again.",
        )


def _take_rule(line: str, launch: int, kernel: str, rules: list[Rule]) -> bool:
    """Add to `rules` what a line states of one, and return whether it does."""
    if found := _RULE.match(line):
        percent = None if found[2] is None else float(found[2])
        scope = "local" if found[1] else "global"
        rules.append(Rule(kernel, launch, None, found[3].strip(), percent, scope))
    elif rules and (found := _ADVICE.match(line)):
        rules[-1] = replace(rules[-1], advice=f"{rules[-1].advice} {found[1].strip()}")
    return found is not None


def _rows(found: list[Metric], separators: Separators) -> Iterator[Rows]:
    if not found:
        return
    columns = [pa.array(column, pa.string()) for column in zip(*found, strict=True)]
    table: pa.Table = tall(pa.table(columns, list(_COLUMNS)), "Metric Value", 1, separators)
    if table.num_rows:
        yield Rows("pmu_samples", with_lengths(table))
