"""Tables of runs with their wall times, one run a row; other columns become tags."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from ingest.base import Item, Select
from ingest.readers.plain.matches import best_match
from ingest.readers.plain.repetitions import without_copies
from ingest.readers.plain.tables import RUN_TYPES, check_type, quoted, source_of, value
from warehouse.errors import InputError

_WALL_TIME = "wall_seconds"
_COUNTS = ("ranks", "threads", "nodes")
# The wall time of a run at a known count is that of one function, of the kind total.
_WHOLE_PROGRAM = "whole program"


def lists_runs(columns: tuple[str, ...]) -> bool:
    """Return whether rows are runs: they have wall times, and are no rows of a landing table."""
    match = best_match(columns)
    return _WALL_TIME in columns and (match is None or bool(match.missing))


def run_items(columns: tuple[str, ...], path: Path, head: bytes) -> Iterator[Item]:
    """Yield a SELECT of the runs, and one of the times of those whose count is known.

    Raises `InputError` for columns whose names are nearly those of facts.
    """
    facts = RUN_TYPES | {_WALL_TIME: "DOUBLE"}
    tags = [name for name in columns if name not in facts]
    for name in tags:
        if close := difflib.get_close_matches(name, facts, 1, cutoff=0.8):
            raise InputError(
                f"the column {name!r} is no fact of runs",
                where="line 1",
                expected=f"columns among {', '.join(facts)}; others become tags",
                hint=f"Did you mean {close[0]}?",
            )
    known = [name for name in columns if name in facts and name != "run_id"]
    source, params, stored = source_of(
        head, path, columns, facts | dict.fromkeys(tags, "VARCHAR"), left_out=True
    )
    for name in known:
        check_type(name, facts[name], stored[name])
    source, copies = without_copies(source, params, columns)
    yield from copies
    key: Literal["run_id", "run_key"] = "run_id" if "run_id" in columns else "run_key"
    if key == "run_key":
        source = f"FROM (SELECT CAST(row_number() OVER () AS VARCHAR) AS run_key, * {source})"
    values = [value(name, facts[name], stored[name]) for name in known]
    names = {f"tag_{place}": name for place, name in enumerate(tags)}
    if tags:
        entries = ", ".join(
            f"{{'key': ${place}, 'value': CAST({quoted(name)} AS VARCHAR)}}"
            for place, name in names.items()
        )
        values.append(
            f"map_from_entries(list_filter([{entries}], lambda tag: tag.value IS NOT NULL)) AS tags"
        )
    yield Select("runs", f"SELECT {key}, {', '.join(values)} {source}", params | names, key)
    if counts := [name for name in _COUNTS if name in columns]:
        yield Select(
            "fn_timings",
            f"SELECT DISTINCT {key}, '{_WHOLE_PROGRAM}' AS function, 'total' AS kind, "
            f"{_WALL_TIME} AS seconds {source} WHERE {_WALL_TIME} > 0 AND NOT isnan({_WALL_TIME}) "
            f"AND coalesce({', '.join(counts)}) IS NOT NULL",
            params,
            key,
        )
