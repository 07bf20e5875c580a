"""Output of `perf report --stdio`: shares of an event by function.

Source: perf-report(1) and tools/perf/ui/stdio/hist.c of Linux, reports of perf 6.1. perf prints
shares to a hundredth of a per cent and the count that they are shares of, rounded: what lands is
their product. `cpu-clock` and `task-clock` count nanoseconds: these are the times of fn_timings.
Other events are in pmu_samples, as are numbers of samples (-n). `region` and `function` are the
symbol; one without a symbol is its object, such as [libc.so.6], and without --sort sym all are
objects or commands. `perf mem report` has shares of the weight of samples (how long loads took),
and no count. Rows of one function in several commands and objects are added up, and what all rows
lack of the count, as with --percent-limit, is [not printed]. With --children the share with callees
is `inclusive`. Call graphs are left alone: they are again shares of the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.base import Head, Item, Rows, SingleFile
from ingest.parsing.call_paths import frame_name
from ingest.parsing.dates import ctime_date
from ingest.parsing.lines import numbered_lines, quoted, unexpected
from ingest.readers.profiles.sampling.commands import CLOCK, FACT, object_name, perf_run
from ingest.recording import Recording
from warehouse.errors import InputError

_EVENT = re.compile(r"# (?:Samples|Events): *\S+ +(?:of (events?) '(.+)'|(\S+))(?:,.*)?\s*")
_COUNT = re.compile(r"# Event count \(approx\.\): (\d+)\s*")
_WEIGHT = re.compile(r"# Total weight : (\d+)\s*")
_HEADING = re.compile(r"# +(?:Overhead|Children +Self)\b.*")
_DOTS = re.compile(r"# \.{2,}(?: +\.{2,})*\s*")
_ROW = re.compile(r" {0,8}\d+\.\d\d%")
_FOLDED = re.compile(r"\d")  # a call path below a row (-g folded); rows begin with blanks
_LAST = re.compile(rf"#|{_ROW.pattern}")
# Before the symbol -v has its address; what is wider than its column, as a CPU, reaches into this.
_SYMBOL = re.compile(r"(?:.* )?\[[.kguHhM]\] +(.*)")
_ADDRESS = re.compile(r"(?:0x)?[0-9a-f]{8,16}")
_NAMES = ("symbol", "shared object", "command")
_REST, _ROUNDED = "[not printed]", 0.005  # per cent, by which a share is off at most


@dataclass(slots=True)
class _Section:
    """One event of a report, and by function its counts without and with callees, and samples.

    It is whole where something follows: another section, or the tip with which perf ends.
    """

    event: str
    total: float | None = None
    is_weighed: bool = False
    columns: list[str] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    rows: int = 0
    is_whole: bool = False
    own: dict[str, float] = field(default_factory=dict)
    inclusive: dict[str, float] = field(default_factory=dict)
    samples: dict[str, float] = field(default_factory=dict)


class PerfReport(SingleFile):
    """Shares of events by function, as perf report prints them."""

    NAME = "perf-report"
    DESCRIPTION = "perf report --stdio: time or events by function (perf script has more)"
    PATTERNS = ("perf-report.txt", "perf.report")
    TABLES = ("fn_timings", "pmu_samples")

    def sniff(self, head: Head) -> bool:
        """Recognise the lines above a table, and its heading."""
        lines = head.data.decode("utf-8", "replace").splitlines()
        return any(map(_EVENT.fullmatch, lines)) and any(map(_HEADING.fullmatch, lines))

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and the rows of all events."""
        facts: dict[str, str] = {}
        sections: list[_Section] = []
        commands: set[str] = set()
        heading = ""
        for number, line in numbered_lines(recording, must_end=_LAST.match):
            _note_end(sections, line)
            if found := _EVENT.fullmatch(line):
                event = _event(found, number)
                if any(section.event == event for section in sections):
                    raise InputError(
                        f"another table of {event} begins",
                        where=f"line {number}",
                        expected="what perf report prints of one recording",
                        hint="Keep each report in a file of its own.",
                    )
                sections.append(_Section(event))
            elif found := FACT.fullmatch(line):
                facts.setdefault(found[1], found[2])
            elif not sections:
                continue
            elif found := _COUNT.fullmatch(line):
                sections[-1].total = float(found[1])
            elif found := _WEIGHT.fullmatch(line):
                sections[-1].total, sections[-1].is_weighed = float(found[1]), True
            elif _HEADING.fullmatch(line):
                heading = line
            elif _DOTS.fullmatch(line):
                _columns(sections[-1], heading, line, number)
            elif _ROW.match(line) and not (sections[-1].columns and _FOLDED.match(line)):
                _take(sections[-1], line, number, commands)
        if not any(section.own for section in sections):
            raise InputError("no event has a row", expected="a share and a function a row")
        app = next(iter(commands)) if len(commands) == 1 else None
        yield perf_run(facts, app, ctime_date(facts.get("captured on", "")))
        for section in sections:
            yield from _rows(section)


def _note_end(sections: list[_Section], line: str) -> None:
    if sections and sections[-1].rows and line.startswith("#"):
        sections[-1].is_whole = True


def _event(found: re.Match[str], number: int) -> str:
    if found[1] == "events":
        raise InputError(
            f"the events {found[2]} are in one table",
            where=f"line {number}",
            expected="a table for each event",
            hint="Let perf print them apart: perf report --stdio --no-group",
        )
    return found[2] or found[3]


def _columns(section: _Section, heading: str, dots: str, number: int) -> None:
    """Take the columns of a table: their names, and where each ends."""
    spans = [found.span() for found in re.finditer(r"\.+", dots)]
    section.columns = [heading[a:b].strip().lower() for a, b in spans]
    section.ends = [end for _, end in spans]
    if not section.columns or section.columns[0] not in ("overhead", "children"):
        raise InputError(
            f"the columns are {quoted(heading)}",
            where=f"line {number}",
            expected="Overhead, or Children and Self, and what they are shares of",
        )


def _take(section: _Section, line: str, number: int, commands: set[str]) -> None:
    where = f"line {number}"
    if not section.columns:
        raise InputError(
            f"{quoted(line.strip())} has no columns above it",
            where=where,
            expected="their names, and a line of dots below these",
            hint="Let perf align its columns: perf report --stdio, without -t",
        )
    begins = [0, *section.ends[:-1]]
    cells = [line[a:b] for a, b in zip(begins, [*section.ends[:-1], len(line)], strict=False)]
    values = dict(zip(section.columns, (cell.strip() for cell in cells), strict=True))
    kind = next((one for one in _NAMES if values.get(one)), None)
    name = kind and values[kind]
    shares = [values.get(one) for one in ("overhead", "self", "children")]
    numbers = [None if text is None else _share(text, where) for text in shares]
    own = numbers[0] if numbers[0] is not None else numbers[1]
    if name is None or own is None or section.total is None:
        raise unexpected(
            line.strip(),
            where,
            "a share, its function, and above them `# Event count (approx.): ...`",
            "Let perf sort by function: perf report --stdio --sort sym, without --hierarchy",
        )
    if symbol := _SYMBOL.fullmatch(name):
        name = symbol[1].strip()
    known = kind == "symbol" and not _ADDRESS.fullmatch(name)
    name = frame_name(name) if known else object_name(values.get("shared object", name))
    if command := values.get("command"):
        commands.add(command)
    scale = section.total / 100
    section.rows += 1
    section.own[name] = section.own.get(name, 0.0) + own * scale
    # Addresses of one object call each other: with callees they do not add up.
    if numbers[2] is not None and known:
        section.inclusive[name] = section.inclusive.get(name, 0.0) + numbers[2] * scale
    samples = values.get("samples", "")
    if samples.isdecimal():
        section.samples[name] = section.samples.get(name, 0.0) + float(samples)


def _share(text: str, where: str) -> float:
    if not re.fullmatch(r"\d{1,3}\.\d\d%", text):
        raise unexpected(text, where, "a share: 12.34%")
    return float(text[:-1])


def _rows(section: _Section) -> Iterator[Rows]:
    total = section.total or 0.0
    rest = total - sum(section.own.values())
    if section.is_whole and rest > (section.rows + 1) * _ROUNDED / 100 * total:
        section.own[_REST] = rest
    names = list(section.own)
    own = list(section.own.values())
    inclusive = [section.inclusive.get(name) for name in section.own]
    if CLOCK.fullmatch(section.event):
        yield Rows.of_columns(
            "fn_timings",
            function=names,
            seconds=[value / 1e9 for value in own],
            inclusive_seconds=[None if value is None else value / 1e9 for value in inclusive],
        )
    else:
        event = f"weight of {section.event}" if section.is_weighed else section.event
        yield Rows.of_columns(
            "pmu_samples", region=names, event=event, value=own, inclusive=inclusive
        )
    if section.samples:
        yield Rows.of_columns(
            "pmu_samples",
            region=list(section.samples),
            event=f"samples of {section.event}",
            value=list(section.samples.values()),
            unit="samples",
        )
