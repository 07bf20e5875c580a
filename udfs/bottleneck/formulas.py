"""Formulas of metrics, as processor vendors publish them, over the events of samples."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, reduce

import numpy as np
import pyarrow as pa

from udfs.arguments import ArgumentError
from udfs.arrays import Floats
from udfs.arrow import Column, contiguous

# An event can contain a hyphen, so that a minus sign has a blank behind it.
_TOKEN = re.compile(r"\s*(?:(?P<name>[a-z][\w.:-]*)|(?P<number>\d+(?:\.\d+)?)|(?P<sign>[-+*/(),]))")


def _nearest(value: Floats, *choices: Floats) -> Floats:
    stacked = np.stack(np.broadcast_arrays(*choices))
    off = np.abs(stacked - value)
    return np.asarray(np.take_along_axis(stacked, off.argmin(axis=0)[None], axis=0)[0])


_FUNCTIONS: dict[str, Callable[..., Floats]] = {
    "min": lambda *given: reduce(np.minimum, given),
    "max": lambda *given: reduce(np.maximum, given),
    "nearest": _nearest,
}


def evaluate_formulas(
    metrics: Column, formulas: Column, events: Column, names: Column, counts: Column
) -> pa.ListArray:
    """Return the metrics of samples by formulas of their events.

    Args:
        metrics: n lists of the names of metrics.
        formulas: n lists of their formulas (metric_formulas.formula), which use events and metrics
            before them.
        events: n lists of events.
        names: n lists of the names that the file has for them. What is found twice under one name
            was counted twice, as by groups of perf that took turns, and is averaged; several names
            of one event are added.
        counts: n lists of their counts.

    Returns:
        n lists of numbers, one for each metric; NULL where an event is missing or what divides is
        zero. NULL for a NULL list of formulas.
    """
    targets, texts = contiguous(metrics).to_pylist(), contiguous(formulas).to_pylist()
    rows = [
        _by_event(*row)
        for row in zip(*(contiguous(c).to_pylist() for c in (events, names, counts)), strict=True)
    ]
    found: list[list[float | None] | None] = [None] * len(texts)
    same_formulas: dict[tuple[tuple[str, ...], tuple[str, ...]], list[int]] = {}
    for i, text in enumerate(texts):
        if text is not None:
            same_formulas.setdefault((tuple(targets[i]), tuple(text)), []).append(i)
    for (own_names, own_texts), places in same_formulas.items():
        known: dict[str, Floats] = {}
        for row, i in enumerate(places):
            for name, value in rows[i].items():
                known.setdefault(name, np.full(len(places), np.nan))[row] = value
        unknown = np.full(len(places), np.nan)
        table = []
        for name, text in zip(own_names, own_texts, strict=True):
            known[name] = _evaluate(text, known, unknown)
            table.append(known[name])
        for i, row_values in zip(places, np.stack(table, axis=1).tolist(), strict=True):
            found[i] = [v if np.isfinite(v) else None for v in row_values]
    return pa.array(found, pa.list_(pa.float64()))


def _by_event(
    events: Sequence[str] | None, names: Sequence[str] | None, counts: Sequence[float] | None
) -> dict[str, float]:
    """Return the count of each event: the sum over its names of the mean under each."""
    by_name: dict[tuple[str, str], list[float]] = {}
    for event, name, count in zip(events or (), names or (), counts or (), strict=True):
        by_name.setdefault((event, name), []).append(count)
    found: dict[str, float] = {}
    for (event, _), values in by_name.items():
        found[event] = found.get(event, 0.0) + sum(values) / len(values)
    return found


def _evaluate(formula: str, known: Mapping[str, Floats], unknown: Floats) -> Floats:
    tokens = list(_tokens(formula))
    at = 0

    def taken(*signs: str) -> str | None:
        nonlocal at
        if at < len(tokens) and tokens[at] in signs:
            at += 1
            return tokens[at - 1]
        return None

    def expect(sign: str) -> None:
        if taken(sign) is None:
            raise ArgumentError(f"the formula {formula!r} lacks a {sign!r}")

    def total() -> Floats:
        value = product()
        while sign := taken("+", "-"):
            value = value + product() if sign == "+" else value - product()
        return value

    def product() -> Floats:
        value = operand()
        while sign := taken("*", "/"):
            value = value * operand() if sign == "*" else value / operand()
        return value

    def operand() -> Floats:
        nonlocal at
        if taken("("):
            value = total()
            expect(")")
            return value
        if at == len(tokens):
            raise ArgumentError(f"the formula {formula!r} is incomplete")
        token = tokens[at]
        at += 1
        if token[0].isdigit():
            return np.asarray(float(token))
        if token not in _FUNCTIONS:
            return known.get(token, unknown)
        expect("(")
        given = [total()]
        while taken(","):
            given.append(total())
        expect(")")
        return _FUNCTIONS[token](*given)

    with np.errstate(divide="ignore", invalid="ignore"):
        value = total()
    if at < len(tokens):
        raise ArgumentError(f"the formula {formula!r} goes on after its end, at {tokens[at]!r}")
    return np.broadcast_to(value, unknown.shape)


@cache
def _tokens(formula: str) -> tuple[str, ...]:
    found, at = [], 0
    text = formula.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ArgumentError(f"the formula {formula!r} has {text[at:][:20]!r}")
        found.append(match.group().strip())
        at = match.end()
    return tuple(found)
