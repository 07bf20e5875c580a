"""A process that describes blocks for `udfs.throughput.workers`."""

from __future__ import annotations

import sys

import pyarrow as pa

from udfs.throughput.blocks import describe


def main() -> None:
    """Read blocks from stdin, one a line in hexadecimal; write their descriptions to stdout."""
    table = describe([*sys.stdin.read().splitlines()], sys.argv[1:] == ["1"])
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as out:
        out.write_table(table)


if __name__ == "__main__":
    main()
