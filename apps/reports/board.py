"""A board as one HTML file: its charts as pictures, its other answers as tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from apps.output.numbers import counted
from apps.output.tables import Row
from apps.reports.html import WRITTEN, document, plain, table
from apps.reports.plot import plot
from warehouse.address import Address
from warehouse.errors import UsageError
from warehouse.query_process import ask_guarded

_ROWS = 200  # of a table
_STYLE = "\n" + Path(__file__).with_suffix(".css").read_text("utf-8")


def board_page(path: Address, board: str, items: Sequence[Row], before: str = "") -> str:
    """Return a board of a warehouse as HTML; `items` are its queries (schema/board).

    `before` is HTML above it.
    """
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    parts = [
        before,
        f"<h1>{plain(board)}</h1>",
        f'<p class="facts">Board of the warehouse {plain(path.name)}, {now}</p>',
        '<div class="board">',
        *(_item(path, item) for item in items),
        "</div>",
        f"<footer>{WRITTEN}</footer>",
    ]
    return document(board, parts, _STYLE)


def _item(path: Address, item: Row) -> str:
    kind = ' class="half"' if item["is_half"] else ""
    return f"<section{kind}><h2>{plain(item['name'])}</h2>{_answer(path, item)}</section>"


def _answer(path: Address, item: Row) -> str:
    """Return the answer of a query as its chart, else as a table; or why there is none."""
    try:
        result = ask_guarded(path, item["query"])
    except UsageError as error:
        return f'<p class="note">{plain(error.problem)}</p>'
    names = result.table.column_names
    columns = [column.to_pylist() for column in result.table.columns]
    rows = len(result.table)
    if is_drawable(item, names) and rows:
        x, y = (columns[names.index(item[axis])] for axis in ("across", "up"))
        by = item["colour"]
        colours = [None] * rows if by is None else columns[names.index(by)]
        drawn = plot(
            item["chart"], list(zip(x, y, colours, strict=True)), (item["across"], item["up"])
        )
        left = f"The first {counted(rows, 'row')}." if result.more else ""
        return f'<figure>{drawn}</figure><p class="note">{left}</p>'
    shown = list(zip(*(column[:_ROWS] for column in columns), strict=True))
    more = f"The first {_ROWS} of {rows:,} rows or more." if result.more else ""
    if rows > _ROWS and not result.more:
        more = f"The first {_ROWS} of {rows:,} rows."
    return f'{table(names, shown)}<p class="note">{more}</p>'


def is_drawable(item: Row, columns: Sequence[str]) -> bool:
    """Return whether a saved query has a chart, and its answer the columns for it."""
    needed = {item[key] for key in ("across", "up", "colour") if item[key] is not None}
    return item["chart"] is not None and needed <= set(columns)
