"""The formats in which rows are written."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from apps.output.streams import COMPRESSED

# How rows are written; safe-csv is for spreadsheets, which take some text for formulas.
Format = Literal["table", "csv", "safe-csv", "json", "jsonl", "markdown", "parquet"]
# By the end of a file's name, where no format is named.
_ENDINGS: dict[str, Format] = {f".{style}": style for style in ("csv", "json", "jsonl", "parquet")}


def format_of(target: Path) -> Format:
    """Return the format of rows that the end of a file's name states; a table for other names.

    `rows.csv.gz` is CSV, compressed.
    """
    name = Path(target.name.lower())
    if name.suffix in COMPRESSED:
        name = name.with_suffix("")
    return _ENDINGS.get(name.suffix, "table")
