"""Text for a terminal and for Markdown: cells of tables, shortened names, commands."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

CELL = 60
# The place of a function in the source: name [{file} {line,column}-{line,column}].
_PLACE = re.compile(r" \[\{[^{}]*\}( \{[^{}]*\}(-\{[^{}]*\})?)?\]$")
_LEAST_PLACE = 8
_COMMIT, _DIGITS = re.compile(r"[0-9a-f]{40}"), 10
BLOCKS = "▁▂▃▄▅▆▇█"
_SPELLED = {"µ": "u", "…": "~", **{block: str(i) for i, block in enumerate(BLOCKS, 1)}}
# A > is markup at the beginning of a line only; without any < it ends no tag.
_MARKUP = re.compile(r"[\\`*\[\]|$~]|^>|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
# no tag begins with a blank: p < 0.05 can stay
_REFERRED = re.compile(r"[&@#]|<(?! )")
_ENTITIES = {"&": "&amp;", "<": "&lt;", "@": "&#64;", "#": "&#35;"}


def markdown_escaped(value: Any) -> str:
    """Return a value escaped for a Markdown table: no markup, mention or column separator in it."""
    text = _MARKUP.sub(lambda found: "\\" + found[0], cell(value, None))
    return _REFERRED.sub(lambda found: _ENTITIES[found[0]], text)


def cell(value: Any, limit: int | None = CELL) -> str:
    """Return one value as short text: unknown is -, floats have six significant digits."""
    match value:
        case None:
            return "-"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.6g}"
        case datetime():
            return value.strftime("%Y-%m-%d %H:%M:%S")
        case dict():
            text = ", ".join(f"{k}={cell(v)}" for k, v in value.items())
        case list() | tuple():
            text = "[" + ", ".join(cell(v) for v in value) + "]"
        case _:
            text = str(value)
    text = printable(text).replace("\n", " ")
    return text if limit is None else short_name(text, limit)


def short_name(text: str, limit: int) -> str:
    """Return text shortened in the middle to a number of characters.

    Paths, mangled names and template arguments differ at their ends, so more of the end is kept.
    Of a function with its place in the source, as TAU writes them, the name is kept.
    """
    if len(text) <= limit:
        return text
    start = (limit - 1) // 3
    if place := _PLACE.search(text):
        start = max(start, min(place.start(), limit - _LEAST_PLACE))
    return f"{text[:start]}…{text[start + 1 - limit :]}"


def short_names(texts: Sequence[str], limit: int) -> list[str]:
    """Return texts shortened to a number of characters so that different ones stay different.

    Those that would be equal are shortened where they are alike: before their first difference, or
    behind the last one. Where that does not tell them apart either, they stay whole.
    """
    shown = {text: short_name(text, limit) for text in texts}
    for alike in _alike(shown):
        start = len(os.path.commonprefix(alike))  # noqa: RUF071
        end = len(os.path.commonprefix([text[::-1] for text in alike]))  # noqa: RUF071
        for text in alike:
            # a third of the room for what is before the difference
            left = max(0, min(start - limit // 3, len(text) - end - limit + 2))
            shown[text] = _cut(text, left, limit)
    for alike in _alike(shown):
        shown |= {text: text for text in alike}
    return [shown[text] for text in texts]


def _alike(shown: Mapping[str, str]) -> list[list[str]]:
    """Return the texts that are shown as the same."""
    groups: dict[str, list[str]] = {}
    for text, short in shown.items():
        groups.setdefault(short, []).append(text)
    return [group for group in groups.values() if len(group) > 1]


def _cut(text: str, left: int, limit: int) -> str:
    """Return `limit` characters of a text from a place on, with an ellipsis at ends cut off."""
    before = "…" if left else ""
    rest = text[left:]
    room = limit - len(before)
    return before + (rest if len(rest) <= room else f"{rest[: room - 1]}…")


def first_names(names: Sequence[str], most: int) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def sql_command(sql: str) -> str:
    """Return the command that answers a query, as a shell takes it, without its options."""
    is_plain = not set(sql) & set('"$`\\!')
    return f'pwh sql "{sql}"' if is_plain else f"pwh sql {shlex.quote(sql)}"


def rows_command(view: str, run_id: str) -> str:
    """Return the command that shows all rows that a view has of a run."""
    return sql_command(f"FROM {view} WHERE run_id = {sql_text(run_id)}")


def sql_text(value: str) -> str:
    """Return a text as SQL has it."""
    return "'" + value.replace("'", "''") + "'"


def version_text(version: str) -> str:
    """Return a version as text; of a commit the first ten digits."""
    return version[:_DIGITS] if _COMMIT.fullmatch(version) else cell(version, None)


def spelled(error: UnicodeError) -> tuple[str, int]:
    """Return what a terminal without UTF-8 shows: u for micro, digits for blocks, else a ?.

    A handler of errors as codecs.register_error takes it.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_SPELLED.get(letter, "?") for letter in text), error.end


def printable(text: str) -> str:
    """Return text with blanks for control characters, except ends of lines.

    Names from traces may contain some, which would move the cursor of a terminal.
    """
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


def day(row: Mapping[str, Any]) -> str:
    """Return the date on which a row's run started."""
    return f"{row['started_at']:%Y-%m-%d}"
