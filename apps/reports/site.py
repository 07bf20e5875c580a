"""A warehouse as a folder of HTML files: inbox, trends and boards, to be read without a server."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from urllib.parse import quote

from apps.output.colours import BETTER, NEUTRAL, WORSE
from apps.output.files import replacing
from apps.output.numbers import amount, counted, signed_percent
from apps.output.tables import Row
from apps.output.text import short_name, short_names
from apps.queries.base import ask_dicts
from apps.queries.events import OPEN, SETTLED, Events
from apps.queries.trend import Series
from apps.reports.board import board_page
from apps.reports.changes import series_state
from apps.reports.events import event_sentences, state_text
from apps.reports.html import WRITTEN, document, plain, sentences
from apps.reports.plot import Mark, series_plot
from apps.reports.series import TOTALS, series_names
from apps.reports.sparklines import sparkline
from apps.reports.trend import (
    Found,
    changes_in,
    doubt_sentences,
    found_in,
    measured_order_sentences,
)
from warehouse.address import Address
from warehouse.errors import UsageError
from warehouse.session import Connection

_FIRST = "index.html"
_OWN = re.compile(r"(?:trends|board)-.*\.html")
_VALUES = 40  # of a sparkline, the change in their middle
_SERIES = 1000  # lines of the table of applications
_PLOTS = 40  # of an application
_NAME, _CELL = 60, 28
_TINTS = {"worse": WORSE, "better": BETTER}
_STYLE = "\n" + Path(__file__).with_suffix(".css").read_text("utf-8")


def write_site(con: Connection, path: Address, folder: Path) -> str:
    """Write the pages of a warehouse to a folder; return what was written, in words.

    Raises `UsageError` for a folder that has other files and no site, or cannot be written.
    """
    _prepare(folder)
    events = ask_dicts(con, "events/list", **Events((*OPEN, *SETTLED)).params())
    watched = ask_dicts(con, "overview/watched", number=_SERIES + 1, most=_VALUES, app=None)
    boards = sorted({row["board"] for row in ask_dicts(con, "schema/saved") if row["board"]})
    apps = sorted({row["app"] for row in (*events, *watched)})
    trends = _names("trends", apps)
    pages = _names("board", boards)
    own_board = {board: ask_dicts(con, "schema/board", board=board) for board in boards}
    pictures: dict[int, str | None] = {}
    for app in apps:
        own = [event for event in events if event["app"] == app]
        page, drawn = _trends(con, app, own)
        pictures |= drawn
        _write(folder / trends[app], page)
    for board in boards:
        _write(folder / pages[board], board_page(path, board, own_board[board], _BACK))
    _write(folder / _FIRST, _index(con, path, events, watched, (trends, pages), pictures))
    files = 1 + len(apps) + len(boards)
    return (
        f"{folder / _FIRST}: {counted(len(events), 'event')}, {counted(len(apps), 'application')}, "
        f"{counted(len(boards), 'board')} in {counted(files, 'file')}"
    )


_BACK = f'<nav><a href="{_FIRST}">Inbox</a></nav>'


def _prepare(folder: Path) -> None:
    """Make the folder, and delete what an earlier site in it had beside its first page."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        found = sorted(folder.iterdir())
    except OSError as error:
        raise UsageError(f"--site {folder}: {error.strerror or error}") from None
    others = [file for file in found if file.name != _FIRST and not _OWN.fullmatch(file.name)]
    if others:
        raise UsageError(
            f"--site {folder}: there is {others[0].name}, which is no page of a site",
            hint="Name a new folder: pages of an earlier site are replaced, other files are not.",
        )
    for file in found:
        file.unlink()


def _names(kind: str, titles: Sequence[str]) -> dict[str, str]:
    """Return names of files for titles, different also where the case of letters is ignored."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for title in titles:
        plain_title = re.sub(r"[^A-Za-z0-9._-]+", "-", title)[:80]
        name, number = f"{kind}-{plain_title}.html", 1
        while name.lower() in taken:
            number += 1
            name = f"{kind}-{plain_title}-{number}.html"
        taken.add(name.lower())
        names[title] = name
    return names


def _write(file: Path, page: str) -> None:
    with replacing(file) as draft:
        draft.write_text(page, encoding="utf-8", errors="replace")


def _index(
    con: Connection,
    path: Address,
    events: Sequence[Row],
    watched: Sequence[Row],
    names: tuple[dict[str, str], dict[str, str]],
    pictures: dict[int, str | None],
) -> str:
    """Return the first page: the open events, the applications, the boards, the settled events."""
    trends, boards = names
    (counts,) = ask_dicts(con, "overview/counts")
    opened = [row for row in events if row["state"] in OPEN]
    settled = [row for row in events if row["state"] not in OPEN]
    shown = watched[:_SERIES]
    facts = ", ".join(
        counted(counts[kind], noun)
        for kind, noun in (("runs", "run"), ("apps", "application"), ("machines", "machine"))
    )
    more = f"The first {_SERIES:,} series." if len(watched) > _SERIES else ""
    parts = [
        f"<h1>{plain(path.name)}</h1>",
        f'<p class="facts">{plain(facts)}; as of {datetime.now(UTC):%Y-%m-%d %H:%M} UTC</p>',
        f"<h2>Inbox: {counted(len(opened), 'open event')}</h2>",
        *(_event(con, row, trends, pictures) for row in opened),
        "" if opened else '<p class="note">Nothing to look at.</p>',
        f"<details><summary>{counted(len(settled), 'settled event')}</summary>" if settled else "",
        *(_event(con, row, trends, pictures) for row in settled),
        "</details>" if settled else "",
        "<h2>Boards</h2><ul>" if boards else "",
        *(f"<li>{_link(file, board)}</li>" for board, file in boards.items()),
        "</ul>" if boards else "",
        "<h2>Applications</h2>",
        _applications(shown, trends),
        f'<p class="note">{more}</p>' if more else "",
        f"<footer>{WRITTEN}</footer>",
    ]
    return document(f"{path.name}: inbox", parts, _STYLE)


def _event(
    con: Connection, row: Row, trends: dict[str, str], pictures: dict[int, str | None]
) -> str:
    where = f"{trends[row['app']]}#event-{row['event_id']}"
    number = f"Event {row['event_id']}: {row['app']} on {row['machine'] or 'an unknown machine'}"
    address = pictures.get(row["event_id"])
    picture = f'<img alt="its history" src="{escape(address)}">' if address else ""
    texts = event_sentences(con, row)
    return f"<article>{picture}<h3>{_link(where, number)}</h3>{sentences(texts)}</article>"


def _applications(watched: Sequence[Row], trends: dict[str, str]) -> str:
    """Return a line for each setting of an application: its history, its last value, its state."""
    settings = short_names([row["setting"] or "" for row in watched], _CELL)
    head = ("application", "machine", "setting", "metric", "history", "last", "state", "run")
    lines = []
    for row, setting in zip(watched, settings, strict=True):
        address = sparkline(row["history"], row["change_at"])
        cells = [
            _link(trends[row["app"]], row["app"]),
            plain(row["machine"] or ""),
            plain(setting),
            plain(short_name(row["metric"], _CELL)),
            f'<img alt="" src="{escape(address)}">' if address else "",
            plain(amount(row["last"], row["unit"])),
            plain(series_state(row)),
            plain(f"{row['run_id']}, {row['last_at']:%Y-%m-%d}"),
        ]
        lines.append("".join(f"<td>{one}</td>" for one in cells))
    heads = "".join(f"<th>{one}</th>" for one in head)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="table"><table><tr>{heads}</tr>{body}</table></div>'


def _link(file: str, text: str) -> str:
    return f'<a href="{quote(file, safe="#")}">{plain(text)}</a>'


def _trends(con: Connection, app: str, events: Sequence[Row]) -> tuple[str, dict[int, str | None]]:
    """Return the page of an application, and for each of its events a picture of the change.

    Drawn are the series of events, the open ones first, then those of its total time.
    """
    named = list(dict.fromkeys([*(event["metric"] for event in events), *TOTALS]))
    asked = Series(app, named)
    series = ask_dicts(con, "trend/series", **asked.params())
    if not any(row["metric"] in named for row in series):
        asked = Series(app)
        series = ask_dicts(con, "trend/series", **asked.params())
    measured = measured_order_sentences(con, app)
    found = found_in(con, asked, *changes_in(con, asked, measured, events))
    own = [_events_of(row, events) for row in series]
    pictures = {
        event["event_id"]: _picture(row, event)
        for row, of_row in zip(series, own, strict=True)
        for event in of_row
    }
    # Those of the first events come first, as these are the open ones.
    first = {event["event_id"]: place for place, event in enumerate(events)}
    ordered = sorted(
        zip(series, own, strict=True),
        key=lambda one: min((first[event["event_id"]] for event in one[1]), default=len(first)),
    )
    drawn = ordered[:_PLOTS]
    titles = series_names([(row["metric"], row["fields"]) for row, _ in drawn])
    left = len(series) - len(drawn)
    parts = [
        _BACK,
        f"<h1>{plain(app)}</h1>",
        sentences(doubt_sentences(con, app, measured)),
        *(
            _plotted(title, row, found, of_row)
            for title, (row, of_row) in zip(titles, drawn, strict=True)
        ),
        f'<p class="note">{left} more series are not drawn; pwh trend has all.</p>' if left else "",
        f"<footer>{WRITTEN}</footer>",
    ]
    return document(f"{app}: trends", parts, _STYLE), pictures


def _events_of(series: Row, events: Sequence[Row]) -> list[Row]:
    """Return the events whose clearest change is in a series."""
    runs = {point["run_id"] for point in series["series"]}
    return [
        event for event in events if event["metric"] == series["metric"] and event["run_id"] in runs
    ]


def _picture(series: Row, event: Row) -> str | None:
    """Return the values around the change of an event as a picture."""
    runs = [point["run_id"] for point in series["series"]]
    at = runs.index(event["run_id"])
    first = max(0, min(at - _VALUES // 2, len(runs) - _VALUES))
    values = [point["value"] for point in series["series"][first : first + _VALUES]]
    return sparkline(values, at - first + 1)


def _plotted(title: str, series: Row, found: Found, events: Sequence[Row]) -> str:
    """Return the picture of a series with its changes, and what is found in it."""
    points = series["series"]
    marks = [
        Mark(
            points[change["index"]]["started_at"],
            signed_percent(change["change"]) or "from 0",
            _TINTS.get(change["direction"] or "", NEUTRAL),
        )
        for change in found.of(series)
    ]
    anchors = "".join(
        f'<a id="event-{event["event_id"]}"></a>'
        f'<p class="note">Event {event["event_id"]}: {plain(state_text(event))}</p>'
        for event in events
    )
    what = short_name(series["metric"], _NAME)
    picture = series_plot(points, series["metric"], series["unit"], marks)
    return (
        f'<h2 class="series">{plain(title)}</h2>{anchors}<figure>{picture}</figure>'
        f"{sentences(found.sentences(what, series))}"
    )
