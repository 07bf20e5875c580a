"""SQL of users who may only read the warehouse: no writing, no files, no network.

The query runs in a separate process. DuckDB's settings deny it files and changes of the settings;
the process can be stopped at any time, and where it uses too much memory or crashes, it does so
alone.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse import errors
from warehouse.connection import connect
from warehouse.damage import damage
from warehouse.errors import PwhError, UsageError
from warehouse.messages import plain_message

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_WAIT = 5.0
# Beyond the time limit: for starting, waiting for the file, and stopping cleanly.
_GRACE = 10.0
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from warehouse import guarded; guarded.serve()"
)
_EXPLAIN = re.compile(r"\s*EXPLAIN\s+(ANALYZE\s+)?", re.IGNORECASE)
# Types that Arrow or its readers do not know are returned as text.
_AS_TEXT = re.compile(r"INTERVAL|\bBIT\b|BIGNUM|UNION|TIME WITH TIME ZONE|VARIANT|GEOMETRY|POINTER")
_RESTRICTIONS = (
    "SET temp_directory = ''",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET python_enable_replacements = false",
    "SET enable_external_access = false",
    # Otherwise SQL could read the file of the warehouse and its log.
    "SET disabled_filesystems = 'LocalFileSystem'",
    "SET lock_configuration = true",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a query may use, and how much it may return."""

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


def ask_guarded(path: Path, sql: str, limits: Limits | None = None) -> Result:
    """Return the rows of one SELECT over a warehouse.

    Raises `UsageError` for SQL that is wrong, does more than read, or exceeds the limits;
    `WarehouseError` where the warehouse cannot be opened.
    """
    import pyarrow as pa

    limits = limits or Limits()
    request = json.dumps({"path": str(path), "sql": sql, "limits": asdict(limits)})
    # -P: a file in the working directory must not be imported as a module.
    command = [sys.executable, "-P", "-c", _START, str(Path(__file__).resolve().parents[1])]
    with subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        try:
            out, _ = child.communicate(request.encode(), timeout=limits.seconds + _GRACE)
        except subprocess.TimeoutExpired:
            raise _too_long(limits) from None
        finally:
            child.kill()
    head, _, data = out.partition(b"\n")
    try:
        answer = json.loads(head)
    except ValueError:
        raise UsageError(
            "the query failed: most likely it needed more memory than it may use",
            hint="Query less at a time: fewer rows or columns, smaller lists.",
        ) from None
    if "problem" in answer:
        raise getattr(errors, answer["error"])(answer["problem"], hint=answer["hint"])
    return Result(pa.ipc.open_stream(data).read_all(), answer["more"], answer["seconds"])


def serve() -> None:
    """Answer the request on stdin; runs in the process of the query."""
    import os

    # Output of libraries must not be mixed with the rows.
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    limits = Limits(**request["limits"])
    _limit_memory(limits)
    try:
        con = open_restricted(Path(request["path"]), limits)
        table, more, seconds = answer(con, request["sql"], limits)
    except PwhError as error:
        failure = {"error": type(error).__name__, "problem": error.problem, "hint": error.hint}
        channel.write(json.dumps(failure).encode() + b"\n")
    else:
        import pyarrow as pa

        channel.write(json.dumps({"more": more, "seconds": seconds}).encode() + b"\n")
        with pa.ipc.new_stream(channel, table.schema) as writer:
            writer.write_table(table)
    channel.flush()
    os._exit(0)


def _limit_memory(limits: Limits) -> None:
    """Limit the memory of the whole process, of which DuckDB limits only a part."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        # Libraries reserve much more address space than they use.
        space = (limits.memory_mib + 16384) * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def open_restricted(path: Path, limits: Limits) -> DuckDBPyConnection:
    """Open a warehouse so that SQL can only read it, for the process of the query."""
    con = connect(path, read_only=True, wait=_WAIT)
    con.execute(f"SET memory_limit = '{int(limits.memory_mib)}MiB'")
    for setting in _RESTRICTIONS:
        con.execute(setting)
    return con


def answer(con: DuckDBPyConnection, sql: str, limits: Limits) -> tuple[pa.Table, bool, float]:
    """Return the rows, whether there were more than the limit, and the seconds it took.

    `con` is from `open_restricted`. Raises `UsageError` as `ask_guarded`.
    """
    import duckdb

    timer = threading.Timer(limits.seconds, con.interrupt)
    timer.daemon = True
    began = time.monotonic()
    timer.start()
    try:
        check_read_only(con, sql)
        relation = con.sql(sql)
        if relation is None:
            raise UsageError("the statement returns no rows", hint="Use SELECT.")
        table = _rows(relation, limits)
    except duckdb.Error as error:
        raise _answer_error(error, limits) from None
    except MemoryError:
        raise _too_large(limits) from None
    except RuntimeError as error:
        # DuckDB raises this for an interruption during a Python function.
        raise _too_long(limits) if "interrupt" in str(error).lower() else error from None
    finally:
        timer.cancel()
    if table.nbytes > limits.result_mib * 2**20:
        raise UsageError(
            f"the answer is larger than {limits.result_mib} MiB",
            hint="Select fewer columns or rows, or use pwh sql with --format parquet.",
        )
    return table.slice(0, limits.rows), table.num_rows > limits.rows, time.monotonic() - began


def check_read_only(con: DuckDBPyConnection, sql: str) -> None:
    """Raise `UsageError` unless the SQL is one statement that reads."""
    import duckdb

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
            f"{kind} is not possible here: this page only reads",
            hint="Use SELECT or FROM. pwh sql --write changes the warehouse.",
        )


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


def _too_long(limits: Limits) -> UsageError:
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
    import duckdb

    if (damaged := damage(error)) is not None:
        return damaged
    match error:
        case duckdb.InterruptException():
            return _too_long(limits)
        case duckdb.OutOfMemoryException():
            return _too_large(limits)
        case duckdb.PermissionException():
            return UsageError(
                "files and the network are not available here: this page only reads the warehouse",
                hint="pwh sql in a terminal can read them; pwh ingest lands them.",
            )
    return UsageError(plain_message(error))
