"""Questions of a shell: names that begin as what was typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.runs import LATEST

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def names_beginning(con: DuckDBPyConnection, kind: str, part: str) -> list[str]:
    """Return at most 200 names of runs, apps or metrics; none with blanks or quotes."""
    found = ask(con, "completion/names", kind=kind, part=part, latest=LATEST).fetchall()
    return [str(name) for (name,) in found]
