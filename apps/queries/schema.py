"""Questions about the schema: tables, views, macros, functions and their columns."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from apps.queries.base import ask
from udfs import UDFS
from warehouse import modules, sqlfiles
from warehouse.errors import UsageError
from warehouse.session import Connection, Relation

FIRST = (
    *("runs", "run_metrics", "run_configurations", "metric_series", "change_points"),
    *("series_states", "explanations", "function_shares", "call_tree", "counter_summary"),
    *("fn_timings", "pmu_samples", "slo_by_run", "scaling_models", "sources"),
)
"""The tables and views to know first."""


def cookbook() -> Iterator[tuple[str, str, str]]:
    """Yield the questions of the cookbook: name, question and SQL."""
    for path in sqlfiles.files("cookbook"):
        sql = path.read_text(encoding="utf-8")
        yield path.stem, sql.partition("\n")[0].removeprefix("--").strip(), sql


def schema_objects(con: Connection, name: str | None = None, first: Sequence[str] = ()) -> Relation:
    """Return the public tables, views, macros and functions, or those of one name.

    Those of `first` are the first. Columns: kind, name, parameters (NULL for tables and views) and
    description.
    """
    functions = [
        {
            "name": udf.name,
            "parameters": udf.signature.partition("(")[2][:-1],
            "description": udf.description + (f" Example: {udf.example}" if udf.example else ""),
        }
        for udf in UDFS
        if udf.public
    ]
    return ask(
        con,
        "schema/objects",
        name=name,
        first=list(first),
        functions=json.dumps(functions),
        comments=json.dumps(modules.comments()),
    )


def schema_of(con: Connection, name: str) -> Relation:
    """Return the columns of a table or view, or the parameters and meaning of a macro or function.

    Raises `UsageError` where there is nothing of that name.
    """
    known = {found.lower(): (kind, found) for kind, found, *_ in schema_objects(con).fetchall()}
    bare = name.partition("(")[0].strip().lower()
    if bare not in known:
        close = difflib.get_close_matches(bare, known, 1)
        raise UsageError(
            f"there is no table, view, macro or function {name!r}",
            hint=f"Did you mean {close[0]}?" if close else "pwh schema lists what there is.",
        )
    kind, found = known[bare]
    if kind in ("table", "view"):
        return ask(con, "schema/columns", name=found, comments=json.dumps(modules.comments()))
    return schema_objects(con, found)


@dataclass(frozen=True, slots=True)
class Completions:
    """Names for an editor: tables and views with their columns, macros without; functions."""

    tables: dict[str, list[str]]
    functions: list[str]


def completions(con: Connection) -> Completions:
    """Return the names with which an editor completes SQL."""
    tables = {name: columns or [] for name, columns in ask(con, "schema/completions").fetchall()}
    return Completions(tables, [udf.name for udf in UDFS if udf.public])
