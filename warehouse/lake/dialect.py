"""SQL without what DuckLake has not."""

from __future__ import annotations

import re

_NOT_IN_LAKES = (
    (re.compile(r"\s+USING COMPRESSION \w+"), ""),
    (re.compile(r"\bENUM\s*\([^)]*\)"), "VARCHAR"),
    (re.compile(r"\bALTER TABLE \w+ ADD PRIMARY KEY\s*\([^)]*\);"), ""),
    (re.compile(r",\s*PRIMARY KEY\s*\([^)]*\)"), ""),
    (re.compile(r"\s+PRIMARY KEY\b"), ""),
    (re.compile(r"\s+ON CONFLICT DO NOTHING\b"), ""),
    # a check, with parentheses within parentheses and text
    (
        re.compile(
            r"\s+CHECK\s*\((?:[^()']|'[^']*'|\((?:[^()']|'[^']*'|\((?:[^()']|'[^']*')*\))*\))*\)"
        ),
        "",
    ),
)


def without_unsupported(sql: str) -> str:
    """Return statements that define tables, without what DuckLake has not."""
    for pattern, replacement in _NOT_IN_LAKES:
        sql = pattern.sub(replacement, sql)
    return sql
