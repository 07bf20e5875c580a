"""Landing rows of basic blocks as Arrow tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from ingest.base import Rows
from ingest.parsing.blocks.tally import Tally
from udfs.arrays import Integers

OPCODES = ("launch", "kernel", "bb", "opcode", "count")
_BATCH = 1 << 17


def merged(table: str, batches: Iterable[pa.Table]) -> Iterator[Rows]:
    """Put small batches together."""
    waiting: list[pa.Table] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= _BATCH:
            yield Rows(table, pa.concat_tables(waiting))
            waiting = []
    if waiting:
        yield Rows(table, pa.concat_tables(waiting))


def dependence_table(
    launch: int, kernel: str | None, block: Integers, counts: tuple[Integers, Integers]
) -> pa.Table:
    """Return rows of bb_dependences from `Dependences.counts`; `block` is over instructions."""
    keys, count = counts
    tally = Tally()
    tally.add(block[keys >> 32] << 32 | keys & 0xFFFFFFFF, count)
    keys, count = tally.total()
    distance = keys & 0xFFFFFFFF
    return Rows.of_columns(
        "bb_dependences",
        launch=launch,
        kernel=kernel,
        bb=keys >> 32,
        count=count,
        distance=pa.array(distance, pa.int32(), mask=distance == 0),
    ).batch
