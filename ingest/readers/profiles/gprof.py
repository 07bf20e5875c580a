"""Text that gprof prints: the flat profile, and times with callees out of the call graph.

Source: the manual of GNU gprof, "Interpreting gprof's Output", and what gprof 2.40 prints. What
lands in fn_timings, one row a function: self seconds and calls of the flat profile; with the call
graph, time with callees and the recursive calls too. Without it (-p), the tag `calls` states that
these are missing. gprof shares out a function's time among its callers by their calls, which is no
measurement: call paths are not landed. A profile does not state how many processes it adds up, nor
the program; a file name like mini_p8.txt does.

Profiles whose samples count as something else than seconds (K-cycles) land in pmu_samples, one row
a function: cycles, and its calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.base import Item, LeftOut, Rows, Run, SingleFile
from ingest.compressed import bare_name
from ingest.parsing.app_names import app_and_count
from ingest.parsing.call_paths import frame_name
from ingest.parsing.lines import LineArray, check_line_end, chunks, unexpected
from ingest.parsing.numbers import cast
from ingest.recording import Recording
from udfs.arrays import Floats
from warehouse.errors import InputError

_SAMPLE = re.compile(r"Each sample counts as \S+ (\S+)\.")
_HEADING = re.compile(r" *time +(\S+) +(\S+)\b.*")
_CYCLES = {"cycles": 1.0, "K-cycles": 1e3, "M-cycles": 1e6, "G-cycles": 1e9}
# sprof (of glibc) leaves the time of a call with callees blank.
_ROW = (
    r"^ *(?P<percent>\d+\.\d+) +(?P<running>\d+\.\d+) +(?P<own>\d+\.\d+)"
    r"(?: +(?P<calls>\d+) +\d+\.\d+(?: +\d+\.\d+| {9})| {20,})  (?P<name>\S.*)$"
)
# [index] %time self children called+recursive name <cycle N> [index]
_PRIMARY = (
    r"^\[\d+\] +\d+\.\d+ +(?P<own>\d+\.\d+) +(?P<children>\d+\.\d+)"
    r"(?: +\d+(?:\+(?P<recursive>\d+))?)? +(?P<name>\S.*?)(?P<cycle> <cycle \d+>)? \[\d+\]$"
)
_AS_A_WHOLE = r"<cycle \d+ as a whole>"
# Times have two digits: a running sum, its predecessor and a time are each off by half of one.
_ROUNDING = 0.0151


class Gprof(SingleFile):
    """Reads gprof's text."""

    NAME = "gprof"
    DESCRIPTION = "gprof text: self time, time with callees, calls"
    PATTERNS = ("*.gprof.txt", "*.gprof", "gprof*.txt")
    TABLES = ("fn_timings", "pmu_samples")
    START = re.compile(rb"\s*(?:Flat profile:|Call graph(?: \(explanation follows\))?\r?\n)")

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows; see `Reader.read`."""
        parts = [chunk.array() for chunk in chunks(recording)]
        trimmed = pc.utf8_rtrim_whitespace(pa.concat_arrays([part.text for part in parts]))
        lines = LineArray(1, trimmed, parts[-1].whole)
        flat, graph = _flat(lines), _graph(lines)
        if not lines.whole:
            last = lines.text[-1].as_py() or " "
            check_line_end(recording, last, lambda line: line.strip() and not _HEADING.match(line))
        app, ranks = app_and_count(recording.path, bare_name(recording.path))
        tags = {} if ranks is None else {"ranks_from": "file name"}
        if graph is None and flat.calls.null_count < len(flat.calls):
            tags["calls"] = "without recursive ones, which only the call graph has"
        yield Run(app=app, ranks=ranks, tags=tags)
        table = _rows(flat, graph)
        is_sampled = bool(flat.seconds.any())
        if not is_sampled:
            # Each time is below that of one sample, and not 0.
            yield LeftOut(
                table.num_rows, "time of a function", "no sample was taken", "times of functions"
            )
            table = table.filter(pc.is_valid(table["calls"])).select(["function", "calls"])
        if flat.unit == "seconds" or not is_sampled:
            parallelism = pa.repeat(pa.scalar(ranks, pa.int32()), table.num_rows)
            yield Rows("fn_timings", table.append_column("parallelism", parallelism))
        else:
            yield from _samples(table, flat.unit)


@dataclass(frozen=True, slots=True)
class _Flat:
    """The flat profile: one entry a function; calls are null where none were counted.

    `seconds` are in `unit`, which is hardly ever another.
    """

    unit: str
    function: pa.StringArray
    seconds: Floats
    calls: pa.Int64Array


def _flat(lines: LineArray) -> _Flat:
    """Read the flat profile, which ends with the first line that is empty, or with the file."""
    begin, unit = _table(lines)
    text = lines.text.slice(begin)
    end = pc.index(text, "").as_py()
    rows = LineArray(begin + 1, text if end < 0 else text.slice(0, end))
    found = rows.match(_ROW)
    wrong = np.flatnonzero(~found.is_valid().to_numpy(zero_copy_only=False))
    numbers = np.arange(len(found)) + rows.first
    if len(wrong):
        at = int(wrong[0])
        raise _unexpected(
            rows.text[at].as_py(), rows.first + at, "% time, running sum, self seconds, calls, name"
        )

    def column(field: str, what: str) -> Floats:
        values: Floats = cast(found.field(field), pa.float64(), numbers, what).to_numpy()
        return values

    seconds, running = column("own", "self seconds"), column("running", "running sum")
    jump = np.flatnonzero(np.abs(np.diff(running, prepend=0.0) - seconds) > _ROUNDING)
    if len(jump):
        raise _unexpected(
            rows.text[int(jump[0])].as_py(),
            rows.first + int(jump[0]),
            "a running sum that goes on from the line above: is a line missing?",
        )
    if end < 0 and len(running):
        _check_all_functions(rows, seconds[0], column("percent", "% time")[0], running[-1])
    function = pc.replace_substring_regex(found.field("name"), r" <cycle \d+>$", "")
    calls = cast(found.field("calls"), pa.int64(), numbers, "calls")
    return _Flat(unit, function, seconds, calls)


def _table(lines: LineArray) -> tuple[int, str]:
    """Return the position of the first row of the flat profile, and the unit of its times."""
    titles = np.flatnonzero(pc.equal(lines.text, "Flat profile:"))
    if not len(titles):
        raise InputError(
            "there is no flat profile",
            expected="Flat profile:",
            hint="Let gprof print it: without -q, or with -p.",
        )
    if len(titles) > 1:
        raise InputError(
            "another flat profile begins",
            where=f"line {titles[1] + 1}",
            expected="what gprof printed of one run",
            hint="Keep each run in a file of its own.",
        )
    title = int(titles[0])
    counts = None
    for at, line in enumerate(lines.text.slice(title, 10).to_pylist(), title):
        counts = _SAMPLE.match(line) or counts
        if (heading := _HEADING.fullmatch(line)) and heading[1] == heading[2]:
            if counts and counts[1] != heading[1]:
                raise _unexpected(line, at + 1, f"times in {counts[1]}, as the samples count")
            return at + 1, heading[1]
    raise _unexpected(lines.text[title].as_py(), title + 1, "% time, seconds, ... below the title")


def _check_all_functions(rows: LineArray, first: float, percent: float, total: float) -> None:
    """See by the share of the first function that the functions make up the whole time.

    Where the file ends with the table, nothing else shows that it was not cut off there.
    """
    least = 100 * (first - 0.005) / (percent + 0.005)
    if total < least - 0.02 * (1 + least):
        raise _unexpected(
            "the end of the file",
            rows.first + len(rows.text),
            f"functions of {least:.2f} s in all, after those of {total:.2f} s",
        )


@dataclass(frozen=True, slots=True)
class _Graph:
    """The functions' own lines of the call graph; null where they show only a part."""

    function: pa.StringArray
    seconds: pa.DoubleArray
    inclusive: pa.DoubleArray
    recursive: pa.Int64Array


def _graph(lines: LineArray) -> _Graph | None:
    """Read the call graph, None if there is none."""
    titles = pc.match_substring_regex(lines.text, r"^\f?\s*Call graph\b").to_numpy(
        zero_copy_only=False
    )
    if not titles.any():
        return None
    ends = pc.match_substring_regex(lines.text, r"^\f?Index by function name").to_numpy(
        zero_copy_only=False
    )
    begin, end = int(np.argmax(titles)), int(np.argmax(ends))
    if end <= begin:
        raise _unexpected("the end of the file", len(lines.text), "Index by function name")
    text = lines.text.slice(begin, end - begin)
    wanted = pc.and_not(
        pc.match_substring_regex(text, r"^\[\d"), pc.match_substring_regex(text, _AS_A_WHOLE)
    )
    numbers = np.flatnonzero(wanted.to_numpy(zero_copy_only=False)) + lines.first + begin
    text = text.filter(wanted)
    found = pc.extract_regex(text, _PRIMARY)
    if found.null_count:
        wrong = int(np.argmin(found.is_valid().to_numpy(zero_copy_only=False)))
        raise _unexpected(
            text[wrong].as_py(), int(numbers[wrong]), "[1] % time, self, children, called, name [1]"
        )
    own = cast(found.field("own"), pa.float64(), numbers, "self seconds")
    children = cast(found.field("children"), pa.float64(), numbers, "seconds of children")
    recursive = cast(found.field("recursive"), pa.int64(), numbers, "recursive calls")
    # What the members of a cycle spent in each other is not among the children.
    in_cycle = pc.not_equal(found.field("cycle"), "")
    inclusive = pc.if_else(in_cycle, pa.scalar(None, pa.float64()), pc.add(own, children))
    return _Graph(found.field("name"), own, inclusive, pc.fill_null(recursive, 0))


def _rows(flat: _Flat, graph: _Graph | None) -> pa.Table:
    """Join flat profile and call graph by name; names of several functions stay."""
    columns = {"function": flat.function, "seconds": flat.seconds, "calls": flat.calls}
    table = pa.table(columns)
    if graph is not None:
        once = pc.index_in(_once(graph.function), graph.function)
        place = pc.index_in(flat.function, graph.function.take(once))
        alone = pc.is_in(flat.function, _once(flat.function))
        place = once.take(pc.if_else(alone, place, pa.scalar(None, pa.int32())))
        recursive = pc.fill_null(graph.recursive.take(place), 0)
        columns["calls"] = pc.add(flat.calls, recursive)
        columns["inclusive_seconds"] = graph.inclusive.take(place)
        # What never was at work itself and was not counted, such as main, is in the graph only.
        only = pc.invert(pc.is_in(graph.function, flat.function))
        others = {
            "function": graph.function.filter(only),
            "seconds": graph.seconds.filter(only),
            "inclusive_seconds": graph.inclusive.filter(only),
        }
        table = pa.concat_tables([pa.table(columns), pa.table(others)], promote_options="default")
    names = pa.array(map(frame_name, table["function"].to_pylist()), pa.string())
    return table.set_column(0, "function", names)


def _samples(table: pa.Table, unit: str) -> Iterator[Rows]:
    """Yield the rows of a profile in another unit than seconds: its cost, and calls."""
    scale = _CYCLES.get(unit, 1.0)
    event, unit = ("cycles", "cycles") if unit in _CYCLES else ("samples", unit)
    names = table.schema.names
    whole = table["inclusive_seconds"] if "inclusive_seconds" in names else None
    yield Rows.of_columns(
        "pmu_samples",
        region=table["function"],
        event=event,
        value=pc.multiply(table["seconds"], scale),
        unit=unit,
        inclusive=None if whole is None else pc.multiply(whole, scale),
    )
    called = table.filter(pc.is_valid(table["calls"]))
    yield Rows.of_columns(
        "pmu_samples",
        region=called["function"],
        event="calls",
        value=called["calls"].cast(pa.float64()),
    )


def _once(names: pa.StringArray) -> pa.StringArray:
    """Return the names of one function only."""
    counts = pc.value_counts(names)
    return counts.field("values").filter(pc.equal(counts.field("counts"), 1))


def _unexpected(line: str, number: int, expected: str) -> InputError:
    return unexpected(
        line, number, expected, "Is the file cut off or damaged? Let gprof print it again."
    )
