"""Names of series: a metric, and what its runs have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apps.output.text import cell, short_names

_VALUE = 24
TOTALS = ("wall_seconds", "functions:seconds", "functions:cost")

Fields = Mapping[str, str] | None


def series_name(metric: str, fields: Fields) -> str:
    """Return the name of a series: wall_seconds (machine=m1)."""
    return series_names([(metric, fields)])[0]


def series_names(series: Sequence[tuple[str, Fields]]) -> list[str]:
    """Return the names of series of which fields that differ still do where they are shortened."""
    texts = fields_texts([fields for _, fields in series])
    return [
        f"{cell(metric)} ({text})" if text else cell(metric)
        for (metric, _), text in zip(series, texts, strict=True)
    ]


def fields_texts(every: Sequence[Fields]) -> list[str]:
    """Return fields of series in words, shortened as in `series_names`; empty without any."""
    shown = [shown_fields(fields) for fields in every]
    short: dict[tuple[str, str], str] = {}
    for name in {name for fields in shown for name in fields}:
        values = list(dict.fromkeys(fields[name] for fields in shown if name in fields))
        texts = short_names([cell(value, None) for value in values], _VALUE)
        short |= {(name, value): text for value, text in zip(values, texts, strict=True)}
    return [
        cell({name: short[name, value] for name, value in fields.items()}, None) if fields else ""
        for fields in shown
    ]


def common_fields(every: Sequence[Fields]) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Return the fields that all series have in common, and for each those that it has beside."""
    shown = [shown_fields(fields) for fields in every]
    alike = set.intersection(*(set(one.items()) for one in shown)) if shown else set()
    return (
        dict(sorted(alike)),
        [dict(item for item in one.items() if item not in alike) for one in shown],
    )


def shown_fields(fields: Fields) -> dict[str, str]:
    """Return the fields of a series, a whole problem size without .0."""
    return {
        name: value.removesuffix(".0") if name == "problem_size" else value
        for name, value in (fields or {}).items()
    }
