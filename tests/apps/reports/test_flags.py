"""Flags have one table of texts, which SQL and Python fill in alike."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from warehouse import sqlfiles

with (sqlfiles.SQL / "reference" / "flag_texts.csv").open(encoding="utf-8", newline="") as file:
    TEXTS = [(row["code"], row["text"]) for row in csv.DictReader(file)]
ROOT = sqlfiles.SQL.parent
# The arguments of a flag, as SQL and Python write them.
_SQL_FLAG = re.compile(r"_flag\('(\w+)'(?:, args := MAP \{(.*?)\}\))?", re.DOTALL)
_PYTHON_FLAG = re.compile(r"\bflag\(\s*\"(\w+)\"(.*?)\)$", re.MULTILINE | re.DOTALL)


def arguments(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def made() -> Iterator[tuple[str, set[str]]]:
    """Yield the code and the names of the arguments of each flag that SQL or a function makes."""
    for path in sorted((ROOT / "sql").rglob("*.sql")):
        text = path.read_text(encoding="utf-8")
        for code, args in _SQL_FLAG.findall(text):
            yield code, set(re.findall(r"'(\w+)':", args))
