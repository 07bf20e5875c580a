"""Tables of runs, one a row, with their wall times or other metrics; other columns become tags."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from ingest.base import Item, LeftOut, Select
from ingest.parsing.plain_csv import named
from ingest.readers.plain.headings import WALL_TIME, Headings, headings_of
from ingest.readers.plain.matches import best_match
from ingest.readers.plain.repetitions import without_copies
from ingest.readers.plain.tables import RUN_TYPES, check_type, number_of, source_of, value
from warehouse.errors import InputError
from warehouse.sqlfiles import identifier

_FACTS = RUN_TYPES | {WALL_TIME: "DOUBLE"}
# The wall time of a run at a known count is that of one function, of the kind total.
_WHOLE_PROGRAM = "whole program"


def run_list(columns: tuple[str, ...]) -> Headings | None:
    """Return what the columns are where rows are runs, and none of a landing table; else None."""
    match = best_match(columns)
    if match is not None and not match.missing:
        return None
    return headings_of(columns, tuple(_FACTS))


def run_items(
    columns: tuple[str, ...], headings: Headings, path: Path, head: bytes
) -> Iterator[Item]:
    """Yield a SELECT of the runs, one of their metrics, and one of the times at known counts.

    Raises `InputError` for columns whose names are nearly those of facts.
    """
    for name in headings.tags.keys() & headings.tags.values():
        if close := difflib.get_close_matches(name, _FACTS, 1, cutoff=0.8):
            raise InputError(
                f"the column {name!r} is no fact of runs",
                where="line 1",
                expected=f"columns among {', '.join(_FACTS)}; others become tags",
                hint=f"Did you mean {close[0]}? A tag of that name is tag:{name}.",
            )
    # What is not named as the fact is may be text: such values become tags.
    texts = [
        *headings.measures,
        *(c for f, c in headings.facts.items() if f == "problem_size" != c),
    ]
    types = {
        column: "VARCHAR" if column in texts else _FACTS[fact]
        for fact, column in headings.facts.items()
    }
    source, params, stored = source_of(
        head, path, columns, dict.fromkeys(columns, "VARCHAR") | types, left_out=True
    )
    for name, kind in types.items():
        check_type(name, kind, stored[name])
    source, copies = without_copies(source, params, named(columns))
    yield from copies
    key: Literal["run_id", "run_key"] = "run_id" if "run_id" in columns else "run_key"
    row = "*" if key == "run_id" else "CAST(row_number() OVER () AS VARCHAR) AS run_key, *"
    source = f"FROM (SELECT {row} {source})"
    seconds = "NULL"
    if WALL_TIME in headings.facts:
        time = f"CAST({identifier(headings.facts[WALL_TIME])} AS DOUBLE)"
        seconds = (
            f"CASE WHEN NOT isnan({time}) AND {time} <> 0 THEN {time}{headings.to_seconds} END"
        )
        zeros = number_of("count(*)", f"{source} WHERE {time} = 0", params)
        yield LeftOut(zeros, "wall time", "rounded to 0")
    values = [
        f"TRY_CAST({identifier(column)} AS DOUBLE) AS {fact}"
        if column in texts
        else _fact(fact, column, stored[column])
        for fact, column in headings.facts.items()
        if fact not in ("run_id", WALL_TIME)
    ]
    values.append(f"{seconds} AS {WALL_TIME}")
    tags, names = _tags(headings.tags, texts)
    yield Select("runs", f"SELECT {', '.join([key, *values, *tags])} {source}", params | names, key)
    if headings.measures:
        select, names = _metrics(headings, key)
        yield Select("metrics", f"{select} {source}) WHERE isfinite(m.value)", params | names, key)
    if headings.counts and seconds != "NULL":
        # Cores are no fact of runs: only their times are at so many.
        cores = f"TRY_CAST({identifier(headings.cores)} AS INTEGER)" if headings.cores else "NULL"
        counts = [cores if name == headings.cores else identifier(name) for name in headings.counts]
        yield Select(
            "fn_timings",
            f"SELECT DISTINCT {key}, '{_WHOLE_PROGRAM}' AS function, 'total' AS kind, "
            f"{seconds} AS seconds, {cores} AS parallelism {source} "
            f"WHERE {seconds} > 0 AND coalesce({', '.join(counts)}) IS NOT NULL",
            params,
            key,
        )


def _fact(fact: str, column: str, stored: str) -> str:
    """Return the SQL expression of a fact."""
    return (
        value(fact, _FACTS[fact], stored) if column == fact else f"{identifier(column)} AS {fact}"
    )


def _tags(columns: dict[str, str], texts: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the SQL expression of the tags (column: key), if any, and its parameters."""
    keys = columns | {name: name for name in texts}
    names = {f"tag_{place}": key for place, key in enumerate(keys.values())}
    entries = ", ".join(
        f"{{'key': ${place}, 'value': {_tag(name, is_text=name in texts)}}}"
        for place, name in zip(names, keys, strict=True)
    )
    if not entries:
        return [], {}
    known = f"list_filter([{entries}], lambda tag: tag.value IS NOT NULL)"
    return [f"map_from_entries({known}) AS tags"], names


def _tag(name: str, *, is_text: bool) -> str:
    text = f"CAST({identifier(name)} AS VARCHAR)"
    return f"CASE WHEN TRY_CAST({text} AS DOUBLE) IS NULL THEN {text} END" if is_text else text


def _metrics(headings: Headings, key: str) -> tuple[str, dict[str, Any]]:
    """Return the beginning of the SELECT of the metrics, and its parameters."""
    names: dict[str, Any] = {}
    entries = []
    for place, (column, measure) in enumerate(headings.measures.items()):
        found = {"metric": measure.metric, "unit": measure.unit, "better": measure.better}
        names |= {f"{field}_{place}": text for field, text in found.items()}
        bound = ", ".join(f"'{field}': CAST(${field}_{place} AS VARCHAR)" for field in found)
        entries.append(f"{{{bound}, 'value': TRY_CAST({identifier(column)} AS DOUBLE)}}")
    of_row = f"SELECT {key}, unnest([{', '.join(entries)}]) AS m"
    return f"SELECT {key}, m.metric, m.value, m.unit, m.better FROM ({of_row}", names
