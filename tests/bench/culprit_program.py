"""An open program with a slowdown of known place and mechanism in it; see bench_culprits.

python culprit_program.py PROGRAM MECHANISM SECONDS
"""

from __future__ import annotations

import argparse
import gc
import inspect
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

CALLS = 8  # of the function with the slowdown


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


def paths() -> Any:
    """Find shortest paths in a grid."""
    import networkx

    grid = networkx.grid_2d_graph(28, 28)
    return [networkx.shortest_path_length(grid, (0, 0), (i, i)) for i in range(28)]


def markdown() -> Any:
    """Render a long document."""
    from markdown_it import MarkdownIt

    return MarkdownIt().render("# Title\n\nSome *text* with `code` and [links](a).\n\n" * 350)


def validate() -> Any:
    """Check documents against a schema."""
    import jsonschema

    item = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}
    schema = {"type": "array", "items": {**item, "required": ["a", "b"]}}
    return jsonschema.validate([{"a": i, "b": str(i)} for i in range(1500)], schema)


def numbers() -> Any:
    """Compute pi to many digits."""
    import mpmath

    with mpmath.workdps(400):
        return [mpmath.quad(lambda x: mpmath.exp(-x * x), [0, n]) for n in (1, 2)]


PROGRAMS: dict[str, Callable[[], Any]] = {
    one.__name__: one for one in (highlight, render, paths, markdown, validate, numbers)
}


def more_work(seconds: float) -> None:
    """Compute for a while."""
    total = 0
    for i in range(int(2.5e7 * seconds)):
        total += i & 7


def worse_locality(seconds: float) -> None:
    """Walk over memory in an order that no cache likes."""
    size = 1 << 21
    table, at = list(range(size)), 0
    for i in range(int(6e6 * seconds)):
        at = (at * 1_103_515_245 + table[at] + i) % size


def lock(seconds: float) -> None:
    """Wait for a lock that another thread holds."""
    held = threading.Lock()
    held.acquire()
    timer = threading.Timer(seconds, held.release)
    timer.start()
    held.acquire()
    timer.join()


def allocation(seconds: float) -> None:
    """Touch new memory again and again."""
    for _ in range(int(40 * seconds) + 1):
        bytearray(32 << 20)


def fsync(seconds: float) -> None:
    """Wait until what was written is on the disk."""
    with tempfile.TemporaryFile() as file:
        begin = time.perf_counter()
        while time.perf_counter() - begin < seconds:
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())


def sleep(seconds: float) -> None:
    """Sleep."""
    time.sleep(seconds)


def garbage(seconds: float) -> None:
    """Collect garbage, where there is none."""
    kept = [[] for _ in range(100_000)]
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        gc.collect()
    del kept


def recursion(seconds: float) -> None:
    """Call one function very often."""
    _fib(22 + int(seconds > 0.05) + 2 * int(seconds > 0.1))


def _fib(n: int) -> int:
    return n if n < 2 else _fib(n - 1) + _fib(n - 2)


def scalar(seconds: float) -> None:
    """Compare bytes one by one, which the library does at once."""
    one = bytes(int(1.2e7 * seconds))
    sum(a == b for a, b in zip(one, one, strict=True))


def slower_library(seconds: float) -> None:
    """Sort by insertion."""
    found: list[int] = []
    for i in range(int(220_000 * seconds**0.5) + 1):
        found.insert(0, i)


def warm_up(seconds: float) -> None:
    """Compile code that is needed once."""
    for _ in range(int(120 * seconds) + 1):
        compile("x = [1]\n" * 2000, "generated", "exec")


def neighbour(seconds: float) -> None:
    """Share the processor with another program."""
    burn = f"import time\nt = time.time()\nwhile time.time() - t < {3 * seconds}: pass"
    others = [subprocess.Popen([sys.executable, "-c", burn]) for _ in range(2 * os.cpu_count())]
    more_work(seconds / 3)
    for other in others:
        other.wait()


MECHANISMS: dict[str, Callable[[float], None]] = {
    one.__name__: one
    for one in (
        *(more_work, worse_locality, lock, allocation, fsync, sleep, garbage, recursion, scalar),
        *(slower_library, warm_up, neighbour),
    )
}


def main() -> None:
    """Run a program, and slow it down."""
    program, mechanism, seconds = sys.argv[1:]
    PROGRAMS[program]()
    if mechanism != "none":
        for _ in range(CALLS):
            MECHANISMS[mechanism](float(seconds) / CALLS)


if __name__ == "__main__":
    main()
