"""SQL of users who may only read the warehouse: no writing, no files, no network.

DuckDB's settings deny files and changes of the settings. `warehouse.query_process` runs such
queries in processes of their own.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa
from duckdb import DuckDBPyRelation

from warehouse.address import Address
from warehouse.connection import first_rows
from warehouse.damage import damage
from warehouse.duckdb_texts import INTERRUPTED
from warehouse.errors import OutOfMemory, PwhError, UsageError, WarehouseError
from warehouse.lake.attach import allow_only_its_files, is_lake
from warehouse.messages import plain_message
from warehouse.session import Connection
from warehouse.yielding import reading

_WAIT = 5.0
_EXPLAIN = re.compile(r"\s*EXPLAIN\s+(ANALYZE\s+)?", re.IGNORECASE)
# Types that Arrow or its readers do not know are returned as text.
_AS_TEXT = re.compile(r"INTERVAL|\bBIT\b|BIGNUM|UNION|TIME WITH TIME ZONE|VARIANT|GEOMETRY|POINTER")
# Table functions that read no more than a lake, beside macros.
_HARMLESS = re.compile(
    r"range|generate_series|unnest|repeat|repeat_row|json_each|json_tree|query_table|summary|"
    r"duckdb_(?:columns|constraints|databases|functions|keywords|settings|tables|types|views)|"
    r"pragma_(?:table_info|show)"
)
# Otherwise SQL could read the file of the warehouse and its log. A lake has to read its own files.
_NO_LOCAL_FILES = "SET disabled_filesystems = 'LocalFileSystem'"
_RESTRICTIONS = (
    *("SET temp_directory = ''", "SET autoinstall_known_extensions = false"),
    *("SET autoload_known_extensions = false", "SET python_enable_replacements = false"),
    *("SET enable_external_access = false", _NO_LOCAL_FILES, "SET lock_configuration = true"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Resources of a query, and how much it may return."""

    seconds: float = 30.0
    memory_mib: int = 2048
    rows: int = 10_000
    result_mib: int = 64


@dataclass(frozen=True, slots=True)
class Result:
    """The rows, whether there were more than the limit, and the time it took."""

    table: pa.Table
    more: bool
    seconds: float


@contextmanager
def open_restricted(path: Address, limits: Limits, interrupted: int = 0) -> Iterator[Connection]:
    """Open a warehouse so that SQL can only read it, for the process of the query.

    Raises `ReadingInterrupted` as `warehouse.yielding.reading`.
    """
    with reading(path, wait=_WAIT, interrupted=interrupted) as con:
        _restrict(con, limits)
        yield con


def _restrict(con: Connection, limits: Limits) -> None:
    con.execute(f"SET memory_limit = '{int(limits.memory_mib)}MiB'")
    in_lake = is_lake(con)
    if in_lake:
        allow_only_its_files(con)
    for setting in _RESTRICTIONS:
        if not (in_lake and setting == _NO_LOCAL_FILES):
            con.execute(setting)


def answer(
    con: Connection,
    sql: str,
    limits: Limits,
    within: AbstractContextManager[None] | None = None,
) -> tuple[pa.Table, bool, float]:
    """Return the rows, whether there were more than the limit, and the seconds it took.

    `con` is from `open_restricted`. `within` is entered for the query alone: no thread starts
    within it. Raises `UsageError` as `ask_guarded`.
    """
    timer = threading.Timer(limits.seconds, con.interrupt)
    timer.daemon = True
    began = time.monotonic()
    timer.start()
    try:
        with within or nullcontext():
            check_read_only(con, sql)
            relation = first_rows(con, sql, limits.rows + 1)
            if relation is None:
                raise UsageError("the statement returns no rows", hint="Use SELECT.")
            table = _rows(relation, limits)
    except duckdb.Error as error:
        raise _answer_error(error, limits) from None
    except MemoryError:
        raise _too_large(limits) from None
    except RuntimeError as error:
        # DuckDB raises this for an interruption during a Python function.
        raise too_long(limits) if INTERRUPTED in str(error) else error from None
    finally:
        timer.cancel()
    if table.nbytes > limits.result_mib * 2**20:
        raise UsageError(
            f"the answer is larger than {limits.result_mib} MiB",
            hint="Select fewer columns or rows, or use pwh sql with --format parquet.",
        )
    return table.slice(0, limits.rows), table.num_rows > limits.rows, time.monotonic() - began


def check_read_only(con: Connection, sql: str) -> None:
    """Raise `UsageError` unless the SQL is one statement that reads."""
    explained = _EXPLAIN.match(sql)
    statements = con.extract_statements(sql[explained.end() :] if explained else sql)
    if not statements:
        raise UsageError("there is no statement", hint="Try: FROM runs")
    if len(statements) > 1:
        raise UsageError(
            "there is more than one statement",
            hint="Run one at a time. PIVOT is one where it names its values: ON column IN (...).",
        )
    if statements[0].type != duckdb.StatementType.SELECT:
        kind = str(statements[0].type).rpartition(".")[2].replace("_", " ")
        raise UsageError(
            f"{kind} is not possible here, where the warehouse is only read",
            hint="Use SELECT or FROM. pwh sql --write changes the warehouse.",
        )
    if is_lake(con):
        _check_table_functions(con, statements[0].query)


def _check_table_functions(con: Connection, sql: str) -> None:
    """Raise `UsageError` where a SELECT calls a table function that could do more than read a lake.

    No setting of DuckDB keeps `postgres_query` and its like from sending any text to any server,
    nor `query` from doing so in their place.
    """
    (serialised,) = con.execute("SELECT json_serialize_sql($1)", [sql]).fetchone() or ("{}",)
    macros = con.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'table_macro'"
    ).fetchall()
    allowed = {name for (name,) in macros}
    tree = json.loads(serialised)
    if tree.get("error"):
        raise UsageError(f"the statement is not possible here: {tree.get('error_message')}")
    for name in _table_functions(tree):
        if name not in allowed and not _HARMLESS.fullmatch(name):
            raise UsageError(
                f"the function {name} is not available here, where the warehouse is only read",
                hint="pwh sql in a terminal can call it.",
            )


def _table_functions(node: object) -> Iterator[str]:
    """Yield the names of the table functions in a serialised statement."""
    if isinstance(node, dict):
        if node.get("type") == "TABLE_FUNCTION":
            yield str(node["function"]["function_name"]).lower()
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from _table_functions(part)


def _rows(relation: DuckDBPyRelation, limits: Limits) -> pa.Table:
    names = relation.columns
    parts = [
        f"CAST(#{i} AS VARCHAR)" if _AS_TEXT.search(str(kind)) else f"#{i}"
        for i, kind in enumerate(relation.types, 1)
    ]
    limited = relation.limit(limits.rows + 1)
    table = limited.project(", ".join(f"{part} AS c{i}" for i, part in enumerate(parts)))
    return table.to_arrow_table().rename_columns(_unique(names))


def _unique(names: list[str]) -> list[str]:
    """Return names of columns with a number appended to duplicates."""
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return unique if len(set(unique)) == len(unique) else [f"{n}_{i}" for i, n in enumerate(names)]


def too_long(limits: Limits) -> UsageError:
    """Return what is wrong with a query that was stopped."""
    return UsageError(
        f"the query took longer than {limits.seconds:g} s and was stopped",
        hint="Narrow it with WHERE, or run it in a terminal: pwh sql.",
    )


def _too_large(limits: Limits) -> UsageError:
    return UsageError(
        f"the query needs more memory than the {limits.memory_mib} MiB it may use here",
        hint="Narrow it with WHERE, or run it in a terminal: pwh sql.",
    )


def _answer_error(error: Any, limits: Limits) -> PwhError:
    match damage(error):
        case OutOfMemory():
            return _too_large(limits)
        case WarehouseError() as damaged:
            return damaged
    match error:
        case duckdb.InterruptException():
            return too_long(limits)
        case duckdb.PermissionException():
            return UsageError(
                "files and the network are not available here, where the warehouse is only read",
                hint="pwh sql in a terminal can read them; pwh ingest lands them.",
            )
    return UsageError(plain_message(error))
