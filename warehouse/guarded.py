"""SQL of people who may read the warehouse and nothing else: no writing, no files, no network.

The query runs in a process of its own. DuckDB's settings keep it from files and from changing the
settings; the process can be stopped at any moment, and when it takes too much memory or falls, it
falls alone.
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
from warehouse.errors import PwhError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_WAIT = 5.0
# Beyond the time limit: for starting, waiting for the file, and stopping in good order.
_GRACE = 10.0
_START = "import sys; sys.path.append(sys.argv[1]); from warehouse import guarded; guarded.serve()"
_EXPLAIN = re.compile(r"\s*EXPLAIN\s+(ANALYZE\s+)?", re.IGNORECASE)
# What Arrow or its readers do not know is given as text.
_AS_TEXT = re.compile(r"INTERVAL|\bBIT\b|BIGNUM|UNION|TIME WITH TIME ZONE|VARIANT|GEOMETRY|POINTER")
_SHUT = (
    "SET temp_directory = ''",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET python_enable_replacements = false",
    "SET enable_external_access = false",
    # The file of the warehouse and its log stay open to SQL otherwise.
    "SET disabled_filesystems = 'LocalFileSystem'",
    "SET lock_configuration = true",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a query may use, and how much it may give."""

    seconds: float = 30.0
    memory_mib: int = 2048
    rows: int = 10_000
    result_mib: int = 64


@dataclass(frozen=True, slots=True)
class Result:
    """The rows, whether there were more than the limit, and what it took."""

    table: pa.Table
    more: bool
    seconds: float


def ask_guarded(path: Path, sql: str, limits: Limits | None = None) -> Result:
    """Return the rows of one SELECT over a warehouse.

    Raises `UsageError` for SQL that is wrong, does more than read, or passes the limits;
    `WarehouseError` where the warehouse cannot be opened.
    """
    import pyarrow as pa

    limits = limits or Limits()
    request = json.dumps({"path": str(path), "sql": sql, "limits": asdict(limits)})
    # -P: a file in the working directory must not pass for a module of Python.
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
        said = json.loads(head)
    except ValueError:
        raise UsageError(
            "the query broke off: most likely it needed more memory than it may have",
            hint="Ask for less at a time: fewer rows or columns, smaller lists.",
        ) from None
    if "problem" in said:
        raise getattr(errors, said["error"])(said["problem"], hint=said["hint"])
    return Result(pa.ipc.open_stream(data).read_all(), said["more"], said["seconds"])


def serve() -> None:
    """Answer the request on stdin; runs in the process of the query."""
    import os

    # What libraries print must not get between the rows.
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    limits = Limits(**request["limits"])
    _hold_to(limits)
    try:
        table, more, seconds = _answer(Path(request["path"]), request["sql"], limits)
    except PwhError as error:
        said = {"error": type(error).__name__, "problem": error.problem, "hint": error.hint}
        channel.write(json.dumps(said).encode() + b"\n")
    else:
        import pyarrow as pa

        channel.write(json.dumps({"more": more, "seconds": seconds}).encode() + b"\n")
        with pa.ipc.new_stream(channel, table.schema) as writer:
            writer.write_table(table)
    channel.flush()
    os._exit(0)


def _hold_to(limits: Limits) -> None:
    """Limit the memory of the whole process, which DuckDB's own limit is only a part of."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        # Libraries reserve much more address space than they use.
        space = (limits.memory_mib + 16384) * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(path: Path, sql: str, limits: Limits) -> tuple[pa.Table, bool, float]:
    import duckdb

    con = connect(path, read_only=True, wait=_WAIT)
    con.execute(f"SET memory_limit = '{int(limits.memory_mib)}MiB'")
    for setting in _SHUT:
        con.execute(setting)
    timer = threading.Timer(limits.seconds, con.interrupt)
    timer.daemon = True
    began = time.monotonic()
    timer.start()
    try:
        _must_only_read(con, sql)
        relation = con.sql(sql)
        if relation is None:
            raise UsageError("the statement gives no rows", hint="Ask with SELECT.")
        table = _rows(relation, limits)
    except duckdb.Error as error:
        raise _in_words(error, limits) from None
    except MemoryError:
        raise _too_large(limits) from None
    except RuntimeError as error:
        # What DuckDB makes of an interruption during a function of Python.
        raise _too_long(limits) if "interrupt" in str(error).lower() else error from None
    if table.nbytes > limits.result_mib * 2**20:
        raise UsageError(
            f"the answer is larger than {limits.result_mib} MiB",
            hint="Ask for fewer columns or rows, or use pwh sql with --format parquet.",
        )
    return table.slice(0, limits.rows), table.num_rows > limits.rows, time.monotonic() - began


def _must_only_read(con: DuckDBPyConnection, sql: str) -> None:
    """Refuse what is not one statement that reads."""
    import duckdb

    explained = _EXPLAIN.match(sql)
    statements = con.extract_statements(sql[explained.end() :] if explained else sql)
    if not statements:
        raise UsageError("there is no statement", hint="Try: FROM runs")
    if len(statements) > 1:
        raise UsageError(
            "one statement at a time, please",
            hint="A PIVOT counts as one where it names its values: ON column IN (...).",
        )
    if statements[0].type != duckdb.StatementType.SELECT:
        kind = str(statements[0].type).rpartition(".")[2].replace("_", " ")
        raise UsageError(
            f"{kind} is not possible here: this page only reads",
            hint="Ask with SELECT or FROM. pwh sql --write changes the warehouse.",
        )


def _rows(relation: DuckDBPyRelation, limits: Limits) -> pa.Table:
    names = relation.columns
    parts = [
        f"CAST(#{i} AS VARCHAR)" if _AS_TEXT.search(str(kind)) else f"#{i}"
        for i, kind in enumerate(relation.types, 1)
    ]
    limited = relation.limit(limits.rows + 1)
    table = limited.project(", ".join(f"{part} AS c{i}" for i, part in enumerate(parts)))
    return table.to_arrow_table().rename_columns(_apart(names))


def _apart(names: list[str]) -> list[str]:
    """Number the later ones of columns that have the same name."""
    seen: Counter[str] = Counter()
    apart = []
    for name in names:
        seen[name] += 1
        apart.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return apart if len(set(apart)) == len(apart) else [f"{n}_{i}" for i, n in enumerate(names)]


def _too_long(limits: Limits) -> UsageError:
    return UsageError(
        f"the query took longer than {limits.seconds:g} s and was stopped",
        hint="Narrow it with WHERE, or run it in a terminal: pwh sql.",
    )


def _too_large(limits: Limits) -> UsageError:
    return UsageError(
        f"the query needs more memory than the {limits.memory_mib} MiB it may have here",
        hint="Narrow it with WHERE, or run it in a terminal: pwh sql.",
    )


def _in_words(error: Any, limits: Limits) -> UsageError:
    import duckdb

    match error:
        case duckdb.InterruptException():
            return _too_long(limits)
        case duckdb.OutOfMemoryException():
            return _too_large(limits)
        case duckdb.PermissionException():
            return UsageError(
                "files and the network are out of reach here: this page reads the warehouse only",
                hint="pwh sql in a terminal can read them; pwh ingest lands them.",
            )
    return UsageError(str(error).strip())
