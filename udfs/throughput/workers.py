"""Describing many blocks in processes of their own.

Decoding and executing blocks is Python, which one process does one block at a time. Processes are
started afresh rather than forked, because the caller has threads; they get hexadecimal text, a
block a line, and give Arrow's stream format back.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa

# A process has to start before it is of use.
_WORTHWHILE = 8192
_PROCESSES = max(1, min(8, os.cpu_count() or 1))
_free = threading.BoundedSemaphore(_PROCESSES)

Describe = Callable[[list[str | None]], pa.Table]


def shared_out(blocks: list[str | None], describe: Describe) -> pa.Table:
    """Describe n blocks, in processes of their own where they are many; give n rows.

    Args:
        blocks: texts in hexadecimal.
        describe: `udfs.throughput.blocks.described`, for few of them.

    Raises RuntimeError where a process fails.
    """
    share = max(_WORTHWHILE, -(-len(blocks) // _PROCESSES))
    if len(blocks) < 2 * _WORTHWHILE or _PROCESSES == 1:
        return describe(blocks)
    parts = [blocks[at : at + share] for at in range(0, len(blocks), share)]
    with ThreadPoolExecutor(len(parts)) as threads:
        return pa.concat_tables(threads.map(_elsewhere, parts)).combine_chunks()


def _elsewhere(blocks: list[str | None]) -> pa.Table:
    """Describe blocks in another process."""
    command = [sys.executable, "-P", "-m", "udfs.throughput.workers"]
    # Nothing in the working directory may stand for pwh's own modules.
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    text = "".join(f"{block or ''}\n" for block in blocks)
    with _free:
        done = subprocess.run(  # noqa: S603
            command, input=text.encode(), capture_output=True, env=environment, check=False
        )
    if done.returncode:
        raise RuntimeError(f"describing blocks failed: {done.stderr.decode()[-2000:]}")
    return pa.ipc.open_stream(done.stdout).read_all()


def main() -> None:
    """Describe the blocks on stdin, write rows to stdout."""
    from udfs.throughput.blocks import described

    table = described([*sys.stdin.read().splitlines()])
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as out:
        out.write_table(table)


if __name__ == "__main__":
    main()
