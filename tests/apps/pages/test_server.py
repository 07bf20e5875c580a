"""The server of the app says where it is once it answers, not before."""

from __future__ import annotations

import socket
from threading import Thread

from apps.pages.server import print_once_there


def test_the_address_is_told_once_something_listens(capfd):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
        telling = Thread(target=print_once_there, args=("127.0.0.1", port), daemon=True)
        telling.start()
        telling.join(0.3)
        assert telling.is_alive() and capfd.readouterr().err == ""
        server.listen()
        telling.join(10)
    told = f"pwh: the app is at http://127.0.0.1:{port} (Ctrl-C ends it)\n"
    assert capfd.readouterr().err == told
