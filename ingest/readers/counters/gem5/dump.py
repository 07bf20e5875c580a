"""One dump of gem5's statistics as rows of pmu_samples."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.parsing.lines import LineArray, quoted
from ingest.parsing.numbers import cast
from udfs.arrays import Flags, Integers
from warehouse.errors import InputError

TICKS = ("simTicks", "sim_ticks", "finalTick", "final_tick", "simFreq", "sim_freq")

_VALUE = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|-?nan|-?inf"
# The name of a bucket may have blanks, but no word that could be a value.
_NAME = r"[^\s:|#]+(?:::?[^\s|#]+(?: [^\s\d|#%.-][^\s|#]*)*)?"
_SCALAR = rf"^(?P<event>{_NAME}) +(?P<value>{_VALUE})(?: +-?[\d.]+%)*(?P<rest> *(?: # ?.*| \(.*)?)$"
_VECTOR = (
    rf"^(?P<event>{_NAME}) +(?P<values>(?:\| *(?:{_VALUE})(?: +-?[\d.]+%)* *)+)(?P<rest>#.*)?$"
)
_WORD = (
    "(?:Count|Tick|Second|Cycle|Bit|Byte|Watt|Joule|Volt|Celsius|DegreeCelsius|Ratio|Unspecified)"
)
_UNIT = rf"\((?P<unit>\(*{_WORD}[()]*(?:[*/]\(*{_WORD}[()]*)*)\)\s*$"
_MOST = 2**63 - 1


def rows(sample: int, lines: LineArray) -> pa.RecordBatch:
    """Return the statistics of one dump, `lines` without those that begin and end it.

    Raises `InputError` at the first line that is no statistic.
    """
    scalars = lines.match(_SCALAR)
    is_scalar = scalars.is_valid().to_numpy(zero_copy_only=False)
    others = ~is_scalar & pc.not_equal(lines.text, "").to_numpy(zero_copy_only=False)
    vectors = pc.extract_regex(lines.text.filter(pa.array(others)), _VECTOR)
    if vectors.null_count:
        _refuse(lines, others, vectors)
    event, value, rest = scalars.drop_null().flatten()
    start, end = _times(event, value, lines, lines.numbers(is_scalar))
    names, elements, tails, at = _elements(vectors, lines.numbers(others))
    event, rest = pa.concat_arrays([event, names]), pa.concat_arrays([rest, tails])
    texts = pa.concat_arrays([value, elements])
    values = _values(texts, np.concatenate((lines.numbers(is_scalar), at)))
    unit = pc.struct_field(pc.extract_regex(rest, _UNIT), "unit")
    unit = pc.replace_substring_regex(unit, r"^\(([^()]*)\)$", r"\1")
    unspecified = pc.equal(unit, "Unspecified")
    return pa.record_batch(
        {
            "sample": pa.repeat(pa.scalar(sample, pa.int64()), len(event)),
            "t_start": pa.repeat(pa.scalar(start, pa.int64()), len(event)),
            "t_end": pa.repeat(pa.scalar(end, pa.int64()), len(event)),
            "event": event,
            "value": values,
            "unit": pc.if_else(unspecified, pa.scalar(None, pa.string()), unit),
        }
    )


def _values(texts: pa.Array, lines: Integers) -> pa.Array:
    """Turn values into numbers; null for nan and inf."""
    known = pc.match_substring_regex(texts, r"\d")
    numbers = cast(pc.if_else(known, texts, ""), pa.float64(), lines, "value")
    at = pc.index(pc.is_finite(numbers), False).as_py()
    if at >= 0:
        raise InputError(
            f"the value {texts[at]} is out of range",
            where=f"line {lines[at]}",
            expected="a number within 64 bits",
        )
    return numbers


def _elements(
    vectors: pa.StructArray, lines: Integers
) -> tuple[pa.Array, pa.Array, pa.Array, Integers]:
    """Return name, value, description and line of each value of the vectors on one line."""
    event, values, rest = vectors.flatten()
    lists = pc.split_pattern(pc.utf8_ltrim(values, "| "), "|")
    parents = pc.list_parent_indices(lists).to_numpy()
    firsts = np.searchsorted(parents, parents)
    index = pa.array(np.arange(len(parents)) - firsts).cast(pa.string())
    texts = pc.struct_field(pc.extract_regex(lists.flatten(), r"^ *(?P<value>[^ ]*)"), "value")
    names = pc.binary_join_element_wise(event.take(pa.array(parents)), index, "::")
    return names, texts, rest.take(pa.array(parents)), lines[parents]


def _times(
    event: pa.Array, value: pa.Array, lines: LineArray, at: Integers
) -> tuple[int | None, int | None]:
    """Return start and end of a dump on the simulated clock, ns; None where unknown."""
    ticks: dict[str, int] = {}
    rows = np.flatnonzero(pc.is_in(event, pa.array(TICKS)).to_numpy(zero_copy_only=False))
    for row in rows.tolist():
        name, text = event[row].as_py().replace("_", "").lower(), value[row].as_py()
        if not text.isdigit() or (name == "simfreq" and int(text) == 0):
            raise _no_time(f"{event[row]} is {text}", int(at[row]))
        ticks[name] = int(text)
    if len(ticks) < len(TICKS) // 2:
        return None, None
    end, length, frequency = ticks["finaltick"], ticks["simticks"], ticks["simfreq"]
    if length > end:
        raise _no_time("simTicks is more than finalTick", lines.first)
    if end * 10**9 // frequency > _MOST:
        raise _no_time("the simulated time is beyond 64 bits of nanoseconds", lines.first)
    return (end - length) * 10**9 // frequency, end * 10**9 // frequency


def _no_time(problem: str, line: int) -> InputError:
    return InputError(
        problem,
        where=f"line {line}",
        expected="ticks since the start in simTicks and finalTick, ticks a second in simFreq",
    )


def _refuse(lines: LineArray, others: Flags, vectors: pa.StructArray) -> None:
    row = int(np.argmax(vectors.is_null().to_numpy(zero_copy_only=False)))
    number = int(lines.numbers(others)[row])
    raise InputError(
        f"{quoted(lines.line(number))} is no statistic",
        where=f"line {number}",
        expected="name, value and # description, as gem5 writes them",
    )
