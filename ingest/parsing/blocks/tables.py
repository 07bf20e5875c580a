"""Landing rows of basic blocks as Arrow tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from ingest.base import Rows
from ingest.parsing.blocks.cursor import Integers
from ingest.parsing.blocks.tally import Tally

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


def block_row(kernel: str, number: int, code: Sequence[Any]) -> dict[str, Any]:
    """Return a row of bb_blocks, of a block's instructions in order."""
    return {
        "kernel": kernel,
        "bb": number,
        "size": len(code),
        "barriers": sum(what.is_barrier for what in code),
        "pc_first": code[0].pc,
        "pc_last": code[-1].pc,
    }


def launch_table(
    launch: int, kernel: str | None, columns: dict[str, ArrayLike], types: str
) -> pa.Table:
    """Return a table of a launch's columns; `types` has a letter for each: i INTEGER, l BIGINT."""
    arrays = {
        name: pa.array(np.asarray(values), {"i": pa.int32(), "l": pa.int64()}[kind])
        for (name, values), kind in zip(columns.items(), types, strict=True)
    }
    size = len(next(iter(arrays.values())))
    lead = {
        "launch": pa.repeat(pa.scalar(launch, pa.int32()), size),
        "kernel": pa.repeat(pa.scalar(kernel, pa.string()), size),
    }
    return pa.table(lead | arrays)


def dependence_table(
    launch: int, kernel: str | None, block: Integers, counts: tuple[Integers, Integers]
) -> pa.Table:
    """Return rows of bb_dependences from `Dependences.counts`; `block` is over instructions."""
    keys, count = counts
    tally = Tally()
    tally.add(block[keys >> 32] << 32 | keys & 0xFFFFFFFF, count)
    keys, count = tally.total()
    distance = keys & 0xFFFFFFFF
    table = launch_table(launch, kernel, {"bb": keys >> 32, "count": count}, "il")
    none = pa.array(distance, pa.int32(), mask=distance == 0)
    return table.append_column("distance", none)
