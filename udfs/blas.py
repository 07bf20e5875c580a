"""One thread for products of small matrices, over which several would only wait for each other.

DuckDB calls functions from threads of its own.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from threadpoolctl import OpenBLASController, ThreadpoolController


@dataclass(slots=True)
class _Limit:
    """The limit that is in force, and how many calls asked for it."""

    users: int = 0
    restore: Any = None
    lock: threading.Lock = field(default_factory=threading.Lock)


_LIMIT = _Limit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let NumPy's linear algebra use one thread; the last call to end restores what was before.

    Calls may nest and overlap: were each to restore what it found, the limit could remain.
    """
    with _LIMIT.lock:
        if not _LIMIT.users:
            with _in_control():
                _LIMIT.restore = _libraries(len(sys.modules)).limit(limits=1, user_api="blas")
        _LIMIT.users += 1
    try:
        yield
    finally:
        with _LIMIT.lock:
            _LIMIT.users -= 1
            if not _LIMIT.users:
                with _in_control():
                    _LIMIT.restore.restore_original_limits()


@contextmanager
def _in_control() -> Iterator[None]:
    """Let this thread set the limit of OpenBLAS, which the process has one of.

    threadpoolctl lets the first thread do so that did, and ignores all others while it is alive.
    """
    OpenBLASController.clear_controlling_thread(force=True)
    yield
    OpenBLASController.clear_controlling_thread(force=True)


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:  # noqa: ARG001
    """Return the libraries that are loaded, found once for so many modules: it takes 1 ms."""
    return ThreadpoolController()
