"""Landing rows of warp traces, once their blocks are final."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from ingest.base import Rows
from ingest.parsing.blocks.spool import Spool
from ingest.parsing.blocks.tables import OPCODES, dependence_table, merged
from ingest.readers.blocks.nvbit.code import Kernel, Layout
from ingest.readers.blocks.nvbit.counts import Counts
from ingest.readers.blocks.nvbit.header import Header
from udfs.arrays import Integers

_BLOCK = pa.schema(
    {
        "kernel": pa.string(),
        "bb": pa.int32(),
        "size": pa.int32(),
        "barriers": pa.int32(),
        "pc_first": pa.int64(),
        "pc_last": pa.int64(),
        "function": pa.string(),
        "source_line": pa.int32(),
    }
)


def rows(headers: list[Header], kernels: Mapping[str, Kernel], spool: Spool[int]) -> Iterator[Rows]:
    """Yield all rows of launches whose traces are in the spool, each under its number."""
    layouts = {name: Layout(kernel) for name, kernel in kernels.items()}
    yield Rows("bb_blocks", pa.concat_tables(_blocks(name, x) for name, x in layouts.items()))
    counts = [Counts(layouts[header.kernel]) for header in headers]
    yield from merged("bb_visits", _visits(headers, counts, spool))
    yield Rows("bb_launches", _launches(headers, counts))
    for table, make in (
        ("bb_edges", _edges),
        ("bb_opcodes", _opcodes),
        ("bb_dependences", _dependences),
    ):
        yield from merged(
            table,
            (
                make(launch, header.kernel, layouts[header.kernel], one)
                for launch, (header, one) in enumerate(zip(headers, counts, strict=True))
            ),
        )


def _blocks(kernel: str, layout: Layout) -> pa.Table:
    found = []
    for number, first in enumerate(layout.first.tolist()):
        code = [layout.instructions[k] for k in layout.chain(first).tolist()]
        found.append(
            {
                "kernel": kernel,
                "bb": number,
                "size": len(code),
                "barriers": sum(what.is_barrier for what in code),
                "pc_first": code[0].pc,
                "pc_last": code[-1].pc,
                "function": kernel,
                "source_line": code[0].source_line,
            }
        )
    return pa.Table.from_pylist(found, _BLOCK)


def _visits(headers: list[Header], counts: list[Counts], spool: Spool[int]) -> Iterator[pa.Table]:
    """Count everything that was put aside; yield the visits."""
    launch = 0
    for now, runs in spool.batches():
        for over in range(launch, now):
            yield _visit_table(over, headers[over].kernel, counts[over].finish())
        launch = now
        yield _visit_table(now, headers[now].kernel, counts[now].take(*runs))
    yield _visit_table(launch, headers[launch].kernel, counts[launch].finish())


def _visit_table(launch: int, kernel: str, visits: dict[str, Integers]) -> pa.Table:
    return Rows.of_columns("bb_visits", launch=launch, kernel=kernel, **visits).batch


def _launches(headers: list[Header], counts: list[Counts]) -> pa.Table:
    return pa.Table.from_pylist(
        [
            {
                "launch": launch,
                "kernel": header.kernel,
                "grid": header.grid,
                "block_dim": header.block_dim,
                "block_size": header.threads,
                "warp_size": 32,
                "granularity": "thread",
                "instructions": int(one.executed.sum()),
                "warp_instructions": int(one.seen.sum()),
            }
            for launch, (header, one) in enumerate(zip(headers, counts, strict=True))
        ]
    )


def _edges(launch: int, kernel: str, layout: Layout, counts: Counts) -> pa.Table:
    keys, count = counts.edges.total()
    src, dst = np.divmod(keys, layout.first.size)
    return Rows.of_columns(
        "bb_edges", launch=launch, kernel=kernel, src=src, dst=dst, count=count
    ).batch


def _opcodes(launch: int, kernel: str, layout: Layout, counts: Counts) -> pa.Table:
    executed, sums = counts.executed, Counter[tuple[int, str]]()
    for k in np.flatnonzero(counts.seen).tolist():
        sums[int(layout.block[k]), layout.instructions[k].opcode] += int(executed[k])
    found = [(launch, kernel, *key, count) for key, count in sums.items()]
    return Rows.of_records("bb_opcodes", OPCODES, found).batch


def _dependences(launch: int, kernel: str, layout: Layout, counts: Counts) -> pa.Table:
    return dependence_table(launch, kernel, layout.block, counts.dependences.counts.total())
