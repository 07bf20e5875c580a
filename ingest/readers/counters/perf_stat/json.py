"""The JSON that `perf stat -j` writes, as rows of the columns of forms.

Source: the section JSON FORMAT of perf-stat(1), and stat-display.c of the Linux kernel.
"""

from __future__ import annotations

import io
import json
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from ingest.parsing.lines import LineArray, quoted
from ingest.readers.counters.perf_stat.forms import COLUMNS, with_cores
from ingest.readers.counters.perf_stat.signs import NOT, OWN_FILE
from udfs.arrays import Flags, Integers
from warehouse.errors import InputError

_PLACES = ("core", "die", "socket", "node", "cache", "cluster")
_TEXTS = (*_PLACES, "cpu", "thread", "counter-value", "unit", "event", "cgroup")
_VALUELESS = re.compile(r'^\{\}$|\{"metric-value" : ""\}')  # --metric-only without counters
_NUMBERS = ("interval", "variance", "pcnt-running")


class Json:
    """Output of `perf stat -j`: one object a line."""

    NEEDS_END = False

    def rows(self, lines: LineArray) -> tuple[pa.Table, Flags]:
        """Return counts, and metrics that are on lines of their own."""
        objects = pc.starts_with(pc.utf8_ltrim_whitespace(lines.text), "{")
        known = objects.to_numpy(zero_copy_only=False)
        at = lines.numbers(known)
        fields = _objects(lines.text.filter(objects).to_pylist(), at)
        empty = pa.array([""] * len(at))

        def text(name: str) -> pa.Array:
            if name not in fields.schema.names:
                return empty
            return pc.fill_null(fields[name].combine_chunks().cast(pa.string()), "")

        place = pc.binary_join_element_wise(*map(text, _PLACES), "")
        cpu = pc.replace_substring_regex(text("cpu"), "^CPU", "")
        thread = pc.extract_regex(text("thread"), r"^(?P<comm>.*)-(?P<tid>\d+)$")
        group = pc.extract_regex(text("metricgroup"), r"\((?P<core>\w+)\)")
        core = pc.fill_null(pc.struct_field(group, "core"), "")
        comm, tid = (pc.fill_null(pc.struct_field(thread, n), "") for n in ("comm", "tid"))
        table = pa.table(
            [
                *(pa.array(at), _nanoseconds(fields["interval"].to_numpy(), at)),
                *(cpu, place, comm, tid, text("counter-value"), text("unit"), text("event")),
                *(text("cgroup"), text("variance"), text("pcnt-running")),
                *(text("metric-value"), text("metric-unit"), core),
            ],
            ["line", "time", *COLUMNS],
        )
        _check(table, text("metricgroup"), text("thread"))
        return with_cores(table), known

    def complaint(self, line: str) -> tuple[str, str, str]:
        """Return what is wrong with a line."""
        return f"{quoted(line)} is no JSON", "one JSON object a line", OWN_FILE


def _objects(objects: list[str], at: Integers) -> pa.Table:
    schema = pa.schema(
        [(name, pa.string()) for name in _TEXTS] + [(name, pa.float64()) for name in _NUMBERS]
    )
    data = "\n".join(objects).encode()
    try:
        fields = pj.read_json(
            io.BytesIO(data or b"{}"),
            pj.ReadOptions(block_size=len(data) + 1),
            pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer"),
        )
    except pa.ArrowInvalid as error:
        raise _error(objects, at, str(error)) from None
    if not objects:
        return fields.slice(0, 0)
    if fields.num_rows != len(objects):
        raise _error(objects, at, "several objects in one line")
    return fields


def _error(objects: list[str], at: Integers, found: str) -> InputError:
    if any(map(_VALUELESS.search, objects)):
        return _valueless(at[0])
    for text, line in zip(objects, at.tolist(), strict=True):
        try:
            json.loads(text)
        except ValueError as error:
            return InputError(
                f"{quoted(text)} is no JSON object ({error})",
                where=f"line {line}",
                expected="one whole JSON object, as perf stat -j writes them",
                hint="Is the file whole? With --metric-only, perf before 6.3 writes broken JSON.",
            )
    row = re.search(r"in row (\d+)", found)
    place = f"line {at[int(row[1])]}" if row and int(row[1]) < len(at) else f"after line {at[0]}"
    return InputError(
        f"the object has a field of an unexpected kind ({found})",
        where=place,
        expected="fields as perf stat -j writes them",
    )


def _valueless(line: int) -> InputError:
    return InputError(
        "no metric has a value: perf counted no event that they are made of",
        where=f"line {line}",
        expected="metrics with their names and values",
        hint="Hardware counters are missing here, as in most virtual machines: record without "
        "--metric-only.",
    )


def _nanoseconds(seconds: Any, at: Integers) -> pa.Array:
    timed = ~np.isnan(seconds)
    bad = timed & ~((seconds >= 0) & (seconds < 9.2e9))
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"the interval {seconds[row]:g} is no time that can be",
            where=f"line {at[row]}",
            expected="seconds since the start",
        )
    whole = np.rint(np.where(timed, seconds, 0) * 1e9).astype(np.int64)
    return pa.array(whole, mask=~timed)


def _check(table: pa.Table, groups: pa.Array, threads: pa.Array) -> None:
    """Raise `InputError` for objects without count and metric, and values that are no numbers."""
    number = rf"^(?:\d+(?:\.\d+)?|{NOT})$"
    counted = pc.match_substring_regex(table["value"], number)
    named = pc.not_equal(table["event"], "")
    metric = pc.and_not(pc.not_equal(table["metric_unit"], ""), named)
    neither = pc.and_(pc.equal(table["value"], ""), pc.or_(metric, pc.not_equal(groups, "")))
    placed = pc.or_(pc.equal(threads, ""), pc.not_equal(table["tid"], ""))
    good = pc.and_(pc.or_(pc.and_(counted, named), pc.and_not(neither, named)), placed)
    if pc.all(good).as_py() is False:
        line = table["line"][pc.index(good, False).as_py()].as_py()
        texts = pc.binary_join_element_wise(table["value"], table["event"], table["metric"], "")
        if pc.all(pc.equal(texts, "")).as_py():
            raise _valueless(line)
        raise InputError(
            "the object contains neither an event with its count nor a metric with its name",
            where=f"line {line}",
            expected='"event" with "counter-value", or "metric-unit" with "metric-value"',
            hint="Record without --metric-only.",
        )
