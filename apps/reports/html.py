"""HTML files that need nothing else: no network, no scripts; text of the warehouse is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from apps.output.numbers import is_number
from apps.output.tables import table_columns
from apps.output.text import cell
from warehouse.version import __version__

WRITTEN = f"Written by pwh {__version__}."
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
a { color: inherit; }
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
.grid { stroke: var(--rule); fill: none; }
.key { display: inline-block; margin-right: 1rem; }
.key svg { display: inline-block; width: .8rem; height: .8rem; margin-right: .3rem; }
footer { margin-top: 3rem; font-size: .86rem; }
"""


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


def table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return rows as a table, long texts shortened, with the whole as their titles."""
    whole = table_columns(names, rows, {})
    columns = table_columns(names, rows, dict.fromkeys(names, _NAME))
    right = [any(is_number(row[i]) for row in rows) for i in range(len(names))]
    kinds = [' class="number"' if number else "" for number in right]
    head = "".join(f"<th{k}>{plain(n)}</th>" for n, k in zip(names, kinds, strict=True))
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
