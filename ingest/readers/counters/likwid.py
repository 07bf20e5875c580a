"""Counters of LIKWID: likwid-perfctr's comma-separated output (-O, or -o FILE.csv), and its text.

Source: LIKWID's documentation of likwid-perfctr and of its output filters (LIKWID 4.3 and 5). What
lands in pmu_samples:

- A row per event of a `Raw` table (in text, Event) and hardware thread, or GPU: `cpu`, `event` as
  LIKWID names it, `value` the sum of its counters (channels of memory, slices of a cache), `unit`
  where the counter is of energy, temperature or voltage. Shares of issue slots (counters TMA0 ...)
  are named with the counter, as on the command line: RETIRING:TMA0.
- A row per metric of a `Metric` table and hardware thread; the unit that ends a metric's name in
  square brackets goes to `unit`, the runtime in the table to `seconds`. The STAT tables follow from
  these and are left out. What a socket counts stands on one of its hardware threads: the others
  have 0, which of a clock is NULL.
- `region` is the marked region (-m). Groups of events take turns, and a group is repeated in a file
  of several runs: each time is another sample of the region (0, 1, 2 ...).

The hardware threads counted give the run's `threads`; CPU name and type are its environment, and
the clock, as measured, is a tag.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.base import Head, Item, Run, SingleFile
from ingest.parsing.counter_table import Sample, batches, number, records
from ingest.parsing.lines import numbered_lines, quoted
from ingest.recording import Recording
from warehouse.errors import InputError

Records = Iterator[tuple[int, list[str]]]
Lines = list[tuple[int, list[str]]]

_TABLE = re.compile(rb"^TABLE,(?:Region [^,]*,)?Group \d+ (?:Raw|Metric)", re.MULTILINE)
_TEXT = re.compile(rb"^(?:Region [^\n]*, )?Group \d+: [^\n]*\n\+-[-+]*\r?\n\| ", re.MULTILINE)
_TEXT_GROUP = re.compile(r"(?:Region (?P<region>.*), )?Group (?P<group>\d{1,9}): \S.*")
_GROUP = re.compile(r"Group (\d+) (Raw|Metric)( STAT)?")
_THREAD = re.compile(r"(HWThread|Core|core|GPU) (\d{1,7})")
_UNIT = re.compile(r"(.+?) \[([^\]]+)\]")
_VALUE = re.compile(r"[-+]?\d[\d.eE+-]*|-|nan")
_STARTS = ("TABLE", "STRUCT")
_FACTS = {"CPU name": "cpu", "CPU type": "cpu_type", "CPU clock": "clock"}
_HEAD = "CPU name"  # is what likwid-perfctr prints first
# What kinds of counters measure that are no counts of events, by their names without a number.
_UNITS = {"PWR": "J", "TMP": "C", "VTG": "V", "TMA": "ratio"}
_RUNTIME = "Runtime (RDTSC) [s]"


@dataclass(frozen=True, slots=True)
class _Heading:
    """A table's first line: its region, what it contains, its number of lines."""

    region: str | None
    group: int
    kind: str
    sums: bool
    lines: int

    @property
    def skipped(self) -> int:
        """Number of columns before the values."""
        return 2 if self.kind == "Raw" else 1


class Likwid(SingleFile):
    """Counters and metrics of likwid-perfctr."""

    NAME = "likwid"
    DESCRIPTION = "counters of likwid-perfctr (text, -O or -o FILE.csv), with marked regions"
    PATTERNS = ("likwid.csv", "likwid.txt")
    TABLES = ("pmu_samples",)

    def sniff(self, head: Head) -> bool:
        """Recognise the first line of a table."""
        return (_TABLE.search(head.data) or _TEXT.search(head.data)) is not None

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its counters."""
        facts: dict[str, str] = {}
        cpus: set[int] = set()
        yield Run()
        landed = 0
        with recording.open() as file:
            is_text = _TABLE.search(file.read(1 << 16)) is None
        tables = (
            _text_tables(
                numbered_lines(recording, must_end=re.compile(r".*[-+|] *").fullmatch), facts
            )
            if is_text
            else _tables(records(recording), facts)
        )
        for batch in batches(_rows(tables, cpus)):
            landed += batch.batch.num_rows
            yield batch
        if not landed:
            raise InputError(
                "there are no counters",
                where="end of the file",
                expected="a line TABLE,Group 1 Raw,..., or a table below a line Group 1: NAME",
            )
        tags = {"clock": facts.pop("clock")} if "clock" in facts else {}
        yield Run(threads=len(cpus) or None, tags=tags, environment=facts)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of counters or metrics: names of its columns in line `at`, and the lines below.

    `head` is how many descriptions of the processor are above it.
    """

    head: int
    region: str | None
    group: int
    names: Sequence[str]
    at: int
    lines: Lines

    @property
    def has_counters(self) -> bool:
        """Return whether it is of counters, which its second column names, and not of metrics."""
        return self.names[0] == "Event"

    @property
    def lengths(self) -> list[float | None]:
        """Return for how many seconds each hardware thread was measured, where that is stated."""
        for line, fields in self.lines:
            if fields[0] == _RUNTIME:
                return [number(text, f"line {line}", _RUNTIME) for text in fields[1:]]
        return []

    def rows(self, sample: int, lengths: list[float | None], cpus: set[int]) -> Iterator[Sample]:
        """Yield its rows; the processors are added to those that were seen."""
        skipped = 2 if self.has_counters else 1
        threads = _threads(self.names[skipped:], self.at, cpus)
        lengths = lengths if len(lengths) == len(threads) else [None] * len(threads)
        found: dict[tuple[str, str | None, int], list[float | None]] = {}
        counters = set()
        for line, fields in self.lines:
            event, unit = _counted(*fields[:2]) if self.has_counters else _event(fields[0])
            values = [_value(one, unit, f"line {line}", fields[0]) for one in fields[skipped:]]
            # A line that is there twice is no other counter of the event.
            is_another = self.has_counters and tuple(fields[:2]) not in counters
            counters.add(tuple(fields[:2]))
            key = event, unit, 0 if is_another else line
            found[key] = list(map(_sum, found[key], values)) if key in found else values
        for (event, unit, _), values in found.items():
            for cpu, value, seconds in zip(threads, values, lengths, strict=True):
                yield {
                    "cpu": cpu,
                    "region": self.region,
                    "sample": sample,
                    "event": event,
                    "value": value,
                    "unit": unit,
                    "seconds": seconds,
                }


def _rows(tables: Iterator[_Table], cpus: set[int]) -> Iterator[Sample]:
    """Yield the rows of tables: counters, and the metrics behind them, are one sample.

    Without another head, what is repeated is a later sample. Raises `InputError` where counters of
    a group and of the same threads come again below another head: those are of another run.
    """
    samples: Counter[str | None] = Counter()
    heads: dict[tuple[object, ...], int] = {}
    for together in _samples(tables):
        region = together[0].region
        key = region, together[0].group, *together[0].names
        if heads.setdefault(key, together[0].head) != together[0].head:
            raise InputError(
                f"group {together[0].group} is counted again",
                where=f"line {together[0].at}",
                expected="what likwid-perfctr counted in one run",
                hint="Keep each run in a file of its own.",
            )
        for table in together:
            yield from table.rows(samples[region], together[-1].lengths, cpus)
        samples[region] += 1


def _samples(tables: Iterator[_Table]) -> Iterator[list[_Table]]:
    together: list[_Table] = []
    for table in tables:
        above = [(one.region, one.group, one.has_counters) for one in together]
        if table.has_counters or above != [(table.region, table.group, True)]:
            if together:
                yield together
            together = []
        together.append(table)
    if together:
        yield together


def _tables(lines: Records, facts: dict[str, str]) -> Iterator[_Table]:
    """Yield all tables; takes note of facts on the way."""
    heading: _Heading | None = None
    head = 0
    for line, fields in lines:
        if heading is not None and _is_row(fields, heading):
            raise _other_length(heading, line, "more")
        if len(fields) > 1 and (name := fields[0].rstrip(":").strip()) in _FACTS:
            facts[_FACTS[name]] = fields[1].strip()
            head += name == _HEAD
        heading = _heading(fields, line) if fields[:1] == ["TABLE"] else None
        if heading is None:
            continue
        if heading.sums:
            heading = None
            continue
        at, columns = next(lines, (line, []))
        names = [name.strip() for name in columns if name.strip()] or [""]
        rows = list(_lines(lines, heading, len(names), at))
        yield _Table(head, heading.region, heading.group, names, at, rows)


def _text_tables(lines: Iterator[tuple[int, str]], facts: dict[str, str]) -> Iterator[_Table]:
    """Yield all tables of text; takes note of facts on the way."""
    region, group, head = None, None, 0
    for line, text in lines:
        name, colon, value = text.partition(":")
        if colon and name in _FACTS:
            facts[_FACTS[name]] = value.strip()
            head += name == _HEAD
        elif found := _TEXT_GROUP.fullmatch(text.rstrip()):
            region, group = found["region"], int(found["group"])
        elif _is_border(text):
            heading, rows = _text_table(lines, line)
            # Tables of sums, and of how often a region was called, are no counters.
            if heading[0] not in ("Event", "Metric") or "Sum" in heading:
                continue
            if group is None:
                raise _not_whole(line, "a line `Group 1: NAME` above a table")
            for at, fields in rows:
                if len(fields) != len(heading) or not fields[0]:
                    expected = f"a row of {len(heading)} fields, as in the table's heading"
                    raise _not_whole(at, expected)
            yield _Table(head, region, group, heading, line, rows)


def _text_table(
    lines: Iterator[tuple[int, str]], line: int
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the heading and the rows of a table whose first border was read."""
    rows: list[tuple[int, list[str]]] = []
    borders = 1
    while borders < 3:
        line, text = next(lines, (line, ""))
        if _is_border(text):
            borders += 1
        elif text.startswith("|") and text.rstrip().endswith("|"):
            rows.append((line, [field.strip() for field in text.rstrip()[1:-1].split("|")]))
        else:
            raise _not_whole(line, "the rows of a table to its last border +---+")
    if not rows:
        raise _not_whole(line, "a table with a heading")
    return rows[0][1], rows[1:]


def _is_border(text: str) -> bool:
    return re.fullmatch(r"\+-[-+]*\s*", text) is not None


def _not_whole(line: int, expected: str) -> InputError:
    return InputError(
        "a table is not whole",
        where=f"line {line}",
        expected=expected,
        hint="The file is damaged or cut off, or output of the program came between. Record again.",
    )


def _heading(fields: list[str], line: int) -> _Heading | None:
    """Read `TABLE,[Region NAME,]Group N Raw|Metric[ STAT],GROUP,LINES`; None for other tables."""
    words = [field.strip() for field in fields[1:] if field.strip()]
    region = words.pop(0).removeprefix("Region ") if words[:1] and _is_region(words[0]) else None
    found = _GROUP.fullmatch(words[0]) if words else None
    if found is None:
        return None
    size = words[-1]
    if not re.fullmatch(r"\d{1,6}", size):
        raise InputError(
            f"the table's length is {quoted(size)}", where=f"line {line}", expected="a whole number"
        )
    return _Heading(region, int(found[1][:9]), found[2], found[3] is not None, int(size))


def _is_region(word: str) -> bool:
    return word.startswith("Region ")


def _lines(lines: Records, heading: _Heading, width: int, at: int) -> Records:
    """Yield the lines of a table below that with its columns, of so many fields."""
    for _ in range(heading.lines):
        at, fields = next(lines, (at + 1, []))
        fields = [field.strip() for field in fields[:width]]
        if len(fields) < width or fields[0] in ("", "TABLE"):
            raise _other_length(heading, at, "fewer")
        yield at, fields


def _is_row(fields: list[str], heading: _Heading) -> bool:
    """Return whether a line behind the last one of a table looks as if it belonged to it."""
    value = heading.skipped
    return (
        len(fields) > value
        and fields[0] not in _STARTS
        and _VALUE.fullmatch(fields[value]) is not None
    )


def _other_length(heading: _Heading, line: int, many: str) -> InputError:
    return InputError(
        f"the table has {many} lines than the {heading.lines} that its first line announces",
        where=f"line {line}",
        expected="so many lines, with a value for each hardware thread",
        hint="The file is damaged or cut off. Record again.",
    )


def _threads(names: Sequence[str], line: int, cpus: set[int]) -> list[int]:
    """Return the numbers of the columns' hardware threads, which are added to `cpus`, or GPUs."""
    found = [_THREAD.fullmatch(name) for name in names]
    threads = [int(match[2]) for match in found if match]
    cpus.update(int(match[2]) for match in found if match and match[1] != "GPU")
    if not threads or len(threads) != len(names) or len(set(threads)) != len(threads):
        raise InputError(
            f"the columns are {quoted(','.join(names))}",
            where=f"line {line}",
            expected="HWThread 0,HWThread 1,...",
        )
    return threads


def _value(field: str, unit: str | None, where: str, name: str) -> float | None:
    """Return a number; None if there is none, as of a clock of 0: another thread counts it."""
    value = number(field, where, name)
    return None if value == 0 and unit == "MHz" else value


def _sum(one: float | None, other: float | None) -> float | None:
    """Return what two counters of one event counted; None only where neither did."""
    known = [value for value in (one, other) if value is not None]
    return sum(known) if known else None


def _counted(event: str, counter: str) -> tuple[str, str | None]:
    """Return the name of an event, and the unit of what its counter measures."""
    counter = counter.strip()
    kind = counter.rstrip("0123456789")
    return f"{event}:{counter}" if kind == "TMA" else event, _UNITS.get(kind)


def _event(name: str) -> tuple[str, str | None]:
    found = _UNIT.fullmatch(name)
    return (found[1], found[2]) if found else (name, None)
