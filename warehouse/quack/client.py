"""A connection to a served warehouse, with the methods of DuckDB's own that pwh uses.

SQL runs in one session of the server: transactions, temporary tables and pwh's functions are there.
Results, and tables of Arrow that statements are to see, travel as rows. What names files here
(`read_csv`, COPY, settings) runs here.
"""

from __future__ import annotations

import atexit
import itertools
import math
import os
import random
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

import duckdb
from duckdb import DuckDBPyConnection, DuckDBPyRelation, Statement

from warehouse import duckdb_texts as texts
from warehouse.address import Served
from warehouse.errors import PwhError, UsageError, WarehouseConflict, WarehouseError
from warehouse.extensions import load_extension
from warehouse.messages import UNKNOWN_OUTCOME
from warehouse.quack.line import Line
from warehouse.quack.literals import Parameters, with_literals
from warehouse.quack.statements import kind, makes_temporary, parsed, reads, sets_variable
from warehouse.quack.tokens import HINT, READING, WRITING, token
from warehouse.spill import spill_folder
from warehouse.sqlfiles import identifier, literal

if TYPE_CHECKING:
    import pyarrow as pa

_NUMBER = itertools.count()
_CLOSE_SECONDS = 5.0
# Of each connection here; a cursor has none of those of the connection that it comes from.
_SESSION = (
    "SET TimeZone = 'UTC'",
    "SET enable_progress_bar = false",
    # COPY of rows that a caller has under a Python name, over the frames of this class.
    "SET python_scan_all_frames = true",
)
_BATCH = 1 << 20  # rows of files that are sent at once
_ALIVE = 10.0  # seconds; the server ends a session that is silent in a transaction for longer
_READS_FILES = re.compile(
    r"\b(read_(csv|csv_auto|parquet|json|json_auto|ndjson\w*|json_objects\w*|text|blob)"
    r"|parquet_\w+|sniff_csv|sqlite_scan|glob)\s*\(",
    re.IGNORECASE,
)
_INSERTS = re.compile(r"\s*INSERT INTO (?P<table>\w+) BY NAME (?P<query>.*)$", re.DOTALL)
_SELECT = re.compile(r"(?:\s|--[^\n\r]*[\n\r])*(SELECT|FROM|WITH|VALUES)\b", re.IGNORECASE)
_BEGINS = re.compile(r"\s*BEGIN\b", re.IGNORECASE)
_COMMITS = re.compile(r"\s*(COMMIT|END)\b", re.IGNORECASE)
_NOTHING = "Is pwh serve running there? What was not reported as landed has not landed."
_PROXY = "That is the answer of a proxy; SECURITY.md of pwh has the settings that it needs."
_UNTRUSTED = (
    "Beyond this computer, pwh asks over TLS. The certificate has to be that of the host and of an "
    "authority that this computer knows, or that a file of SSL_CERT_FILE contains."
)
_TURN = "UPDATE _turns SET turn = turn + 1"
_READ_ONLY = "which is opened in read-only mode"


class Remote:
    """A session of a served warehouse; `cursor` opens another."""

    def __init__(
        self,
        address: Served,
        local: DuckDBPyConnection,
        *,
        read_only: bool,
        wait: float | None = None,
        on_wait: Callable[[str], None] | None = None,
    ) -> None:
        self._address = address
        self._wait = wait
        self._on_wait = on_wait
        self._local = local
        self._read_only = read_only
        self._name = f"served_{next(_NUMBER)}"
        self._lock = threading.RLock()
        self._temporary: set[str] = set()
        self._in_transaction = False
        self._spoke = time.monotonic()
        self._closed = threading.Event()
        self._line = Line(address)
        for setting in _SESSION:
            local.execute(setting)
        self._attach()
        # A session that is left open would keep others from writing until the server gives it up.
        atexit.register(self.close)
        threading.Thread(target=self._keep_alive, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _attach(self) -> None:
        """Begin the session; raises as `open_served`."""
        own = token(WRITING) or (token(READING) if self._read_only else None)
        if own is None:
            raise UsageError(
                f"no token for {self._address}",
                hint=f"Name the file that has it: {WRITING}_FILE=FILE, or {WRITING}. {HINT}",
            )
        plain = "true" if self._address.is_loopback else "false"
        options = f"TYPE quack, TOKEN '{own}', DISABLE_SSL {plain}"
        try:
            self._call(f"ATTACH '{self._address}' AS {self._name} ({options})")
        except (duckdb.Error, OSError) as error:
            if texts.WRONG_TOKEN in str(error):
                raise WarehouseError(
                    f"{self._address} does not accept the token",
                    hint=f"It has to be the one in the server's --token-file or "
                    f"--read-token-file; here it comes from {WRITING}_FILE or {WRITING}.",
                ) from None
            hint = _UNTRUSTED if texts.CERTIFICATE.search(str(error)) else _NOTHING
            raise unreachable(self._address, str(error), hint) from None

    def close(self) -> None:
        """End the session; what was not committed is gone."""
        # At the end of the process another thread may still wait for an answer.
        if self._closed.is_set() or not self._lock.acquire(timeout=_CLOSE_SECONDS):
            return
        try:
            self._closed.set()
            atexit.unregister(self.close)
            if not self._line.is_busy:
                # A server that has gone has ended the session already.
                with suppress(duckdb.Error, OSError):
                    self._call(f"DETACH {self._name}")
            # One that waits for an answer would wait for it to be closed, too.
            if not self._line.is_busy:
                self._local.close()
        finally:
            self._line.end()
            self._lock.release()

    def cursor(self) -> Remote:
        """Return another session, with temporary tables of its own."""
        return Remote(
            self._address, self._local.cursor(), read_only=self._read_only, wait=self._wait
        )

    # Statements

    def execute(self, query: str | Statement, parameters: Parameters = None) -> Self:
        """Run the statements of a text; the last one has the parameters, and the result."""
        text = query if isinstance(query, str) else query.query
        with self._lock:
            *before, last = [one.query for one in _statements(text)] or [""]
            for statement in before:
                self._run(statement, None)
            self._run(last, parameters)
        return self

    def _run(self, sql: str, parameters: Parameters, into: str = "") -> None:
        """Run a statement where it belongs; `into` puts what it returns into a table here."""
        found = kind(sql)
        if (variable := sets_variable(sql)) is not None:
            self._set_variable(variable, sql, parameters)
        elif found in ("SET", "COPY") or (_READS_FILES.search(sql) and found == "SELECT"):
            self._run_here(into + sql, parameters)
        elif _READS_FILES.search(sql) and (insert := _INSERTS.match(sql)):
            self._check(sql)
            self._insert_from_files(insert["table"], insert["query"], parameters)
        elif found == "TRANSACTION" and not self._read_only and _BEGINS.match(sql):
            self._begin()
        else:
            self._check(sql)
            self._send(with_literals(sql, parameters), into)
            if (made := makes_temporary(sql)) is not None:
                self._temporary.add(made)

    def _set_variable(self, name: str, sql: str, parameters: Parameters) -> None:
        """Set a variable there and here, where statements that name files read it."""
        value = f"SELECT getvariable({literal(name)})"
        if _READS_FILES.search(sql):
            self._run_here(sql, parameters)
            found = self._local.execute(value).fetchone()
            self._send(with_literals(f"SET VARIABLE {identifier(name)} = ?", found))
        else:
            self._send(with_literals(sql, parameters))
            rows = f"FROM {self._name}.query({literal(value)})"
            self._call(f"SET VARIABLE {identifier(name)} = ({rows})")

    def _begin(self) -> None:
        """Begin a transaction that writes, when no other client of pwh is in one.

        Two transactions that see each other's rows only at their ends could land a file twice.
        So each changes one row, first, and DuckDB lets only one at a time do that.
        """
        until = math.inf if self._wait is None else time.monotonic() + self._wait
        while True:
            self._send("BEGIN")
            try:
                self._send(_TURN)
                return
            except WarehouseConflict:
                self._send("ROLLBACK")
                if time.monotonic() >= until:
                    raise
            if self._on_wait is not None:
                self._on_wait(f"another client of {self._address} is writing; waiting")
                self._on_wait = None
            # Random pauses, so that waiting clients do not retry in step.
            time.sleep(random.uniform(0.03, 0.12))  # noqa: S311

    def _run_here(self, sql: str, parameters: Parameters) -> None:
        try:
            self._local.execute(sql, parameters)
        except duckdb.CatalogException as error:
            raise UsageError(
                "a statement that names files runs on this computer, where "
                f"{self._address} has no tables ({_first_line(error)})",
                hint="Read either files or the warehouse; pwh sql --format and -o write files.",
            ) from None

    def _insert_from_files(self, table: str, query: str, parameters: Parameters) -> None:
        """Read files here, and insert their rows there."""
        done = 0
        # The next statement of a connection ends the rows of the last one, without a word.
        with self._local.cursor() as files:
            files.execute("SET TimeZone = 'UTC'")
            for batch in files.execute(query, parameters).to_arrow_reader(_BATCH):
                self.register("_rows_of_files", batch)
                self._send(f"INSERT INTO {table} BY NAME FROM _rows_of_files")
                done += batch.num_rows
                self.unregister("_rows_of_files")
        # An INSERT of DuckDB returns how many rows it has inserted, which callers fetch.
        self._local.execute("SELECT ?", [done])

    def _check(self, sql: str) -> None:
        if self._read_only and not reads(sql, self._temporary):
            raise duckdb.InvalidInputException(
                f"Cannot execute this statement on {self._address}, {_READ_ONLY}"
            )

    def _send(self, sql: str, into: str = "") -> None:
        try:
            self._call(f"{into}FROM {self._name}.query(?)", [sql])
        except (duckdb.Error, RuntimeError, OSError) as error:
            raise self._translated(error, sql) from None
        finally:
            self._spoke = time.monotonic()
        match sql.strip().rstrip(";").upper():
            case "BEGIN" | "BEGIN TRANSACTION":
                self._in_transaction = True
            case "COMMIT" | "ROLLBACK":
                self._in_transaction = False

    def _call(self, sql: str, parameters: Parameters = None) -> None:
        """Run a statement here that waits for the server."""
        self._line.call(lambda: self._local.execute(sql, parameters))

    def _translated(self, error: Exception, sql: str) -> Exception:  # noqa: PLR0911  one a kind
        """Return an error of the kind that it had on the server, where `sql` was sent."""
        if isinstance(error, PwhError) or type(error) is duckdb.InterruptException:
            return error
        message = texts.OWN_LINE.sub("", str(error)).removeprefix("Invalid Input Error: ").strip()
        if message == texts.REFUSED:
            return UsageError(
                f"{self._address} refuses this statement: the token only reads, the statement is "
                "about files, settings or the server, or the server is about to stop",
                hint=f"A token that writes is in the server's --token-file ({WRITING}_FILE here).",
            )
        if message.startswith(texts.NO_SESSION):
            return WarehouseError(
                f"{self._address} has ended this session: it was restarted, or heard nothing for "
                "too long within a transaction, of which nothing has landed",
                hint="Run the command again.",
            )
        if isinstance(error, OSError) or texts.UNREACHABLE.search(message):
            is_without_effect = self._in_transaction or reads(sql, self._temporary)
            is_safe = is_without_effect and not _COMMITS.match(sql)
            return unreachable(self._address, message, _NOTHING if is_safe else UNKNOWN_OUTCOME)
        if texts.OTHER_CLIENT.search(message):
            return WarehouseConflict(
                f"another client of {self._address} is writing the same rows",
                hint="Try again when it is done. Nothing of this has landed.",
            )
        for name, label, pattern in texts.CLASSES:
            if re.search(pattern, message, re.IGNORECASE | re.MULTILINE):
                made: Exception = getattr(duckdb, name)(f"{label} Error: {message}")
                return made
        return duckdb.InvalidInputException(message) if isinstance(error, duckdb.Error) else error

    # Results

    @property
    def description(self) -> list[tuple[Any, ...]] | None:
        """Names and types of the columns of the last result."""
        found: list[tuple[Any, ...]] | None = self._local.description
        return found

    def fetchall(self) -> list[Any]:
        """Return the rows left of the last result."""
        with self._lock:
            found: list[Any] = self._line.call(self._local.fetchall)
        return found

    def fetchone(self) -> Any:
        """Return the next row of the last result; None at its end."""
        with self._lock:
            return self._line.call(self._local.fetchone)

    def to_arrow_table(self) -> pa.Table:
        """Return the rows left of the last result as a table of Arrow."""
        with self._lock:
            return self._line.call(self._local.to_arrow_table)

    def sql(
        self, query: str | Statement, *, params: Parameters = None, most: int | None = None
    ) -> DuckDBPyRelation | None:
        """Run a query and return its rows, copied here; None where a statement has none.

        Of a SELECT at most `most` rows, where that is given.
        """
        text = query if isinstance(query, str) else query.query
        with self._lock:
            *before, last = _statements(text) or [None]
            if last is None:
                return None
            for one in before:
                self._run(one.query, None)
            rows = duckdb.ExpectedResultType.QUERY_RESULT
            # Of an insertion or deletion only RETURNING has rows; what else it returns is a count.
            if rows not in last.expected_result_type or (
                len(last.expected_result_type) > 1 and "RETURNING" not in last.query.upper()
            ):
                self._run(last.query, params)
                return None
            text = last.query.strip().removesuffix(";")
            if most is not None and _SELECT.match(text):
                text = f"FROM (\n{text}\n) LIMIT {most}"
            return self._copied(text, params)

    def table(self, name: str) -> DuckDBPyRelation:
        """Return the rows of a table, copied here."""
        with self._lock:
            return self._copied(f"FROM {name}")

    def _copied(self, sql: str, parameters: Parameters = None) -> DuckDBPyRelation:
        """Return the rows of a query as a relation that is read without the server."""
        copy = f"_copied_{next(_NUMBER)}"
        self._run(sql, parameters, f"CREATE TEMP TABLE {copy} AS ")
        relation: DuckDBPyRelation = self._local.table(copy)
        return relation

    # Tables of Arrow

    def register(self, name: str, rows: Any) -> None:
        """Let statements of this session see rows of Arrow, by copying them there.

        Quack adds rows only to tables that everybody sees. So they go into one that its own
        transaction drops again.
        """
        with self._lock:
            upload = f"_upload_{next(_NUMBER)}_{time.time_ns()}"
            self._local.register("_rows_to_send", rows)
            alone = not self._in_transaction
            try:
                if alone:
                    self._send("BEGIN")
                columns = self._local.execute("DESCRIBE FROM _rows_to_send").fetchall()
                listed = ", ".join(f"{identifier(c[0])} {_plain(c[1])}" for c in columns)
                self._send(f"CREATE TABLE {upload} ({listed})")
                self._local.execute("CALL quack_clear_cache()")
                values = ", ".join(f"CAST({identifier(c[0])} AS {_plain(c[1])})" for c in columns)
                try:
                    self._call(
                        f"INSERT INTO {self._name}.{upload} SELECT {values} FROM _rows_to_send"
                    )
                finally:
                    self._spoke = time.monotonic()
                self._send(f"CREATE OR REPLACE TEMP TABLE {name} AS FROM {upload}")
                self._send(f"DROP TABLE {upload}")
                if alone:
                    self._send("COMMIT")
            except BaseException as error:
                if alone and self._in_transaction:
                    with suppress(Exception):
                        self._send("ROLLBACK")
                if not isinstance(error, Exception):
                    raise
                raise self._translated(error, upload) from None
            finally:
                self._local.unregister("_rows_to_send")
            self._temporary.add(name.lower())

    def unregister(self, name: str) -> None:
        """Drop what `register` copied."""
        self._send(f"DROP TABLE IF EXISTS temp.{name}")

    # Control

    def extract_statements(self, query: str) -> list[Statement]:
        """Return the statements of a text."""
        return parsed(query)

    def interrupt(self) -> None:
        """Interrupt what this session waits for."""
        self._local.interrupt()

    def query_progress(self) -> float:
        """Return -1: how far the server is, is unknown here."""
        return -1.0

    def _keep_alive(self) -> None:
        """Speak within a transaction while this process reads files or computes."""
        while not self._closed.wait(_ALIVE / 4):
            if not self._in_transaction or time.monotonic() - self._spoke < _ALIVE:
                continue
            if self._lock.acquire(blocking=False):
                try:
                    if not self._closed.is_set():
                        self._spoke = time.monotonic()
                        with suppress(duckdb.Error, OSError):
                            self._line.call(self._speak)
                finally:
                    self._lock.release()

    def _speak(self) -> None:
        # The last result of the connection itself may not have been fetched.
        with self._local.cursor() as own:
            own.execute(f"FROM {self._name}.query('SELECT 1')").fetchall()


def open_served(
    address: Served, *, read_only: bool, wait: float | None, on_wait: Callable[[str], None] | None
) -> Remote:
    """Open a session of a served warehouse; its transactions wait so long (s) for each other.

    Raises `UsageError` where there is no token, or not the extension; `WarehouseError` where the
    server cannot be reached or does not accept the token.
    """
    import udfs

    local = duckdb.connect(config={"temp_directory": str(spill_folder())})
    try:
        for extension in ("httpfs", "quack"):
            load_extension(local, extension, extra="serve")
        # As with other programs of this computer; DuckDB itself knows the system's authorities.
        if authorities := os.environ.get("SSL_CERT_FILE"):
            local.execute("SET ca_cert_file = $1", [authorities])
        udfs.register(local)
        return Remote(address, local, read_only=read_only, wait=wait, on_wait=on_wait)
    except BaseException:
        local.close()
        raise


def _statements(text: str) -> list[Statement]:
    """Return the statements of a text; raises `UsageError` where DuckDB adds some of its own."""
    found = parsed(text)
    if not all(one.query.strip() for one in found):
        raise UsageError(
            "a PIVOT that does not name its values is several statements, which do not travel",
            hint="Name them: PIVOT ... ON column IN ('a', 'b').",
        )
    return found


def unreachable(address: Served, message: str, hint: str) -> WarehouseError:
    """Return what is wrong where a server does not answer."""
    reason = texts.AROUND_REASON.sub("", _first_line(message))
    if texts.PROXY_ANSWERED.search(reason):
        hint = f"{_PROXY} {hint}"
    return WarehouseError(f"{address} does not answer ({reason})", hint=hint)


def _first_line(error: object) -> str:
    return str(error).split("\n", 1)[0]


def _plain(kind_of_column: str) -> str:
    """Return the type of a column of which Arrow has a dictionary."""
    return "VARCHAR" if kind_of_column.startswith("ENUM") else kind_of_column
