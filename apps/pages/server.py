"""Streamlit's server as `pwh ui` starts it, with a message once the app answers."""

from __future__ import annotations

import socket
import sys
import time
from contextlib import suppress
from importlib import import_module
from threading import Thread

from apps.output.streams import note
from apps.pages import PAGES

_PAUSE = 0.1  # seconds


def print_once_there(host: str, port: int) -> None:
    """Print where the app is once something listens there; import the pages meanwhile.

    The browser takes as long to draw its first frame as they take to import.
    """
    while True:
        with suppress(OSError), socket.create_connection((host, port)):
            break
        time.sleep(_PAUSE)
    shown = f"[{host}]" if ":" in host else host
    note(f"the app is at http://{shown}:{port} (Ctrl-C ends it)")
    for entry in PAGES:
        import_module(entry.module)


def main(host: str, port: str, *words: str) -> None:
    """Run Streamlit's command line with these words."""
    from streamlit.web import cli

    # Streamlit puts the folder of the pages first, where a page has the name of this package.
    import_module("ingest")
    Thread(target=print_once_there, args=(host, int(port)), daemon=True).start()
    sys.argv = ["streamlit", *words]
    cli.main(prog_name="streamlit")


if __name__ == "__main__":
    main(*sys.argv[1:])
