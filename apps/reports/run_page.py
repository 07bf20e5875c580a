"""The report of a run as one HTML file: pictures inside, nothing loaded, no scripts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from apps.output.colours import BLUE, CAUSES, RED
from apps.output.numbers import amount, counted, is_number, percent
from apps.output.tables import dicts, table_columns
from apps.output.text import cell
from apps.queries.base import ask_dicts
from apps.queries.timeline import LANES, timeline, timeline_span
from apps.reports.runs import LINES, Report, Section, report_of, rows_left
from apps.reports.svg import bars, history, lanes
from warehouse.version import __version__

if TYPE_CHECKING:
    from warehouse.session import Connection

_CAUSES = {cause: cause.replace(" ", "-") for cause in CAUSES}
_NAME = 60
_STYLE = """
:root { color-scheme: light dark; --text: #1d1f23; --soft: #626974; --rule: #dfe3e8;
  --page: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e6ea; --soft: #9aa2ad; --rule: #363b43;
  --page: #0e1117; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page);
  max-width: 60rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.4rem; margin-bottom: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
p.facts, p.note, figcaption, footer { color: var(--soft); overflow-wrap: anywhere; }
ul { padding-left: 1.1rem; }
li { margin: .2rem 0; overflow-wrap: anywhere; }
div.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: .86rem; width: 100%; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top; }
td { overflow-wrap: break-word; min-width: 3rem; }
th { color: var(--soft); font-weight: 500; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: .6rem 0 1rem; }
svg { width: 100%; height: auto; display: block; }
svg text { font: 12px system-ui, sans-serif; fill: var(--text); }
.grid { stroke: var(--rule); fill: none; } .line { fill: none; opacity: .5; }
.point { fill: var(--page); }
.key { display: inline-block; margin-right: 1rem; }
.key svg { display: inline-block; width: .8rem; height: .8rem; margin-right: .3rem; }
footer { margin-top: 3rem; font-size: .86rem; }
"""
_FILLS = {"bar": BLUE, "own": RED} | {_CAUSES[cause]: CAUSES[cause] for cause in CAUSES}
_COLOURS = "".join(
    [
        f".line, .point {{ stroke: {BLUE}; }}\n",
        *(f".{name} {{ fill: {colour}; }}\n" for name, colour in _FILLS.items()),
    ]
)


def run_page(con: Connection, run_id: str) -> str:
    """Return the report of a run as HTML."""
    report = report_of(con, run_id)
    parts = [
        f"<h1>{_plain(run_id)}</h1>",
        f'<p class="facts">{_plain(report.facts)}</p>' if report.facts else "",
        _sentences(report.sentences),
        _history(con, report),
        *(_section(con, report, section) for section in report.sections),
        f"<footer>Rows: {_plain(report.landed)}. "
        + "".join(f"{_plain(line)}. " for line in report.lacking)
        + f"Written by pwh {__version__}.</footer>",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_plain(run_id)}</title>\n<style>{_STYLE}{_COLOURS}</style></head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body></html>\n"
    )


def _plain(text: Any) -> str:
    return escape(cell(text, None))


def _sentences(sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{_plain(sentence)}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def _section(con: Connection, report: Report, section: Section) -> str:
    rows = section.relation.limit(LINES + 1).fetchall()
    names = section.relation.columns
    pictures = [_bars(section.title, names, rows[:LINES])]
    if section.title == "Workers":
        pictures.append(_timeline(con, report.run_id))
    more = ""
    if len(rows) > LINES:
        more = f'<p class="note">{_plain(rows_left(section, report.run_id))}</p>'
    return "\n".join(
        [
            f"<h2>{_plain(section.title)}</h2>",
            _sentences(section.others),
            *pictures,
            _table(names, rows[:LINES]),
            more,
        ]
    )


def _table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    whole = table_columns(names, rows, {})
    columns = table_columns(names, rows, dict.fromkeys(names, _NAME))
    right = [any(is_number(row[i]) for row in rows) for i in range(len(names))]
    kinds = [' class="number"' if number else "" for number in right]
    head = "".join(f"<th{k}>{_plain(n)}</th>" for n, k in zip(names, kinds, strict=True))
    cells = [
        [_cell(text, full, kind) for text, full in zip(texts, fulls, strict=True)]
        for texts, fulls, kind in zip(columns, whole, kinds, strict=True)
    ]
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*cells, strict=True))
    return f'<div class="table"><table><tr>{head}</tr>{body}</table></div>'


def _cell(text: str, full: str, kind: str) -> str:
    """Return a cell; its text in full, where that is shortened, is shown over it."""
    title = "" if text == full else f' title="{_plain(full)}"'
    return f"<td{kind}{title}>{_plain(text)}</td>"


def _bars(title: str, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return the shares of functions as bars, where the rows have shares."""
    if "share" not in names or "function" not in names:
        return ""
    function, share = names.index("function"), names.index("share")
    known = [row for row in rows if row[share] is not None and 0 < row[share] <= 1]
    if not known:
        return ""
    shares = [row[share] for row in known]
    picture = bars(
        [cell(row[function], None) for row in known],
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
    keys = "".join(
        f'<span class="key"><svg viewBox="0 0 10 10"><rect width="10" height="10" '
        f'class="{kind}"/></svg>{cause}</span>'
        for cause, kind in _CAUSES.items()
        if any(piece["cause"] == cause for piece in pieces)
    )
    few = f", the first {LANES} of {span.workers}" if span.workers > LANES else ""
    picture = lanes(pieces, _CAUSES, f"What {counted(span.workers, 'worker')} did when{few}")
    return f"<figure>{picture}<figcaption>{keys}{few.removeprefix(', ')}</figcaption></figure>"


def _history(con: Connection, report: Report) -> str:
    rows = [
        row
        for row in ask_dicts(con, "runs/history", run_id=report.run_id)
        if row["seconds"] and 0 < row["seconds"] < math.inf
    ]
    if len(rows) < 2 or not any(row["is_own"] for row in rows):
        return ""
    values = [row["seconds"] for row in rows]
    own = next(row["seconds"] for row in rows if row["is_own"])
    is_own = [bool(row["is_own"]) for row in rows]
    picture = history(values, is_own, "Wall time of the runs of this series")
    caption = (
        f"Wall time of the {counted(len(rows), 'run')} of this series in order of time; this one "
        f"took {amount(own, 's')}."
    )
    return f"<h2>History</h2><figure>{picture}<figcaption>{_plain(caption)}</figcaption></figure>"
