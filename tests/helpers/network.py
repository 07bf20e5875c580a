"""The way to a server: a proxy, which can be cut in several ways, and can speak TLS to clients."""

from __future__ import annotations

import select
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from enum import Enum
from pathlib import Path

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
_TCP_REPAIR = 19


class Cut(Enum):
    """What becomes of the bytes of a connection."""

    NONE = "all arrive"
    SILENT = "none arrive, of which nobody is told, and no connection begins: a pulled cable"
    RESET = "connections end, and none begin: a host that restarts"
    FORGOTTEN = "connections are forgotten, of which nobody is told: a host that restarts unseen"
    ANSWERS = "requests arrive, connections end before their answers"


class Network:
    """Carries connections to a server at a port of this computer; `cut` says how well.

    With a certificate (a file with its key, too), clients have to speak TLS.
    """

    def __init__(self, port: int, certificate: Path | None = None) -> None:
        self._server = port
        self._tls: ssl.SSLContext | None = None
        if certificate is not None:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(certificate)
        self._cut = Cut.NONE
        self._cutting = threading.Lock()
        self._when: Callable[[bytes], bool] | None = None
        self._then = Cut.NONE
        self._open: set[socket.socket] = set()
        self._listening: socket.socket | None = None
        self.port = 0
        self._listen()

    @property
    def cut(self) -> Cut:
        """How the network is cut."""
        return self._cut

    @cut.setter
    def cut(self, how: Cut) -> None:
        # A client that is told of a cut may end it before all of it is done.
        with self._cutting:
            self._cut, self._when = how, None
            if how is Cut.RESET:
                self._reset_all()
            if how in (Cut.SILENT, Cut.RESET):
                self._stop_listening()
            elif self._listening is None:
                self._listen()

    def cut_at(self, when: Callable[[bytes], bool], how: Cut) -> None:
        """Cut as soon as a client sends something for which `when` is true; that arrives yet."""
        self._when, self._then = when, how

    def close(self) -> None:
        """End all connections."""
        self._stop_listening()
        self._reset_all()

    def _listen(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def _stop_listening(self) -> None:
        if self._listening is not None:
            _reset(self._listening)
            self._listening = None

    def _reset_all(self) -> None:
        for one in list(self._open):
            _reset(one)

    def _accept(self, listening: socket.socket) -> None:
        with listening, suppress(OSError):
            while True:
                client, _ = listening.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        """Carry what client and server send, until one of them ends."""
        with suppress(OSError), ExitStack() as ends:
            ends.enter_context(client)
            if self._tls is not None:
                client = ends.enter_context(self._tls.wrap_socket(client, server_side=True))
            server = ends.enter_context(socket.create_connection(("127.0.0.1", self._server)))
            self._open |= {client, server}
            ends.callback(lambda: self._open.difference_update({client, server}))
            while self._carry_some(client, server):
                pass

    def _carry_some(self, client: socket.socket, server: socket.socket) -> bool:
        """Carry what is there; return whether the connection goes on."""
        for source in select.select([client, server], [], [])[0]:
            data = _received(source)
            asks = source is client
            if self._cut is Cut.ANSWERS and not asks:
                _reset(client)
                return False
            if self._cut is Cut.FORGOTTEN:
                # Closed without a word to the other side, which root may do.
                client.setsockopt(socket.IPPROTO_TCP, _TCP_REPAIR, 1)
                return False
            if not data:
                return False
            if self._cut is Cut.SILENT:
                continue
            (server if asks else client).sendall(data)
            if asks and self._when is not None and self._when(data):
                self.cut = self._then
        return True


def _received(source: socket.socket) -> bytes:
    """Return what has arrived; of TLS all of a record, part of which no select would see."""
    data = source.recv(1 << 16)
    while isinstance(source, ssl.SSLSocket) and source.pending():
        data += source.recv(source.pending())
    return data


def _reset(one: socket.socket) -> None:
    """End a connection at once, as a crash does."""
    with suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        one.shutdown(socket.SHUT_RDWR)


@contextmanager
def network(port: int, certificate: Path | None = None) -> Iterator[Network]:
    """Yield a network between clients and the server at a port, until the end of the block."""
    made = Network(port, certificate)
    try:
        yield made
    finally:
        made.close()
