"""The Quack server over a warehouse: who may connect, what they may run, and a clean stop."""

from __future__ import annotations

import hmac
import http.client
import secrets
import socket
import struct
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import duckdb
from duckdb import DuckDBPyConnection
from duckdb.sqltypes import BOOLEAN, VARCHAR

from warehouse.address import Served
from warehouse.errors import UsageError, WarehouseError
from warehouse.extensions import load_extension
from warehouse.opened import has_own_log, is_in_place
from warehouse.quack.statements import is_taken, kind

_AT_ONCE, _WITHIN_SECONDS = 10, 60.0  # refusals that cost nothing, and how long each counts
_WAIT_SECONDS = 1.0  # of each refusal beyond; Quack's 128 threads answer the others meanwhile
_NAMED = 4  # addresses in a line
_OPEN_FILES = Path("/proc/self/fd")
# Linux's struct tcp_info: its size, and the places of last_data_recv (ms) and bytes_received in it.
_INFO_BYTES, _LAST_RECEIVED, _BYTES_RECEIVED = 136, 52, 128


class Refusals:
    """The refusals of one server, by all clients: behind a proxy all have the same address."""

    def __init__(self, port: int, report: Callable[[str], None]) -> None:
        """Report each refusal of the server at a port by a line."""
        self._port = port
        self._report = report
        self._last: deque[float] = deque(maxlen=_AT_ONCE)
        self._lock = threading.Lock()

    def add(self) -> None:
        """Report a refusal; wait where there were many in the last minute."""
        address = _last_heard(self._port)
        now = time.monotonic()
        with self._lock:
            is_one_of_many = len(self._last) == _AT_ONCE and now - self._last[0] < _WITHIN_SECONDS
            self._last.append(now)
        at = datetime.now().astimezone().isoformat(timespec="seconds")
        origin = f" from {address}" if address else ""
        slowed = f", slowed after {_AT_ONCE} in a minute" if is_one_of_many else ""
        self._report(f"{at} refused a token{origin}{slowed}")
        if is_one_of_many:
            time.sleep(_WAIT_SECONDS)


def _last_heard(port: int) -> str:
    """Return the address of the client that sent last, several if in doubt, "" if unknown.

    Quack does not pass on whose token it asks about. Its connections are open in this process, and
    Linux knows how many milliseconds ago each has received something.
    """
    heard: dict[int, set[str]] = defaultdict(set)
    with suppress(OSError):
        for opened in _OPEN_FILES.iterdir():
            if not opened.is_socket():
                continue
            # A duplicate, which can be closed; of the family whose addresses are longest.
            with (
                suppress(OSError, struct.error),
                socket.fromfd(int(opened.name), socket.AF_INET6, socket.SOCK_STREAM) as line,
            ):
                if line.getsockname()[1:2] == (port,):
                    info = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
                    (ago,) = struct.unpack_from("I", info, _LAST_RECEIVED)
                    (count,) = struct.unpack_from("Q", info, _BYTES_RECEIVED)
                    if count:
                        heard[ago].add(line.getpeername()[0])
    last = sorted(heard[min(heard)]) if heard else []
    others = [f"{len(last) - _NAMED} others"] if len(last) > _NAMED else []
    return " or ".join(last[:_NAMED] + others)


_STOP_SECONDS, _STOP_TICK = 10.0, 0.02
# After this no client can read files, change settings or load extensions.
_RESTRICTIONS = (
    *("SET GLOBAL TimeZone = 'UTC'", "SET python_enable_replacements = false"),
    *("SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false"),
    *("SET enable_external_access = false", "SET lock_configuration = true"),
)
# Quack's message by which a client ends its session (version 1, DuckDB 1.5), around its number.
_DISCONNECT = b"\x01\x00\x0b\x02\x00\x20", b"\x03\x00" + b"\xff" * 9 + b"\x01" + b"\xff" * 4


@dataclass(slots=True)
class _Session:
    """A client's session: whether it may write, and whether it is within a transaction."""

    writes: bool
    in_transaction: bool = False
    spoke: float = 0.0


class Server:
    """Serves an open warehouse until `stop`."""

    def __init__(
        self,
        con: DuckDBPyConnection,
        address: Served,
        *,
        writing: str | None,
        reading: str | None,
        on_refused: Callable[[str], None],
        beyond_loopback: bool = False,
    ) -> None:
        """Start to serve; `writing` and `reading` are the tokens of clients that may do so.

        `on_refused` gets a line about each token that is refused, in a thread of Quack's.

        Raises `UsageError` where an extension is missing, `WarehouseError` where the port is taken.
        """
        _check_port(address)
        self._con = con
        self._address = address
        self._tokens = [(known, writes) for known, writes in ((writing, True), (reading, False))]
        self._sessions: dict[str, _Session] = {}
        self._refusals = Refusals(address.port, on_refused)
        self._lock = threading.Lock()
        for extension in ("httpfs", "quack"):
            load_extension(con, extension, extra="serve")
        con.create_function("_pwh_accepts", self._accepts, [VARCHAR] * 3, BOOLEAN)
        con.create_function("_pwh_allows", self._allows, [VARCHAR] * 2, BOOLEAN)
        con.execute("SET GLOBAL quack_authentication_function = '_pwh_accepts'")
        con.execute("SET GLOBAL quack_authorization_function = '_pwh_allows'")
        for statement in _RESTRICTIONS:
            con.execute(statement)
        others = "true" if beyond_loopback else "false"
        try:
            # The server's own token is not used: `_accepts` decides.
            con.execute(
                f"CALL quack_serve('{address}', token = '{secrets.token_urlsafe(32)}', "
                f"allow_other_hostname = {others})"
            ).fetchall()
        except duckdb.Error as error:
            reason = str(error).split("\n", 1)[0]
            raise WarehouseError(
                f"cannot serve at {address}: {reason}", hint="Choose another port: --port PORT"
            ) from None

    def _accepts(self, session: str, given: str, _: str) -> bool:
        """Return whether a token is one of the server's; called by Quack for each new session."""
        for known, writes in self._tokens:
            if known is not None and hmac.compare_digest(known.encode(), given.encode()):
                with self._lock:
                    self._sessions[session] = _Session(writes, spoke=time.monotonic())
                return True
        self._refusals.add()
        return False

    def _allows(self, session: str, sql: str) -> bool:
        """Return whether a session may run a statement; called by Quack for each."""
        known = self._sessions.get(session)
        if known is None or not is_in_place(self._con) or not is_taken(sql, writes=known.writes):
            return False
        known.spoke = time.monotonic()
        if kind(sql) == "TRANSACTION":
            known.in_transaction = sql.split(maxsplit=1)[0].upper().rstrip(";") in (
                "BEGIN",
                "START",
            )
        return True

    def end_silent_sessions(self, silent: float) -> int:
        """End the sessions that are silent in a transaction for so long (s); return how many.

        Quack has no connections that break. The client of such a session was killed, and what it
        has not committed would be in the way of others for ever.
        """
        now = time.monotonic()
        active = dict(self._active())
        ended = 0
        with self._lock:
            for number in self._sessions.keys() - active.keys():
                if now - self._sessions[number].spoke > silent:
                    del self._sessions[number]
            sessions = list(self._sessions.items())
        for number, session in sessions:
            is_silent = session.in_transaction and now - session.spoke > silent
            if is_silent and active.get(number) == "finished":
                self._end(number)
                ended += 1
        return ended

    def _active(self) -> list[tuple[str, str]]:
        with self._con.cursor() as own:
            found: list[tuple[str, str]] = own.execute(
                "SELECT connection_id, state FROM quack_active_connections()"
            ).fetchall()
        return found

    def _end(self, number: str) -> None:
        """End a session as its client would."""
        before, after = _DISCONNECT
        there = http.client.HTTPConnection(self._address.host, self._address.port, timeout=5)
        with suppress(OSError, http.client.HTTPException):
            there.request("POST", "/quack", before + number.encode() + after)
            there.getresponse().read()
        there.close()
        with self._lock:
            self._sessions.pop(number, None)

    def stop(self) -> None:
        """Take no more statements, and write what is in the log into the file.

        What was committed is in the log in any case: where a client's statement goes on for
        longer than ten seconds, it ends with the process.
        """
        with self._lock:
            self._tokens = []
            self._sessions = {}
        thread = threading.Thread(target=self._finish, daemon=True)
        thread.start()
        thread.join(_STOP_SECONDS)

    def _finish(self) -> None:
        """End the sessions as their statements end, and write the log into the file."""
        # The log stays while a transaction has not ended, which can commit no more.
        while active := self._active():
            for number, state in active:
                if state in ("finished", "idle"):  # has run a statement, has run none yet
                    self._end(number)
            time.sleep(_STOP_TICK)
        if is_in_place(self._con) or has_own_log(self._con):
            with self._con.cursor() as own, suppress(duckdb.Error):
                own.execute("CHECKPOINT")


def _check_port(address: Served) -> None:
    """Raise `WarehouseError` where the port is taken: Quack would share it with the other."""
    try:
        family = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            # Otherwise connections that have just ended take the port, too.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address.host, address.port))
    except OSError as error:
        raise WarehouseError(
            f"cannot serve at {address}: {error.strerror}",
            hint="Choose another port: --port PORT",
        ) from None


def check_host(address: Served, *, behind_proxy: bool) -> bool:
    """Return whether a host is beyond loopback; raises `UsageError` where that needs a proxy."""
    beyond = not address.is_loopback
    if beyond and not behind_proxy:
        raise UsageError(
            f"{address.host} can be reached by other computers, and Quack sends tokens and rows as "
            "plain text",
            hint="Serve at 127.0.0.1 behind a proxy with TLS on this computer (SECURITY.md), or "
            "over ssh -L. Where the proxy is on another computer: --behind-proxy.",
        )
    return beyond
