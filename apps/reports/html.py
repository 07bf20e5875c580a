"""HTML files that need nothing else: no network, no scripts; text of the warehouse is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from html import escape
from pathlib import Path
from typing import Any

from apps.output.numbers import is_number
from apps.output.tables import table_columns
from apps.output.text import cell
from warehouse.version import __version__

WRITTEN = f"Written by pwh {__version__}."
_NAME = 60
_STYLE = "\n" + Path(__file__).with_suffix(".css").read_text("utf-8")


def document(title: str, parts: Sequence[str], style: str = "") -> str:
    """Return a whole page of these parts, of which empty ones are left out."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{plain(title)}</title>\n<style>{_STYLE}{style}</style></head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body></html>\n"
    )


def plain(text: Any) -> str:
    """Return text, escaped."""
    return escape(cell(text, None))


def sentences(texts: Sequence[str]) -> str:
    """Return sentences as a list; nothing for none."""
    items = "".join(f"<li>{plain(sentence)}</li>" for sentence in texts)
    return f"<ul>{items}</ul>" if items else ""


def keys(colours: Mapping[str, str]) -> str:
    """Return what the colours of a picture stand for."""
    return "".join(
        f'<span class="key"><svg viewBox="0 0 10 10"><rect width="10" height="10" fill="{colour}"/>'
        f"</svg>{plain(name)}</span>"
        for name, colour in colours.items()
    )


def table(
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    headings: Sequence[str] | None = None,
) -> str:
    """Return rows as a table, long texts shortened, with the whole as their titles.

    With `headings` it is shown as a table of commands, else its values are as they are.
    """
    exact = headings is None
    whole = table_columns(names, rows, {}, exact=exact)
    columns = table_columns(names, rows, dict.fromkeys(names, _NAME), exact=exact)
    right = [
        any(is_number(row[i]) or isinstance(row[i], Decimal) for row in rows)
        for i in range(len(names))
    ]
    kinds = [' class="number"' if number else "" for number in right]
    head = "".join(f"<th{k}>{plain(n)}</th>" for n, k in zip(headings or names, kinds, strict=True))
    cells = [
        [_cell(text, full, kind) for text, full in zip(texts, fulls, strict=True)]
        for texts, fulls, kind in zip(columns, whole, kinds, strict=True)
    ]
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*cells, strict=True))
    return f'<div class="table"><table><tr>{head}</tr>{body}</table></div>'


def _cell(text: str, full: str, kind: str) -> str:
    """Return a cell; its text in full, where that is shortened, is shown over it."""
    title = "" if text == full else f' title="{plain(full)}"'
    return f"<td{kind}{title}>{plain(text)}</td>"
