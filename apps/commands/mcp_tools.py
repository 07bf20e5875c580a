"""Questions of programs by the Model Context Protocol: a tool each, which only reads.

Every answer has the queries that gave it: {"answer": ..., "queries": [{"sql", "parameters"}]}.
Texts and rows are those of the commands of the same names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from typing import Annotated, Any

from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

import warehouse
from apps.commands.comparison import compared_text
from apps.commands.explanations import compared_sides
from apps.output.tables import dicts
from apps.queries.base import Query, ask, ask_dicts, remembering
from apps.queries.comparison import LEVEL
from apps.queries.events import WITHDRAWN, Events
from apps.queries.explanations import explanation
from apps.queries.runs import LATEST, resolve_app, resolve_run, resolve_side
from apps.queries.schema import FIRST, cookbook, schema_objects, schema_of
from apps.queries.trend import Series
from apps.reports.events import event_sentences
from apps.reports.explanations import explanation_text
from apps.reports.plot import as_file, series_plot
from apps.reports.runs import run_report
from apps.reports.trend import trend_text
from warehouse.address import Address
from warehouse.errors import NothingToAnalyse, PwhError
from warehouse.guarded import Limits
from warehouse.query_process import ask_guarded
from warehouse.session import Connection, Relation
from warehouse.version import __version__

_INSTRUCTIONS = """\
A warehouse of performance measurements: runs, their metrics, counters, profiles and traces, the
changes in their histories (events), and what explains them. Begin with list_runs and list_events.
Runs are named by id or its beginning, APP, APP@VERSION, or latest. For what no tool answers,
cookbook has SQL for frequent questions, schema has all tables and views with their columns, and
sql runs one SELECT. Answers come with the queries that gave them.
"""
_WAIT = 30.0
_MOST_ROWS = 2000
_MOST_SECONDS = 60.0
_READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)

RunName = Annotated[str, Field(description="Run: its id, APP, APP@VERSION or latest.")]
AppName = Annotated[str | None, Field(description="Only of this application.")]
Rows = Annotated[int, Field(ge=1, le=_MOST_ROWS, description="Most rows.")]
Metrics = Annotated[
    list[str] | None, Field(description="Only these metrics, names or patterns with * and ?.")
]


def server(address: Address) -> MCPServer[Any]:
    """Return the server over a warehouse, which each tool opens for reading and closes again."""
    made: MCPServer[Any] = MCPServer(
        "pwh", instructions=_INSTRUCTIONS, version=__version__, log_level="ERROR"
    )
    tools = _Tools(address)
    for tool in (
        *(tools.list_runs, tools.list_events, tools.schema, tools.cookbook, tools.sql),
        *(tools.report, tools.explain, tools.compare, tools.trend, tools.profile_difference),
    ):
        made.tool(annotations=_READ_ONLY)(tool)
    # a picture is no JSON
    made.tool(annotations=_READ_ONLY, structured_output=False)(tools.plot_history)
    return made


class _Tools:
    """The tools; their docstrings and the descriptions of arguments are what clients see."""

    def __init__(self, address: Address) -> None:
        self._address = address

    def list_runs(self, app: AppName = None, rows: Rows = 50) -> dict[str, Any]:
        """List runs, those that landed last first: application, version, machine, wall time."""
        return self._answer(lambda con: _rows(ask(con, "runs/list", app=app), rows))

    def list_events(
        self,
        app: AppName = None,
        machine: Annotated[
            str | None, Field(description="Only this machine, or a pattern with * and ?.")
        ] = None,
        state: Annotated[
            list[str] | None,
            Field(
                description="new, investigating, reopened (these are open), expected, noise, "
                "fixed, withdrawn; without any all but withdrawn."
            ),
        ] = None,
        rows: Annotated[int, Field(ge=1, le=100, description="Most events.")] = 20,
    ) -> dict[str, Any]:
        """List changes of metrics as events, open ones first, each with its cause in words."""
        states = tuple(state) if state else Events().states
        if unknown := set(states) - {*Events().states, WITHDRAWN}:
            raise ToolError(f"there is no state {min(unknown)}")

        def answer(con: Connection) -> Any:
            found = ask(con, "events/list", **Events(states, None, app, None, machine).params())
            every = dicts(found.limit(rows))
            return [_plain({**row, "sentences": event_sentences(con, row)}) for row in every]

        return self._answer(answer)

    def schema(
        self,
        name: Annotated[
            str | None, Field(description="A table, view, macro or function; without it all.")
        ] = None,
    ) -> dict[str, Any]:
        """List tables, views, macros and functions, or the columns of one, all with comments."""
        return self._answer(
            lambda con: _rows(
                schema_objects(con, first=FIRST) if name is None else schema_of(con, name),
                _MOST_ROWS,
            )
        )

    def cookbook(
        self,
        words: Annotated[
            str | None, Field(description="Only questions with all of these words.")
        ] = None,
    ) -> dict[str, Any]:
        """List frequent questions with the SQL that answers each, for the tool sql."""
        wanted = (words or "").lower().split()
        return {
            "answer": [
                {"name": name, "question": question, "sql": sql}
                for name, question, sql in cookbook()
                if all(word in f"{name} {question}".lower() for word in wanted)
            ],
            "queries": [],
        }

    def sql(
        self,
        query: Annotated[str, Field(description="One SELECT in DuckDB's SQL. It only reads.")],
        rows: Rows = 200,
        seconds: Annotated[float, Field(gt=0, le=_MOST_SECONDS, description="Time limit.")] = 30.0,
    ) -> dict[str, Any]:
        """Run one SELECT, read-only, with limits of rows, time and memory; no files, no network."""
        with _readable_errors():
            found = ask_guarded(self._address, query, Limits(rows=rows, seconds=seconds))
        return {
            "answer": _plain(found.table.to_pylist()),
            "more": found.more,
            "queries": [{"sql": query, "parameters": {}}],
        }

    def report(self, run: RunName = LATEST) -> dict[str, Any]:
        """Report what is known about a run, the verdicts first: what limits it, and how it ran."""
        return self._answer(lambda con: run_report(con, resolve_run(con, run)))

    def explain(
        self,
        run: RunName = LATEST,
        against: Annotated[
            list[str] | None,
            Field(description="Runs to compare with; else those before its last change."),
        ] = None,
    ) -> dict[str, Any]:
        """Explain why a run is slower or faster than those before: functions, mechanism, ledger."""

        def answer(con: Connection) -> str:
            which = compared_sides(con, resolve_side(con, run), against or [])
            return explanation_text(con, which, dicts(explanation(con, which)), is_short=True)

        return self._answer(answer)

    def compare(
        self,
        before: RunName,
        after: RunName,
        metrics: Metrics = None,
    ) -> dict[str, Any]:
        """Compare two runs or versions by all metrics, with intervals and what is beyond noise."""

        def answer(con: Connection) -> str:
            first, second = resolve_side(con, before), resolve_side(con, after)
            return compared_text(con, ((before, first), (after, second)), LEVEL, metrics)

        return self._answer(answer)

    def trend(
        self,
        app: Annotated[str, Field(description="Application, or a run of it.")],
        metrics: Metrics = None,
        machine: Annotated[str | None, Field(description="Only this machine.")] = None,
    ) -> dict[str, Any]:
        """Show since when metrics of an application are better or worse, and by how much."""
        return self._answer(
            lambda con: trend_text(con, resolve_app(con, app), metrics or [], machine)
        )

    def profile_difference(
        self, before: RunName, after: RunName, rows: Rows = 50
    ) -> dict[str, Any]:
        """List the call paths in which two runs or versions differ most, own and with callees."""

        def answer(con: Connection) -> Any:
            sides = {"runs": resolve_side(con, after), "against": resolve_side(con, before)}
            found = ask(con, "explanations/call_tree", smallest_share=0.0, most=rows, **sides)
            return _rows(found, rows)

        return self._answer(answer)

    def plot_history(
        self,
        app: Annotated[str, Field(description="Application.")],
        metric: Annotated[str, Field(description="Metric, such as wall_seconds.")] = "wall_seconds",
    ) -> list[Any]:
        """Draw the history of a metric as a picture (SVG), the longest series of an application."""

        def answer(con: Connection) -> Any:
            series = Series(resolve_app(con, app), [metric])
            found = ask_dicts(con, "trend/series", **series.params())
            if not found:
                raise NothingToAnalyse(f"{app} has no series of {metric}")
            return max(found, key=lambda row: row["points"])

        answered = self._answer(answer, plain=False)
        series = answered["answer"]
        picture = as_file(series_plot(series["series"], f"{metric} of {app}", series["unit"]))
        return [
            {"answer": _plain(series), "queries": answered["queries"]},
            Image(data=picture.encode(), format="svg+xml"),
        ]

    def _answer(
        self, compute: Callable[[Connection], Any], *, plain: bool = True
    ) -> dict[str, Any]:
        """Return what a question over the warehouse gives, and the queries behind it."""
        with (
            _readable_errors(),
            closing(warehouse.connect(self._address, read_only=True, wait=_WAIT)) as con,
            remembering() as queries,
        ):
            found = compute(con)
        return {"answer": _plain(found) if plain else found, "queries": list(map(_query, queries))}


@contextmanager
def _readable_errors() -> Iterator[None]:
    """Let clients read what is wrong with their question."""
    try:
        yield
    except PwhError as error:
        raise ToolError(str(error)) from None


def _rows(relation: Relation, most: int) -> list[dict[str, Any]]:
    return dicts(relation.limit(most))


def _query(one: Query) -> dict[str, Any]:
    return {"sql": one.sql, "parameters": _plain(dict(one.params))}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: what it lacks is text, and NULL where it is no number."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case Mapping():
            return {str(key): _plain(one) for key, one in value.items()}
        case Sequence() if not isinstance(value, bytes):
            return [_plain(one) for one in value]
    return str(value)
