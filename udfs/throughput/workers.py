"""Description of many blocks in several processes.

Decoding and emulating blocks is Python code, which one process runs for one block at a time.
Processes are started, not forked, because the caller has threads; they read hexadecimal text, one
block a line after the table of the core, and write Arrow's stream format.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

# Fewer blocks a process are not worth its start.
_MIN_BLOCKS = 8192
_PROCESSES = max(1, min(8, os.cpu_count() or 1))
_free = threading.BoundedSemaphore(_PROCESSES)

Table = Mapping[str, Any]
Describe = Callable[[list[str | None], bool, Table | None], pa.Table]


def map_in_processes(
    blocks: list[str | None], describe: Describe, distinct: bool, table: Table | None = None
) -> pa.Table:
    """Return descriptions of n blocks (n rows), computed in several processes where n is large.

    Args:
        blocks: texts in hexadecimal.
        describe: `udfs.throughput.blocks.describe`, used in this process where n is small.
        distinct: whether different registers point to different arrays.
        table: the table of their core; that of Zen 3 without one.

    Raises RuntimeError where a process fails.
    """
    share = max(_MIN_BLOCKS, -(-len(blocks) // _PROCESSES))
    if len(blocks) < 2 * _MIN_BLOCKS or _PROCESSES == 1:
        return describe(blocks, distinct, table)
    parts = [blocks[at : at + share] for at in range(0, len(blocks), share)]
    with ThreadPoolExecutor(len(parts)) as threads:
        found = threads.map(partial(_describe_in_process, distinct=distinct, table=table), parts)
        return pa.concat_tables(found).combine_chunks()


def _describe_in_process(
    blocks: list[str | None], *, distinct: bool, table: Table | None
) -> pa.Table:
    """Return descriptions of blocks, computed in another process."""
    command = [sys.executable, "-P", "-m", "udfs.throughput.workers", str(int(distinct))]
    # Files in the working directory must not shadow pwh's own modules.
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    text = f"{json.dumps(table)}\n" + "".join(f"{block or ''}\n" for block in blocks)
    with _free:
        done = subprocess.run(  # noqa: S603
            command, input=text.encode(), capture_output=True, env=environment, check=False
        )
    if done.returncode:
        raise RuntimeError(f"describing blocks failed: {done.stderr.decode()[-2000:]}")
    return pa.ipc.open_stream(done.stdout).read_all()


def main() -> None:
    """Read the table of a core and blocks from stdin, a line each; write descriptions to stdout."""
    from udfs.throughput.blocks import describe

    core, *blocks = sys.stdin.read().splitlines()
    found = describe([*blocks], sys.argv[1:] == ["1"], json.loads(core))
    with pa.ipc.new_stream(sys.stdout.buffer, found.schema) as out:
        out.write_table(found)


if __name__ == "__main__":
    main()
