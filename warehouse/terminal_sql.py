"""Limits of SQL in a terminal: use no files, or any but a warehouse's, and call macros."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from warehouse.errors import UsageError
from warehouse.lake.attach import allow_only_its_files, is_lake
from warehouse.own_files import check_not_log, check_not_own
from warehouse.quack.statements import tokens
from warehouse.session import Connection

# What the shell names; and where pwh lets DuckDB write what is for stdout (`apps.output.writing`).
_INPUT, _STREAMS = "/dev/stdin", "/dev/fd"
_KINDS = {"ATTACH", "COPY", "EXPLAIN", "EXPORT", "PREPARE"}
# DuckDB writes its log over whatever file is there.
_LOGS = re.compile(r"log_query_path|profil\w*_output", re.IGNORECASE)
_URL = re.compile(r"file:(//(localhost)?)?(?=/)")
_QUALIFIED = re.compile(r'(?:"([^"]+)"|\b(\w+))\s*\.\s*(?:main\s*\.\s*)?"?(\w+)"?\s*\(')
_MACROS = """
    SELECT current_database(), list(DISTINCT function_name)
    FROM duckdb_functions()
    WHERE function_type = 'table_macro' AND NOT internal
"""


def restrict_files(con: Connection, output: Sequence[Path]) -> None:
    """Let SQL use no files but stdin, these, and those of the warehouse; for good.

    DuckDB itself goes on to spill next to the warehouse.
    """
    if is_lake(con):
        allow_only_its_files(con, _STREAMS)
    else:
        con.execute("SET allowed_directories = $1", [[_STREAMS]])
    con.execute("SET allowed_paths = $1", [[_INPUT, *map(str, output)]])
    con.execute("SET enable_external_access = false")


def check_files(con: Connection, sql: str, *, may_write: bool) -> None:
    """Raise `UsageError` where SQL would write to a file of a warehouse; or any, unless it may.

    DuckDB allows the first even where `restrict_files` denies all others. Raises what DuckDB does
    for SQL that is wrong.
    """
    for statement in con.extract_statements(sql):
        kind = str(statement.type).rpartition(".")[2]
        if kind == "SET" and _LOGS.search(statement.query):
            raise UsageError("DuckDB's own logs are not available in pwh sql")
        if kind not in _KINDS or (text := _file_of(statement.query)) is None:
            continue
        if kind == "ATTACH":
            check_not_log(_path(text))
        elif may_write:
            _check_target(text)
        else:
            raise UsageError(
                "SQL writes no files here",
                hint="-o FILE writes what a query returns; --files lets SQL read and write files.",
            )


def _file_of(sql: str) -> str | None:
    """Return the text by which a statement names the file that it writes or attaches.

    None where it does neither, nothing where the name is computed. Brackets contain queries and
    options, and TO is a reserved word, so it is what follows that outside of them.
    """
    outside, depth = [], 0
    for token, kind, _ in tokens(sql):
        text = token.decode()
        depth -= text.startswith(")")
        if depth == 0:
            word = re.match(r"\w*", text)
            outside.append((kind, text if word is None or kind != "keyword" else word[0].upper()))
        depth += text.startswith("(")
    words = [text if kind == "keyword" else "" for kind, text in outside]
    copied = words[words.index("COPY") :] if "COPY" in words else []
    if "TO" in copied:
        rest = outside[len(words) - len(copied) + copied.index("TO") + 1 :]
    elif words[:1] in (["ATTACH"], ["EXPORT"]):
        rest = outside[next(i for i, (kind, _) in enumerate(outside) if kind == "string_const") :]
    else:
        return None
    return "".join(text for _, text in takewhile(lambda part: part[0] == "string_const", rest))


def _path(text: str) -> Path:
    """Return the path that a text of SQL names."""
    import duckdb

    ((value,),) = duckdb.execute(f"SELECT {text}").fetchall()
    path = Path(_URL.sub("", value, count=1))
    return path.expanduser() if value.startswith("~/") else path


def _check_target(text: str) -> None:
    if not text:
        raise UsageError("the file of COPY is not plain text", hint="COPY ... TO 'FILE'")
    path = _path(text)
    check_not_own(path)
    # COPY empties folders (OVERWRITE), and chooses names in them (FILENAME_PATTERN).
    for file in path.rglob("*") if path.is_dir() else ():
        try:
            check_not_own(file)
        except UsageError:
            raise UsageError(
                f"cannot write to the folder {path}: it contains a warehouse",
                hint="Name a folder without one.",
            ) from None


def check_macros(con: Connection, sql: str) -> None:
    """Raise where SQL attaches a warehouse and calls a macro by its name without USE before.

    DuckDB resolves the names in a macro where it is called, so `other.scaling_predict(64)` reads
    the tables of the current database. Views resolve theirs where they are defined.
    """
    if "attach" not in sql.lower():
        return
    ((current, macros),) = con.execute(_MACROS).fetchall()
    for found in _QUALIFIED.finditer(sql):
        name, macro = found[1] or found[2], found[3]
        used = re.search(rf'\bUSE\s+"?{re.escape(name)}\b', sql[: found.start()], re.IGNORECASE)
        if macro.lower() in macros and name.lower() not in {current.lower(), "main"} and not used:
            raise UsageError(
                f"{name}.{macro}(...) would read the warehouse that is open, not {name}",
                hint=f"Make {name} the current one first: USE {name}; FROM {macro}(...)",
            )
