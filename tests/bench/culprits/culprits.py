"""An open program with a slowdown of known place and mechanism in it; see bench_culprits.

python culprits.py PROGRAM MECHANISM before|after SECONDS
"""

from __future__ import annotations

import argparse
import gc
import inspect
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

CALLS = 8  # of the function with the slowdown
SLOW = 10  # times the work


def highlight() -> Any:
    """Colour a module of Python's library."""
    from pygments import highlight, lexers
    from pygments.formatters import HtmlFormatter

    source = inspect.getsource(argparse)[:40_000]
    return highlight(source, lexers.PythonLexer(), HtmlFormatter())


def render() -> Any:
    """Render a template of many rows."""
    from jinja2 import Environment

    text = (
        "{% for row in rows %}<tr>{% for c in row %}<td>{{ c|e }}</td>{% endfor %}</tr>{% endfor %}"
    )
    rows = [[f"<{i}.{j}>" for j in range(12)] for i in range(900)]
    return Environment(autoescape=False).from_string(text).render(rows=rows)


def markdown() -> Any:
    """Render a long document."""
    from markdown_it import MarkdownIt

    return MarkdownIt().render("# Title\n\nSome *text* with `code` and [links](a).\n\n" * 350)


def numbers() -> Any:
    """Compute pi to many digits."""
    import mpmath

    with mpmath.workdps(150):
        return [mpmath.quad(lambda x: mpmath.exp(-x * x), [0, n]) for n in (1, 2)]


PROGRAMS: dict[str, Callable[[], Any]] = {
    one.__name__: one for one in (highlight, render, markdown, numbers)
}


def checksum(seconds: float, slow: bool) -> None:
    """Compute for a while."""
    total = 0
    for i in range(int(2.5e7 * seconds) // (1 if slow else SLOW)):
        total += i & 7


def gather(seconds: float, slow: bool) -> None:
    """Walk over memory in order, or as no cache likes."""
    at, step = 0, 1_048_583 if slow else 1
    table = _table()
    for i in range(int(6e6 * seconds)):
        at = (at + step + (table[at] & i & 1)) % len(table)


@cache
def _table() -> list[int]:
    return list(range(1 << 21))


def publish(seconds: float, slow: bool) -> None:
    """Wait for a lock that another thread holds."""
    held = threading.Lock()
    held.acquire()
    timer = threading.Timer(seconds if slow else seconds / 50, held.release)
    timer.start()
    held.acquire()
    timer.join()


def assemble(seconds: float, slow: bool) -> None:
    """Touch memory that is kept, or new each time."""
    kept = _buffer()
    for _ in range(int(40 * seconds) + 1):
        buffer = bytearray(32 << 20) if slow else kept
        buffer[:: 1 << 12] = bytes(len(buffer) >> 12)


@cache
def _buffer() -> bytearray:
    return bytearray(32 << 20)


def journal(seconds: float, slow: bool) -> None:
    """Write, and wait until it is on the disk."""
    with tempfile.TemporaryFile() as file:
        for _ in range(int(600 * seconds) + 1):
            file.write(b"x" * 4096)
            file.flush()
            if slow:
                os.fsync(file.fileno())


def settle(seconds: float, slow: bool) -> None:
    """Sleep."""
    time.sleep(seconds if slow else seconds / 50)


def churn(seconds: float, slow: bool) -> None:
    """Make objects, of which the collector finds many."""
    kept = _objects()
    for i in range(int(8e5 * seconds)):
        kept[i % len(kept)] = [kept[0]] if slow else kept[0]
    if slow:
        for _ in range(int(40 * seconds) + 1):
            gc.collect()


@cache
def _objects() -> list[Any]:
    return [[] for _ in range(200_000)]


def visit(seconds: float, slow: bool) -> None:
    """Go deeper."""
    n = 21
    while seconds > 1e-2:
        n, seconds = n + 1, seconds / 1.618
    _descend(n if slow else n - 5)


def _descend(n: int) -> int:
    return n if n < 2 else _descend(n - 1) + _descend(n - 2)


def scale(seconds: float, slow: bool) -> None:
    """Compare bytes one by one, or all at once."""
    one = bytes(int(1.2e7 * seconds))
    if slow:
        sum(a == b for a, b in zip(one, one, strict=True))
    else:
        one.count(1)


def arrange(seconds: float, slow: bool) -> None:
    """Sort by insertion, or with the library."""
    found: list[int] = []
    for i in range(int(70_000 * seconds**0.5) + 1):
        found.insert(0, i) if slow else found.append(i)
    found.sort()


def prepare(seconds: float, slow: bool) -> None:
    """Compile code once, or each time."""
    for _ in range(int(120 * seconds) + 1 if slow else 1):
        compile("x = [1]\n" * 2000, "generated", "exec")


def nothing(seconds: float, slow: bool) -> None:
    """Do nothing: other programs slow this one down."""


MECHANISMS: dict[str, Callable[[float, bool], None]] = {
    "more_work": checksum,
    "worse_locality": gather,
    "lock": publish,
    "allocation": assemble,
    "fsync": journal,
    "sleep": settle,
    "garbage": churn,
    "recursion": visit,
    "scalar": scale,
    "slower_library": arrange,
    "warm_up": prepare,
    "neighbour": nothing,
}


def main() -> None:
    """Run a program, and slow it down."""
    program, mechanism, side, seconds = sys.argv[1:]
    for _ in range(int(float(seconds) * 2) + 1):
        PROGRAMS[program]()
    for _ in range(CALLS):
        MECHANISMS[mechanism](float(seconds) / CALLS, side == "after")


if __name__ == "__main__":
    main()
