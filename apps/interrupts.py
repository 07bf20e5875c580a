"""Ctrl-C that does not wait: for what DuckDB cannot stop, the process ends instead."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from apps.output.streams import note

EXIT_CODE = 128 + signal.SIGINT
_STOPPED = "stopped; ingest again what is not reported as landed: what has landed is recognised"
_SECONDS = 0.6


@contextmanager
def prompt_interrupts() -> Iterator[None]:
    """End the process within a second of Ctrl-C inside, in order where there is time for it.

    To take back what a transaction has inserted takes DuckDB as long as to insert it. In a process
    that ends, nothing of it has to be taken back: what is not committed is not in the warehouse.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed, wakes = socket.socketpair()
    wakes.setblocking(False)
    before = signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
    is_ending = threading.Event()
    threading.Thread(target=_end_after, args=(pressed, is_ending), daemon=True).start()
    try:
        yield
    except KeyboardInterrupt:
        is_ending.set()
        note(_STOPPED)
        sys.exit(EXIT_CODE)
    finally:
        if not is_ending.is_set():
            signal.set_wakeup_fd(before)
            wakes.close()


def _end_after(pressed: socket.socket, is_ending: threading.Event) -> None:
    """Wait for the number of a signal, then for the process to end by itself; end it then."""
    with pressed:
        while number := pressed.recv(1):
            if number[0] == signal.SIGINT:
                time.sleep(_SECONDS)
                if not is_ending.is_set():
                    # The main thread may have Python's own streams locked.
                    os.write(2, f"pwh: {_STOPPED}\n".encode())
                os._exit(EXIT_CODE)
