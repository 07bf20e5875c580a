"""Plain tables: CSV, Parquet or Arrow whose columns are those of one landing table.

The way in for every tool that has no reader. The file may carry the run's own columns too
(run_id, app, version ...), so that one file can contain many runs; without run_id, rows with equal
run columns are one run, for fn_timings with equal parallelism and repetition as well. Rows of a
function that a timer wrote again and again are repetitions, also without that column; with it,
rows that are equal in all columns are one measurement and land once.

A table with the wall times of runs (`wall_seconds`) and no landing table's rows lands as runs, one
a row; columns that are no facts of runs become tags.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ingest.base import Head, Item, LeftOut, Select, SingleFile
from ingest.compressed import compression
from ingest.parsing import arrow, parquet, plain_csv
from ingest.parsing.scratch import scratch
from ingest.recording import Recording, read_head
from warehouse.catalog import RUN_COLUMNS, Column, landing
from warehouse.errors import InputError

_RUN_TYPES = {
    "run_id": "VARCHAR",
    "app": "VARCHAR",
    "version": "VARCHAR",
    "machine": "VARCHAR",
    "started_at": "TIMESTAMPTZ",
    "nodes": "INTEGER",
    "ranks": "INTEGER",
    "threads": "INTEGER",
    "problem_size": "DOUBLE",
}
_WALL_TIME = "wall_seconds"
_COUNTS = ("ranks", "threads", "nodes")
# The wall time of a run at a known count is that of one function, of the kind total.
_WHOLE_PROGRAM = "whole program"
_KEYS_OF_FN_TIMINGS = ("parallelism", "repetition")
_INTEGERS = ("INTEGER", "BIGINT")
_FRACTIONS = ("FLOAT", "DOUBLE", "DECIMAL")
_MOST = 2 / 3
_BINARY = (parquet.MAGIC, *arrow.MAGICS)
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")


@dataclass(frozen=True, slots=True)
class Match:
    """A landing table, and how a file's columns relate to it."""

    table: str
    known: tuple[str, ...]
    unknown: tuple[str, ...]
    missing: tuple[str, ...]


class PlainTable(SingleFile):
    """CSV, Parquet or Arrow with the columns of a landing table."""

    NAME = "plain"
    DESCRIPTION = "CSV, Parquet or Arrow: columns of one landing table, or runs and wall_seconds"
    PATTERNS = ("*.csv", "*.tsv", "*.parquet", "*.arrow", "*.arrows", "*.feather")
    TABLES = ("any landing table",)

    def sniff(self, head: Head) -> bool:
        """Recognise the file by its column names: two thirds a landing table's, or wall_seconds.

        A damaged Parquet or Arrow file is taken too, so that its reader reports what is wrong.
        """
        if head.data.startswith(_BINARY):
            try:
                # The names of a Parquet file are at its end; unpacking it here would cost much.
                columns = (
                    None if compression(head.path) is not None else _columns(head.data, head.path)
                )
            except (InputError, OSError):
                columns = None
            return columns is None or _fits(columns)
        if b"\0" in head.data:
            return False
        try:
            return _fits(_columns(head.data, head.path))
        except InputError:
            return False

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one SELECT over the file, and one for its runs where it carries run columns."""
        path, head = _as_readable(recording)
        columns = _unique(_columns(head, path))
        if _lists_runs(columns):
            yield from _runs(columns, path, head)
            return
        match = _checked(best_match(columns), columns)
        types = _types(match.table)
        given = [name for name in RUN_COLUMNS if name in columns and name not in types]
        source, params, stored = _source(
            head, path, columns, _RUN_TYPES | types, left_out=bool(given)
        )
        for name in columns:
            _check_type(name, (_RUN_TYPES | types)[name], stored[name])
        names_runs, key = _run_key(match.table, columns, given)
        if given != ["run_id"] and key:
            facts = ", ".join(given) if names_runs == "run_key" else ", ".join(given[1:])
            yield Select(
                "runs",
                f"SELECT DISTINCT {key} AS {names_runs}{', ' + facts if facts else ''} {source} "
                "ORDER BY ALL",
                params,
                names_runs,
            )
        values = [_value(n, types[n], stored[n]) for n in match.known if n in types]
        if _is_repeatable(match):
            source = _numbered(source, match, given)
            values.append("repetition")
        elif match.table == "fn_timings" and (copies := _copies(source, params, columns)):
            source = _without_copies(source, columns)
            yield _left_out(copies)
        if key:
            values.insert(0, f"{key} AS {names_runs}")
        yield Select(match.table, f"SELECT {', '.join(values)} {source}", params, names_runs)


def _fits(columns: tuple[str, ...]) -> bool:
    if _lists_runs(columns):
        return True
    match = best_match(columns)
    return match is not None and len(match.known) >= _MOST * len(columns)


def _lists_runs(columns: tuple[str, ...]) -> bool:
    """Return whether rows are runs: they have wall times, and are no rows of a landing table."""
    match = best_match(columns)
    return _WALL_TIME in columns and (match is None or bool(match.missing))


def _runs(columns: tuple[str, ...], path: Path, head: bytes) -> Iterator[Item]:
    """Yield a SELECT of the runs, and one of the times of those whose count is known.

    Raises `InputError` for columns whose names are nearly those of facts.
    """
    facts = _RUN_TYPES | {_WALL_TIME: "DOUBLE"}
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
    source, params, stored = _source(
        head, path, columns, facts | dict.fromkeys(tags, "VARCHAR"), left_out=True
    )
    for name in known:
        _check_type(name, facts[name], stored[name])
    if copies := _copies(source, params, columns):
        source = _without_copies(source, columns)
        yield _left_out(copies)
    key: Literal["run_id", "run_key"] = "run_id" if "run_id" in columns else "run_key"
    if key == "run_key":
        source = f"FROM (SELECT CAST(row_number() OVER () AS VARCHAR) AS run_key, * {source})"
    entries = ", ".join(
        f"{{'key': {_text(n)}, 'value': CAST({_name(n)} AS VARCHAR)}}" for n in tags
    )
    values = [_value(name, facts[name], stored[name]) for name in known]
    if tags:
        values.append(
            f"map_from_entries(list_filter([{entries}], lambda tag: tag.value IS NOT NULL)) AS tags"
        )
    yield Select("runs", f"SELECT {key}, {', '.join(values)} {source}", params, key)
    if counts := [name for name in _COUNTS if name in columns]:
        yield Select(
            "fn_timings",
            f"SELECT DISTINCT {key}, '{_WHOLE_PROGRAM}' AS function, 'total' AS kind, "
            f"{_WALL_TIME} AS seconds {source} "
            f"WHERE {_WALL_TIME} > 0 AND coalesce({', '.join(counts)}) IS NOT NULL",
            params,
            key,
        )


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def best_match(columns: tuple[str, ...]) -> Match | None:
    """Find the landing table that most of the columns are of; None where none is."""
    matches = []
    for table, fields in landing().items():
        names = {field.name for field in fields}
        required = [field.name for field in fields if field.required]
        known = tuple(c for c in columns if c in names or c in RUN_COLUMNS)
        if not any(c in names for c in columns):
            continue
        unknown = tuple(c for c in columns if c not in known)
        missing = tuple(c for c in required if c not in columns)
        matches.append(Match(table, known, unknown, missing))
    own = [match for match in matches if not match.missing] or matches
    return max(own, key=lambda m: (len(m.known), -len(m.missing)), default=None)


def _columns(head: bytes, path: Path) -> tuple[str, ...]:
    """Return the file's column names, in lower case."""
    if head.startswith(parquet.MAGIC):
        return tuple(parquet.column_types(path))
    if head.startswith(arrow.MAGICS):
        return tuple(arrow.column_names(path))
    return plain_csv.column_names(head)


def _source(
    head: bytes, path: Path, columns: tuple[str, ...], types: dict[str, str], *, left_out: bool
) -> tuple[str, dict[str, Any], dict[str, str]]:
    """Return the FROM clause over the file, its parameters, and the stored types ('': text)."""
    if head.startswith(parquet.MAGIC):
        return "FROM read_parquet($path)", {"path": str(path)}, parquet.column_types(path)
    source, params = plain_csv.source(head, path, columns, types, left_out=left_out)
    return source, params, dict.fromkeys(columns, "")


def _unique(columns: tuple[str, ...]) -> tuple[str, ...]:
    plain_csv.check_unique(columns)
    return columns


def _as_readable(recording: Recording) -> tuple[Path, bytes]:
    """Return a path that DuckDB can read, and the file's head."""
    path = Path(recording.plain())
    head = read_head(path)
    if head.startswith(arrow.MAGICS):
        copy = recording.scratch() / "arrow.parquet"
        arrow.to_parquet(path, copy)
        return copy, parquet.MAGIC
    return path, head


def _check_type(name: str, kind: str, stored: str) -> None:
    """Raise `InputError` for text or dates where numbers land: DuckDB would convert them."""
    base = kind.removesuffix("[]")
    if not stored or base not in _NUMBERS:
        return
    fit = _NUMBERS if kind == base else tuple(n for n in _NUMBERS if n not in _FRACTIONS)
    plain = stored.removesuffix("[]").removeprefix("U").partition("(")[0]
    if stored.endswith("[]") != kind.endswith("[]") or plain not in fit:
        raise InputError(
            f"the column {name} is of type {stored}",
            expected="whole numbers" if base in _INTEGERS else "numbers",
        )


def _checked(match: Match | None, columns: tuple[str, ...]) -> Match:
    if match is None:
        raise InputError(
            f"the columns ({', '.join(columns)[:200]}) are those of no landing table",
            where="line 1",
            hint="pwh schema lists the landing tables and their columns.",
        )
    if match.missing:
        raise InputError(
            f"the column {match.missing[0]} is missing",
            where="line 1",
            expected=f"the columns of {match.table}, of which {', '.join(match.missing)} "
            "cannot be left out",
            hint=f"pwh schema {match.table} lists them all.",
        )
    if match.unknown:
        known = [*_types(match.table), *RUN_COLUMNS]
        close = difflib.get_close_matches(match.unknown[0], known, 1)
        raise InputError(
            f"the column {match.unknown[0]!r} is not one of {match.table}",
            where="line 1",
            expected=f"columns among {', '.join(known)}",
            hint=f"Did you mean {close[0]}?" if close else "Rename it or leave it out.",
        )
    return match


def _types(table: str) -> dict[str, str]:
    fields: tuple[Column, ...] = landing()[table]
    return {field.name: field.type for field in fields}


def _run_key(
    table: str, columns: tuple[str, ...], given: list[str]
) -> tuple[Literal["run_id", "run_key"] | None, str]:
    """Return what distinguishes the file's runs, and the SQL expression for it."""
    if "run_id" in given:
        return "run_id", "run_id"
    keys = list(given)
    if table == "fn_timings":
        keys += [name for name in _KEYS_OF_FN_TIMINGS if name in columns]
    if not keys:
        return None, ""
    # '/' inside a value is doubled, so that different values never have the same key.
    values = [f"replace(coalesce(CAST({name} AS VARCHAR), ''), '/', '//')" for name in keys]
    return "run_key", f"concat_ws('/', {', '.join(values)})"


def _is_repeatable(match: Match) -> bool:
    """Return whether repetitions can show only in rows of a function that follow each other."""
    return match.table == "fn_timings" and not {"repetition", "callpath"} & set(match.known)


def _copies(source: str, params: Mapping[str, Any], columns: tuple[str, ...]) -> int:
    """Return how many rows are equal to an earlier one in all columns, one of them repetition.

    They are the same measurement, written twice. It is 0 for files without that column, and for
    damaged ones: whoever lands these finds the damage, and its line.
    """
    if "repetition" not in columns:
        return 0
    import duckdb

    sql = (
        "SELECT count(*) - count(DISTINCT hash(t)) "
        f"FROM (SELECT * {source} WHERE repetition IS NOT NULL) AS t"
    )
    try:
        with scratch() as con:
            found = con.execute(sql, dict(params)).fetchone()
    except duckdb.Error:
        return 0
    return int(found[0]) if found else 0


def _left_out(copies: int) -> LeftOut:
    return LeftOut(copies, "row", "the same measurement and repetition as another")


def _without_copies(source: str, columns: tuple[str, ...]) -> str:
    """Return the source without rows that are equal to an earlier one, in the order of the file."""
    return (
        f"FROM (SELECT *, row_number() OVER () AS _row {source}) "
        "QUALIFY repetition IS NULL "
        f"OR row_number() OVER (PARTITION BY {', '.join(map(_name, columns))} ORDER BY _row) = 1 "
        "ORDER BY _row"
    )


def _numbered(source: str, match: Match, given: list[str]) -> str:
    """Return the source with the column repetition: from 0, in the order of the file.

    Where all functions of a measurement have equally many rows, several, these are repetitions;
    else it is NULL, as functions of one name can have a row each.
    """
    measurement = [*given, *({"parallelism"} & set(match.known))]
    place = [*measurement, *(n for n in ("function", "kind", "rank", "thread") if n in match.known)]
    of_run = ", ".join(measurement) or "NULL"
    return (
        "FROM (SELECT *, CASE WHEN min(_rows) OVER run = max(_rows) OVER run AND _rows > 1 "
        "THEN _place - 1 END AS repetition FROM ("
        "SELECT *, count(*) OVER place AS _rows, "
        "row_number() OVER (place ORDER BY _row) AS _place "
        f"FROM (SELECT *, row_number() OVER () AS _row {source}) "
        f"WINDOW place AS (PARTITION BY {', '.join(place)})) "
        f"WINDOW run AS (PARTITION BY {of_run}) ORDER BY _row)"
    )


def _value(name: str, kind: str, stored: str) -> str:
    """Return the SQL expression for one column: NaN is unknown, and 2.5 is no whole number."""
    if kind == "DOUBLE":
        return f"CASE WHEN isnan(CAST({name} AS DOUBLE)) THEN NULL ELSE {name} END AS {name}"
    if kind in _INTEGERS and stored.startswith(_FRACTIONS):
        problem = f"'the column {name} contains ' || {name} || ', which is no whole number'"
        return (
            f"CASE WHEN isnan({name}) THEN NULL WHEN {name} <> trunc({name}) "
            f"THEN CAST(error({problem}) AS DOUBLE) ELSE {name} END AS {name}"
        )
    return name
