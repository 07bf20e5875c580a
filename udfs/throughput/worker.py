"""A process that describes blocks for `udfs.throughput.workers`."""

from __future__ import annotations

import json
import sys

import pyarrow as pa

from udfs.throughput.blocks import describe


def main() -> None:
    """Read the table of a core and blocks from stdin, a line each; write descriptions to stdout."""
    core, *blocks = sys.stdin.read().splitlines()
    table = describe([*blocks], sys.argv[1:] == ["1"], json.loads(core))
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as out:
        out.write_table(table)


if __name__ == "__main__":
    main()
