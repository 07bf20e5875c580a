"""Refused tokens of a served warehouse: each is reported, and many in a row are answered slowly."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

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
