"""The report of a run as one HTML file: pictures inside, nothing loaded, no scripts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from apps.output.colours import BLUE, CAUSES, RED
from apps.output.numbers import amount, counted, percent
from apps.output.tables import Row, dicts, table_of
from apps.output.text import cell, rows_command
from apps.queries.base import ask_dicts
from apps.queries.timeline import LANES, timeline, timeline_span
from apps.reports.html import WRITTEN, document, keys, plain, sentences, table
from apps.reports.plot import Mark, series_plot
from apps.reports.runs import LINES, Report, Section, report_of
from apps.reports.svg import bars, lanes
from warehouse.session import Connection

_CAUSES = {cause: cause.replace(" ", "-") for cause in CAUSES}
_FILLS = {"bar": BLUE} | {_CAUSES[cause]: CAUSES[cause] for cause in CAUSES}
_COLOURS = "".join(f".{name} {{ fill: {colour}; }}\n" for name, colour in _FILLS.items())


def run_page(con: Connection, run_id: str) -> str:
    """Return the report of a run as HTML."""
    report = report_of(con, run_id)
    parts = [
        f"<h1>{plain(run_id)}</h1>",
        f'<p class="facts">{plain(report.facts)}</p>' if report.facts else "",
        sentences(report.sentences),
        _history(con, report),
        *(_section(con, report, section) for section in report.sections),
        f"<footer>Rows: {plain(report.landed)}. "
        + "".join(f"{plain(line)}. " for line in report.lacking)
        + f"{WRITTEN}</footer>",
    ]
    return document(run_id, parts, _COLOURS)


def _section(con: Connection, report: Report, section: Section) -> str:
    rows = dicts(section.relation.limit(LINES))
    names = section.relation.columns
    headings, lines = table_of(section.relation).cells(rows, names)
    pictures = [_bars(section.title, rows)]
    if section.title == "Workers":
        pictures.append(_timeline(con, report.run_id))
    more = ""
    if (left := len(section.relation) - LINES) > 0:
        every = rows_command(section.view, report.run_id)
        more = f'<p class="note">... and {left:,} more: {plain(every)}</p>'
    return "\n".join(
        [
            f"<h2>{plain(section.title)}</h2>",
            sentences(section.others),
            *pictures,
            table(names, lines, headings),
            more,
        ]
    )


def _bars(title: str, rows: Sequence[Row]) -> str:
    """Return the shares of functions as bars, where the rows have shares."""
    known = [row for row in rows if "function" in row and 0 < (row.get("share") or 0) <= 1]
    if not known:
        return ""
    shares = [row["share"] for row in known]
    picture = bars(
        [cell(row["function"], None) for row in known],
        shares,
        [percent(one) for one in shares],
        title,
    )
    return f"<figure>{picture}</figure>"


def _timeline(con: Connection, run_id: str) -> str:
    span = timeline_span(con, run_id)
    if span is None:
        return ""
    pieces = dicts(timeline(con, run_id, span, (span.t_begin, span.t_end)))
    if not pieces:
        return ""
    seen = {piece["cause"] for piece in pieces}
    named = keys({cause: CAUSES[cause] for cause in _CAUSES if cause in seen})
    few = f", the first {LANES} of {span.workers}" if span.workers > LANES else ""
    picture = lanes(pieces, _CAUSES, f"What {counted(span.workers, 'worker')} did when{few}")
    return f"<figure>{picture}<figcaption>{named}{few.removeprefix(', ')}</figcaption></figure>"


def _history(con: Connection, report: Report) -> str:
    rows = [
        row
        for row in ask_dicts(con, "runs/history", run_id=report.run_id)
        if row["value"] and 0 < row["value"] < math.inf
    ]
    own = next((row for row in rows if row["is_own"]), None)
    if len(rows) < 2 or own is None:
        return ""
    picture = series_plot(rows, "wall time", "s", [Mark(own["started_at"], "this run", RED)])
    caption = (
        f"Wall time of the {counted(len(rows), 'run')} of this series in order of time; this one "
        f"took {amount(own['value'], 's')}."
    )
    return f"<h2>History</h2><figure>{picture}<figcaption>{plain(caption)}</figcaption></figure>"
