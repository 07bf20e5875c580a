"""Which statements a served warehouse takes: the SQL of clients, by what DuckDB's parser finds."""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterator
from functools import cache

import duckdb
from duckdb import Statement

from warehouse.session import Connection

_READING = {"SELECT", "TRANSACTION", "VARIABLE"}
_CHANGING = {"INSERT", "UPDATE", "DELETE", "DROP", "ALTER"}
_WRITING = _READING | _CHANGING | {"MERGE_INTO", "CREATE"}
# No block comments: these nest, which a pattern does not see.
_BEGIN = r"(?:\s|--[^\n\r]*[\n\r])*"
_EXPLAIN = re.compile(rf"{_BEGIN}EXPLAIN\s+(ANALYZE\s+)?(?!\()", re.IGNORECASE)
_NAME = r'"?(?P<name>\w+)"?'
_MAKES_TEMPORARY = re.compile(
    rf"{_BEGIN}CREATE\s+(OR\s+REPLACE\s+)?TEMP(ORARY)?\s+(TABLE|VIEW|MACRO)\s+"
    rf"(IF\s+NOT\s+EXISTS\s+)?(temp\.)?{_NAME}",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    rf"{_BEGIN}(INSERT\s+(OR\s+\w+\s+)?INTO|DELETE\s+FROM|UPDATE|ALTER\s+TABLE"
    r"|DROP\s+(TABLE|VIEW|MACRO)(\s+IF\s+EXISTS)?)\s+"
    rf"(?P<temp>temp\.(main\.)?)?{_NAME}(?!\w|\s*\.)",
    re.IGNORECASE,
)
_SETS_VARIABLE = re.compile(rf'{_BEGIN}(RE)?SET\s+VARIABLE\s+(?P<name>"[^"]+"|\w+)', re.IGNORECASE)
# They run SQL of a text that is computed, reach into the process, or are about the server itself.
_REFUSED = {
    *("query", "json_execute_serialized_sql", "checkpoint", "force_checkpoint"),
    *("arrow_scan", "arrow_scan_dumb", "pandas_scan", "seq_scan", "python_map_function"),
    *("enable_logging", "disable_logging", "truncate_duckdb_logs"),
    *("enable_profiling", "disable_profiling", "which_secret"),
}
_REFUSED_PREFIXES = ("quack_", "read_", "parquet_", "sniff_")
_ESCAPED_NAME = re.compile(r"\bU&\s*\"", re.IGNORECASE)
_LOCK = threading.Lock()


def is_taken(sql: str, *, writes: bool) -> bool:
    """Return whether the server runs a statement for a client that may write, or only read.

    One statement at a time, which neither reads files nor changes settings or other databases.
    Who reads may make temporary tables, views and macros, which only the own session sees.
    """
    found = kind(sql)
    if found is None or _calls_what_is_refused(sql):
        return False
    if writes:
        return found in _WRITING
    return found in _READING or _is_temporary(sql, found, ())


def reads(sql: str, temporary: Collection[str] = ()) -> bool:
    """Return whether a statement leaves the warehouse as it is.

    `temporary` names the session's temporary tables in lower case, which may change.
    """
    found = kind(sql)
    return found is not None and (found in _READING or _is_temporary(sql, found, temporary))


def makes_temporary(sql: str) -> str | None:
    """Return the name, in lower case, of the temporary table, view or macro that is made."""
    found = _MAKES_TEMPORARY.match(sql)
    return None if found is None else found["name"].lower()


def sets_variable(sql: str) -> str | None:
    """Return the name of the variable that is set or reset."""
    found = _SETS_VARIABLE.match(sql)
    return None if found is None else found["name"].strip('"')


def kind(sql: str) -> str | None:
    """Return the kind of a statement, of EXPLAIN that of what it explains.

    A variable of the session is no setting: VARIABLE in place of SET. None where the text is not
    one statement.
    """
    explained = _EXPLAIN.match(sql)
    try:
        statements = parsed(sql[explained.end() :] if explained else sql)
    except duckdb.Error:
        return None
    if len(statements) != 1:
        return None
    found = str(statements[0].type).rpartition(".")[2]
    return "VARIABLE" if found == "SET" and sets_variable(sql) else found


def parsed(sql: str) -> list[Statement]:
    """Return the statements of a text; raises duckdb.ParserException."""
    with _LOCK:
        found: list[Statement] = _parser().extract_statements(sql)
    return found


def tokens(sql: str) -> Iterator[tuple[bytes, str, int]]:
    """Yield the tokens of SQL: the bytes from each to the next, its kind and its place in bytes."""
    text = sql.encode()
    found = duckdb.tokenize(sql)
    ends = [start for start, _ in found[1:]] + [len(text)]
    for (start, token_kind), end in zip(found, ends, strict=True):
        yield text[start:end], str(token_kind).rpartition(".")[2], start


def _is_temporary(sql: str, found: str, temporary: Collection[str]) -> bool:
    """Return whether a statement of that kind makes or changes a temporary table."""
    if found == "CREATE":
        return makes_temporary(sql) is not None
    changed = _CHANGES.match(sql) if found in _CHANGING else None
    return changed is not None and (
        changed["temp"] is not None or changed["name"].lower() in temporary
    )


def _calls_what_is_refused(sql: str) -> bool:
    """Return whether a function that clients may not call is named before a bracket."""
    if _ESCAPED_NAME.search(sql):
        return True
    before = ""
    for text, token_kind, _ in tokens(sql):
        if text.startswith(b"(") and (before in _REFUSED or before.startswith(_REFUSED_PREFIXES)):
            return True
        word = text.decode(errors="replace").split("--")[0].split("/*")[0]
        is_name = token_kind in ("identifier", "keyword")
        before = word.strip().strip('"').lower() if is_name else ""
    return False


@cache
def _parser() -> Connection:
    # To parse IMPORT DATABASE reads a file.
    con: Connection = duckdb.connect(config={"enable_external_access": False})
    return con
