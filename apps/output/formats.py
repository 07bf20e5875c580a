"""The formats in which rows are written."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from apps.output.streams import COMPRESSED


class Format(StrEnum):
    """How rows are written; safe-csv is for spreadsheets, which take some text for formulas."""

    table = "table"
    csv = "csv"
    safe_csv = "safe-csv"
    json = "json"
    jsonl = "jsonl"
    markdown = "markdown"
    parquet = "parquet"


# By the end of a file's name, where no format is named.
_ENDINGS = {f".{style}": style for style in (Format.csv, Format.json, Format.jsonl, Format.parquet)}


def format_of(target: Path) -> Format:
    """Return the format of rows that the end of a file's name states; a table for other names.

    `rows.csv.gz` is CSV, compressed.
    """
    name = Path(target.name.lower())
    if name.suffix in COMPRESSED:
        name = name.with_suffix("")
    return _ENDINGS.get(name.suffix, Format.table)
