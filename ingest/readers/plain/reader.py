"""Plain tables: CSV, Parquet or Arrow whose columns are those of one landing table.

The way in for every tool that has no reader. The file may carry the run's own columns too
(run_id, app, version ...), so that one file can contain many runs; without run_id, rows with equal
run columns are one run, for fn_timings with equal parallelism and repetition as well. Rows of a
function that a timer wrote again and again are repetitions, also without that column; with it,
rows that are equal in all columns are one measurement and land once.

A table with the wall times of runs (`wall_seconds`, or `threads,elapsed (ms)`), or with other
metrics of runs that have an id, a version, a commit or a start, and no landing table's rows, lands
as runs, one a row; columns that are no facts of runs become metrics where their name says so
(`user (s)`), else tags. A column `tag:NAME` is the tag NAME.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ingest.base import Head, Item, LeftOut, Select, SingleFile
from ingest.compressed import compression
from ingest.parsing import arrow, plain_csv
from ingest.parsing.columns import PARQUET
from ingest.readers.plain.matches import best_match, checked, types_of
from ingest.readers.plain.repetitions import is_repeatable, numbered, without_copies
from ingest.readers.plain.run_lists import run_items, run_list
from ingest.readers.plain.tables import (
    RUN_TYPES,
    as_readable,
    check_type,
    column_names,
    source_of,
    value,
)
from ingest.recording import Recording
from warehouse.catalog import RUN_COLUMNS
from warehouse.errors import InputError

_KEYS_OF_FN_TIMINGS = ("parallelism", "repetition")
_MOST = 2 / 3
_BINARY = (PARQUET, *arrow.MAGICS)


class PlainTable(SingleFile):
    """CSV, Parquet or Arrow with the columns of a landing table."""

    NAME = "plain"
    DESCRIPTION = "CSV, Parquet or Arrow: columns of one landing table, or runs and their times"
    PATTERNS = ("*.csv", "*.tsv", "*.parquet", "*.arrow", "*.arrows", "*.feather")
    TABLES = ("any landing table",)

    def sniff(self, head: Head) -> bool:
        """Recognise the file by its column names: two thirds a landing table's, or a run's times.

        A damaged Parquet or Arrow file is taken too, so that its reader reports what is wrong.
        """
        if head.data.startswith(_BINARY):
            try:
                # The names of a Parquet file are at its end; unpacking it here would cost much.
                columns = (
                    None
                    if compression(head.path) is not None
                    else column_names(head.data, head.path)
                )
            except (InputError, OSError):
                columns = None
            return columns is None or _fits(columns)
        if b"\0" in head.data:
            return False
        try:
            return _fits(column_names(head.data, head.path))
        except InputError:
            return False

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one SELECT over the file, and one for its runs where it carries run columns."""
        path, head = as_readable(recording)
        everything = column_names(head, path)
        plain_csv.check_unique(everything)
        columns = plain_csv.named(everything)
        yield LeftOut(len(everything) - len(columns), "column", "without a name")
        if headings := run_list(columns):
            yield from run_items(everything, headings, path, head)
            return
        match = checked(best_match(columns), columns)
        types = types_of(match.table)
        given = [name for name in RUN_COLUMNS if name in columns and name not in types]
        source, params, stored = source_of(
            head,
            path,
            everything,
            dict.fromkeys(everything, "VARCHAR") | RUN_TYPES | types,
            left_out=bool(given) or columns != everything,
        )
        for name in columns:
            check_type(name, (RUN_TYPES | types)[name], stored[name])
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
        values = [value(n, types[n], stored[n]) for n in match.known if n in types]
        if is_repeatable(match):
            source = numbered(source, match, given)
            values.append("repetition")
        elif match.table == "fn_timings":
            source, copies = without_copies(source, params, columns)
            yield from copies
        if key:
            values.insert(0, f"{key} AS {names_runs}")
        yield Select(match.table, f"SELECT {', '.join(values)} {source}", params, names_runs)


def _fits(everything: tuple[str, ...]) -> bool:
    columns = plain_csv.named(everything)
    if run_list(columns):
        return True
    match = best_match(columns)
    if match is None:
        return False
    # Facts of runs are in tables of any kind: they tell nothing where a column is missing.
    own = [name for name in columns if name not in RUN_COLUMNS] if match.missing else columns
    if len(own) - len(match.unknown) < _MOST * len(own):
        return False
    # A single word can be the title of a text, as block or function.
    return len(columns) > 1 or match.table == "runs"


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
