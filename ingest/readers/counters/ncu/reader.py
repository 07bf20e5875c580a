"""Metrics of NVIDIA Nsight Compute: `ncu --csv`, --page details (a line a metric) or raw.

Source: Nsight Compute's command line documentation. Forms: a line a metric of a launch (`"ID",
... "Metric Name","Metric Unit","Metric Value"`), a line a metric of all launches of a kernel
(`"Invocations", ... "Average"`), and the raw page (a line a launch, a column a metric, units in
the second line). What ncu and the program print before and after is skipped. What lands in
pmu_samples:

- `region` is the kernel, `sample` the launch's ID, `event` the metric's name, `value` in base units
  (byte, second, hz: Kbyte, usecond and the like are scaled), which is the `unit`.
- Of several launches summed up, `value` is the average and `sample` NULL.
- `seconds` is how long the launch took, where that was measured.
- 1,234 and 1.234 are read where other numbers of the file show which separator it has; a file in
  which nothing shows it is refused.
- Of two metrics named Memory Throughput, in % of the peak and in bytes per second, that in % is
  `Memory Throughput [%]`.
- Metrics that are no numbers (names of settings, n/a) are left out; n/a of a number is NULL.
- Since version 2025 there are lines of rules, and those of metrics end after the value. Of a rule
  lands what it estimates to speed up, in %, as `RULE, estimated speedup (local or global)`, and
  what warps wait for, as `CPIStall: STALL`; of several the largest.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from ingest.base import Item, LeftOut, Rows, Run, SingleFile
from ingest.parsing.lines import chunks, quoted
from ingest.readers.counters.ncu.rules import Rule, rule_events
from ingest.readers.counters.ncu.values import Separators, check_any, in_base_units, numbers
from ingest.recording import Recording
from warehouse.errors import InputError

_HEADING = re.compile(rb'^"?(?:ID|Process ID)"?,.*Kernel Name\b.*$', re.MULTILINE)
_RULE = "Rule Name"
_TALL = ("Kernel Name", "Metric Name", "Metric Unit")
_DESCRIBES = (
    *("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time", "Context"),
    *("Stream", "Block Size", "Grid Size", "Device", "CC", "Section Name"),
)
_LONGEST_PREAMBLE = 64 << 20
_TWICE = "Memory Throughput"
_LENGTHS = ("gpu__time_duration.sum", "Duration")


class Ncu(SingleFile):
    """Metrics of kernel launches from Nsight Compute."""

    NAME = "ncu"
    DESCRIPTION = "metrics of kernel launches from Nsight Compute (ncu --csv, details or raw page)"
    PATTERNS = ("ncu.csv", "*.ncu.csv")
    TABLES = ("pmu_samples",)
    SIGN = _HEADING

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and its metrics, block by block."""
        skip, names = _heading(recording)
        is_tall = "Metric Name" in names
        value = "Metric Value" if "Metric Value" in names else "Average"
        if is_tall and (value not in names or not set(_TALL) <= set(names)):
            raise _unknown(names, skip)
        yield _run(recording, _of_metrics(recording, skip, names), skip)
        units: dict[str, str] | None = None
        landed, at = 0, skip + 2
        separators = Separators()
        rules: list[str] = []
        tables = _blocks(recording, skip, names, rules)
        for table in whole_launches(tables) if is_tall and "ID" in names else tables:
            if is_tall:
                rows = tall(table, value, at, separators)
            else:
                if units is None:
                    units = {name: str(table[name][0]) for name in names}
                    table, at = table.slice(1), at + 1  # noqa: PLW2901 - the line of units is taken
                rows = _wide(table, units, at, separators)
            at += table.num_rows
            landed += rows.num_rows
            if rows.num_rows:
                yield Rows("pmu_samples", with_lengths(rows))
        separators.check()
        check_any(landed)
        yield from rule_rows(_rules(rules, names))


def _rules(lines: list[str], names: list[str]) -> Iterator[Rule]:
    """Yield the rules in lines of a table."""
    for line in lines:
        fields = dict(zip(names, _fields(line.encode()), strict=False))
        try:
            percent = float(fields["Estimated Speedup"].replace(",", ""))
        except ValueError:
            percent = None
        yield Rule(
            kernel=fields["Kernel Name"],
            launch=int(fields["ID"]),
            name=fields[_RULE],
            advice=fields.get("Rule Description", ""),
            percent=percent,
            scope=fields["Estimated Speedup Type"],
        )


def rule_rows(rules: Iterable[Rule]) -> Iterator[Item]:
    """Yield what rules state in numbers; those without are left out."""
    rules = list(rules)
    if found := rule_events(rules):
        region, sample, events = zip(*found, strict=True)
        columns = {"region": region, "sample": sample, "event": events, "value": found.values()}
        table = pa.table({name: list(values) for name, values in columns.items()})
        yield Rows("pmu_samples", table.append_column("unit", [["%"] * len(found)]))
    without = sum(rule.percent is None for rule in rules)
    yield LeftOut(without, "rule", "without an estimated speedup")


def _heading(recording: Recording) -> tuple[int, list[str]]:
    """Return the number of lines before the heading, and its names."""
    passed = 0
    with recording.open() as file:
        for count, line in enumerate(file):
            if _HEADING.match(line):
                return count, _fields(line)
            passed += len(line)
            if passed > _LONGEST_PREAMBLE:
                break
    raise InputError(
        "there is no table of metrics",
        where="end of the file",
        expected='a heading "ID","Process ID",... with "Kernel Name"',
        hint="Record with ncu --csv, or convert: ncu -i REPORT --csv --page raw",
    )


def _blocks(
    recording: Recording, skip: int, names: list[str], rules: list[str]
) -> Iterator[pa.Table]:
    """Yield the table's rows as text, some MiB at a time; lines of rules are added to `rules`."""
    if len(set(names)) != len(names):
        raise _unknown(names, skip)
    _check_text(recording)
    broken: list[str] = []
    every, names = len(names), _of_metrics(recording, skip, names)

    def other_line(row: pacsv.InvalidRow) -> str:
        if row.actual_columns == every:
            rules.append(row.text)
        elif not row.text.lstrip('"').startswith("==") and row.text.strip():
            broken.append(row.text)
        return "skip"

    try:
        reader = pacsv.open_csv(
            recording.plain(),
            read_options=pacsv.ReadOptions(
                skip_rows=skip + 1, column_names=names, use_threads=False, block_size=8 << 20
            ),
            parse_options=pacsv.ParseOptions(invalid_row_handler=other_line),
            convert_options=pacsv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
        for batch in reader:
            yield pa.Table.from_batches([batch])
            _refuse(broken, len(names))
    except pa.ArrowInvalid as error:
        _refuse(broken, len(names))
        raise InputError(
            f"the table cannot be read: {str(error).splitlines()[0]}",
            expected="UTF-8 text with commas between quoted fields",
        ) from None
    _refuse(broken, len(names))


def _of_metrics(recording: Recording, skip: int, names: list[str]) -> list[str]:
    """Return the names of the columns that lines of metrics have: without the fields of a rule."""
    if _RULE not in names:
        return names
    with recording.open() as file:
        first = [len(_fields(line)) for line in islice(file, skip + 1, skip + 2)]
    short = names.index(_RULE) + 1
    return names[:short] if first == [short] else names


def _refuse(broken: list[str], columns: int) -> None:
    if broken:
        raise InputError(
            f"a line does not have {columns} fields: {quoted(broken[0])}",
            expected=f"{columns} fields, as in the heading",
            hint="The program may have printed between: write with ncu --log-file FILE.",
        )


def _check_text(recording: Recording) -> None:
    """Raise `InputError` for what is not UTF-8 (Arrow does not always) and for cut files."""
    for _ in chunks(recording, must_end=True, strict=True):
        pass


def _run(recording: Recording, names: list[str], skip: int) -> Run:
    """Return the program's file name and the device's compute capability, from the first row."""
    with recording.open() as file:
        for line in islice(file, skip + 1, skip + 3):
            first = dict(zip(names, _fields(line), strict=False))
            if len(first) == len(names) and (first.get("Process Name") or first.get("CC")):
                app = re.split(r"[/\\]", first.get("Process Name", ""))[-1] or None
                capability = {"compute_capability": first["CC"]} if first.get("CC") else {}
                return Run(app=app, environment=capability)
    return Run()


def _fields(line: bytes) -> list[str]:
    """Return the fields of a line; none where their ends are unclear."""
    try:
        return next(csv.reader([line.decode("utf-8", "replace").rstrip("\r\n")]), [])
    except csv.Error:
        return []


def tall(table: pa.Table, value: str, first: int, separators: Separators) -> pa.Table:
    """Return rows of pmu_samples from a table with a line a metric."""
    figures, is_figure = numbers(
        table[value], table["Metric Name"], table["Metric Unit"], first, separators
    )
    figures, unit = in_base_units(figures, table["Metric Unit"])
    ids = table["ID"] if "ID" in table.column_names and value == "Metric Value" else None
    of_peak = pc.and_(pc.equal(table["Metric Name"], _TWICE), pc.equal(pc.fill_null(unit, ""), "%"))
    rows = pa.table(
        {
            "region": table["Kernel Name"],
            "sample": pa.nulls(len(table), pa.int64()) if ids is None else _ids(ids, first),
            "event": pc.if_else(of_peak, f"{_TWICE} [%]", table["Metric Name"]),
            "value": figures,
            "unit": unit,
        }
    )
    named = pc.not_equal(pc.fill_null(table["Metric Name"], ""), "")
    return rows.filter(pc.and_(named, is_figure))


def whole_launches(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Yield tables with a line a metric, cut where a launch begins."""
    rest: pa.Table | None = None
    for table in tables:
        joined = table if rest is None else pa.concat_tables([rest, table])
        ids = pc.fill_null(joined["ID"], "")
        earlier = np.flatnonzero(pc.not_equal(ids, ids[-1]).to_numpy())
        begin = earlier[-1] + 1 if len(earlier) else 0
        if begin:
            yield joined.slice(0, begin)
        rest = joined.slice(begin)
    if rest is not None:
        yield rest


def with_lengths(rows: pa.Table) -> pa.Table:
    """Add to rows of whole launches how long each launch took, in seconds."""
    timed = rows.filter(
        pc.and_(
            pc.is_in(rows["event"], value_set=pa.array(_LENGTHS)),
            pc.fill_null(pc.equal(rows["unit"], "second"), False),
        )
    )
    at = pc.index_in(rows["sample"], value_set=timed["sample"], skip_nulls=True)
    return rows.append_column("seconds", timed["value"].take(at))


def _wide(table: pa.Table, units: dict[str, str], first: int, separators: Separators) -> pa.Table:
    """Return rows of pmu_samples from a table with a line a launch and a column a metric."""
    if "ID" not in table.column_names:
        raise _unknown(table.column_names, first)
    ids, kernels = _ids(table["ID"], first), table["Kernel Name"]
    parts = []
    for name in table.column_names:
        if name in _DESCRIBES:
            continue
        events = pa.array([name] * len(table), pa.string())
        stated = pa.chunked_array([pa.array([units[name]] * len(table), pa.string())])
        figures, is_figure = numbers(
            table[name], pa.chunked_array([events]), stated, first, separators
        )
        figures, unit = in_base_units(figures, stated)
        part = {"region": kernels, "sample": ids, "event": events, "value": figures, "unit": unit}
        parts.append(pa.table(part).filter(is_figure))
    if not parts:
        raise _unknown(table.column_names, first)
    return pa.concat_tables(parts)


def _ids(ids: pa.ChunkedArray, first: int) -> pa.ChunkedArray:
    good = pc.match_substring_regex(pc.fill_null(ids, ""), r"^\d{1,18}$")
    if not pc.all(good, min_count=0).as_py():
        at = good.to_pylist().index(False)
        raise InputError(
            f"the launch's ID is {quoted(str(ids[at]))}",
            where=f"line {first + at}",
            expected="a whole number",
        )
    return pc.cast(ids, pa.int64())


def _unknown(names: list[str], line: int) -> InputError:
    return InputError(
        f"the table's columns are {quoted(','.join(names))}",
        where=f"line {line + 1}",
        expected='"Kernel Name" with "Metric Name", "Metric Unit", "Metric Value", or the raw page',
    )
