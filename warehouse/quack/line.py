"""Waiting for a server: Ctrl-C ends it at once, and a network that was cut after a while.

DuckDB waits for Quack's answers without end, and deaf to signals. So a thread waits in the caller's
place, and the caller looks meanwhile whether the server can still be reached. One whose host has
restarted during a short cut can, but knows nothing of the connection: the kernel finds that out.
"""

import os
import socket
import stat
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar, cast

from warehouse.address import Served
from warehouse.errors import WarehouseError

_T = TypeVar("_T")
_PROBE_EVERY = 5.0  # seconds
GONE_AFTER = 30.0
"""Seconds for which a server cannot be reached until a call is given up."""
# The kernel asks the other side of a connection that is silent for so long (s), and so often.
_KEPT_ALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 4}
_OWN_FILES = Path("/dev/fd")


class _Call:
    """A call, and what came of it."""

    def __init__(self, action: Callable[[], object]) -> None:
        self.action = action
        self.done = threading.Event()
        self.result: object = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self.action()
        except BaseException as error:
            self.error = error
        self.done.set()


class Line:
    """Calls a server, one call after the other."""

    def __init__(self, address: Served) -> None:
        self._address = address
        self._asked: SimpleQueue[_Call | None] = SimpleQueue()
        self._current: _Call | None = None
        threading.Thread(target=self._answer, daemon=True).start()

    @property
    def is_busy(self) -> bool:
        """Whether a call that was given up still waits for its answer."""
        return self._current is not None and not self._current.done.is_set()

    def call(self, action: Callable[[], _T]) -> _T:
        """Return what `action` returns, or raise what it raises.

        Raises `ConnectionError` where the server cannot be reached for `GONE_AFTER` seconds, and
        `WarehouseError` while a call that was given up goes on.
        """
        if self.is_busy:
            raise WarehouseError(
                f"{self._address} has not answered an earlier statement, which was given up",
                hint="Open another connection.",
            )
        call = self._current = _Call(action)
        self._asked.put(call)
        reached = time.monotonic()
        while not call.done.wait(min(_PROBE_EVERY, GONE_AFTER / 3)):
            self._keep_alive()
            if self._can_be_reached():
                reached = time.monotonic()
            elif time.monotonic() - reached > GONE_AFTER:
                raise ConnectionError(f"no connection for {GONE_AFTER:g} s")
        self._current = None
        if call.error is not None:
            raise call.error
        return cast("_T", call.result)

    def end(self) -> None:
        """Let the thread end; one that waits for an answer does when that comes."""
        self._asked.put(None)

    def _answer(self) -> None:
        while (call := self._asked.get()) is not None:
            call.run()
            # Not kept until the next: it may contain a large result.
            del call

    def _keep_alive(self) -> None:
        """Let the kernel end connections of which the server's host knows nothing any more.

        DuckDB does not name its connections, nor can it be told to do this.
        """
        for file in _OWN_FILES.iterdir():
            # Some are no connections, and some are closed meanwhile.
            with suppress(OSError):
                _keep_alive(int(file.name), self._address.port)

    def _can_be_reached(self) -> bool:
        try:
            socket.create_connection((self._address.host, self._address.port), GONE_AFTER).close()
        except OSError:
            return False
        return True


def _keep_alive(number: int, port: int) -> None:
    """Let the kernel look after an open file, where it is a connection to a port."""
    if not stat.S_ISSOCK(os.fstat(number).st_mode):
        return
    with socket.socket(fileno=os.dup(number)) as one:
        there = one.getpeername()
        if isinstance(there, tuple) and there[1] == port:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for name, value in _KEPT_ALIVE.items():
                one.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
