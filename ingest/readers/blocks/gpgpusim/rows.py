"""Landing rows of a GPGPU-Sim log, once its blocks are final."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from ingest.base import Rows
from ingest.parsing.blocks.tables import OPCODES, dependence_table, merged
from ingest.readers.blocks.gpgpusim.launch import Summary
from ingest.readers.blocks.gpgpusim.log import Log
from ingest.readers.blocks.gpgpusim.program import Program
from ingest.readers.blocks.gpgpusim.threads import Spool, Visits, recall
from udfs.arrays import Integers


class Blocks:
    """The final basic blocks of each kernel, and their numbers.

    A block of a listed kernel has its number in the listing; other blocks are numbered by
    ascending pc, after those of the listing.
    """

    def __init__(self, program: Program, summaries: Iterable[Summary]) -> None:
        self._program = program
        self._numbers: dict[str, dict[int, int]] = {}
        leaders: defaultdict[str, set[int]] = defaultdict(set)
        for summary in summaries:
            used = leaders[summary.push.kernel]
            for chain in summary.chains.values():
                used.update(self.parts(chain))
        for kernel, used in leaders.items():
            listed = {k: n for k, n in program.numbers.items() if program.functions[k] == kernel}
            others = sorted(used - listed.keys(), key=program.pcs.__getitem__)
            first = max(listed.values(), default=-2) + 2
            self._numbers[kernel] = listed | {k: first + n for n, k in enumerate(others)}

    def parts(self, chain: Integers) -> list[int]:
        """Return the leaders of the final blocks that a run of instructions consists of."""
        return [int(chain[0]), *chain[1:][self._program.leader[chain[1:]]].tolist()]

    def numbers(self, kernel: str, ids: Integers) -> Integers:
        """Return the numbers of the kernel's blocks that begin with these instructions."""
        known = self._numbers[kernel]
        return np.array([known[found] for found in ids.tolist()], np.int64)

    def instructions(self, kernel: str) -> Integers:
        """Return the number of the block that each instruction is in (-1: none of the kernel's)."""
        inside = np.full(len(self._program), -1, np.int64)
        for leader, number in self._numbers[kernel].items():
            inside[self._program.chain(leader)] = number
        return inside

    def rows(self) -> pa.Table:
        """Return the rows of bb_blocks."""
        found = []
        for kernel, numbers in self._numbers.items():
            for leader, number in sorted(numbers.items(), key=lambda item: item[1]):
                chain = self._program.chain(leader).tolist()
                code = [self._program.instructions[k] for k in chain]
                found.append(
                    {
                        "kernel": kernel,
                        "bb": number,
                        "size": len(code),
                        "barriers": sum(what.is_barrier for what in code),
                        "pc_first": code[0].pc,
                        "pc_last": code[-1].pc,
                        "function": self._program.functions.get(leader, kernel),
                        "source_file": code[0].file,
                        "source_line": code[0].line,
                    }
                )
        return pa.Table.from_pylist(found)


def rows(log: Log, spool: Spool) -> Iterator[Rows]:
    """Yield all rows of a log that is over."""
    program = log.program
    blocks = Blocks(program, log.summaries.values())
    launches = sorted(log.summaries.items())
    yield Rows("bb_launches", _launches(log))
    yield Rows("bb_blocks", blocks.rows())
    yield from merged("bb_edges", (edges(k, what, blocks) for k, what in launches))
    yield from merged("bb_opcodes", (opcodes(k, what, blocks, program) for k, what in launches))
    yield from merged("bb_dependences", (dependences(k, what, blocks) for k, what in launches))
    sizes = np.array([program.chain(k).size for k in range(len(program))], np.int64)
    yield from merged(
        "bb_visits",
        (
            visits(batch, log.pushes[batch.launch].kernel, blocks, sizes, log.warp_size)
            for batch in recall(spool)
        ),
    )


def _launches(log: Log) -> pa.Table:
    def counted(number: int, column: str) -> int | None:
        return int(getattr(log.summaries[number], column)) if log.whole else None

    return pa.Table.from_pylist(
        [
            {
                "launch": number,
                "kernel": push.kernel,
                "grid": push.grid,
                "block_dim": push.block_dim,
                "block_size": math.prod(push.block_dim),
                "warp_size": log.warp_size,
                "granularity": "thread",
                "instructions": counted(number, "instructions"),
                "warp_instructions": counted(number, "warp_instructions"),
            }
            for number, push in enumerate(log.pushes)
        ]
    )


def edges(launch: int, summary: Summary, blocks: Blocks) -> pa.Table:
    """Return the rows of bb_edges of a launch."""
    kernel = summary.push.kernel
    counts: Counter[tuple[int, int]] = Counter()
    for leader, chain in summary.chains.items():
        for pair in itertools.pairwise(blocks.parts(chain)):
            counts[pair] += summary.visits[leader]
    for key, count in zip(*(values.tolist() for values in summary.edges), strict=True):
        counts[blocks.parts(summary.chains[key >> 32])[-1], key & 0xFFFFFFFF] += count
    pairs = np.array(list(counts), np.int64).reshape(-1, 2)
    return Rows.of_columns(
        "bb_edges",
        launch=launch,
        kernel=kernel,
        src=blocks.numbers(kernel, pairs[:, 0]),
        dst=blocks.numbers(kernel, pairs[:, 1]),
        count=list(counts.values()),
    ).batch


def opcodes(launch: int, summary: Summary, blocks: Blocks, program: Program) -> pa.Table:
    """Return the rows of bb_opcodes of a launch."""
    kernel = summary.push.kernel
    inside = blocks.instructions(kernel)
    counts: Counter[tuple[int, str]] = Counter()
    for leader, chain in summary.chains.items():
        for found in chain.tolist():
            counts[int(inside[found]), program.instructions[found].opcode] += summary.visits[leader]
    found = [(launch, kernel, *key, count) for key, count in counts.items()]
    return Rows.of_records("bb_opcodes", OPCODES, found).batch


def dependences(launch: int, summary: Summary, blocks: Blocks) -> pa.Table:
    """Return the rows of bb_dependences of a launch."""
    kernel = summary.push.kernel
    keys, counts = summary.dependences or (np.zeros(0, np.int64), np.zeros(0, np.int64))
    return dependence_table(launch, kernel, blocks.instructions(kernel), (keys, counts))


def visits(batch: Visits, kernel: str, blocks: Blocks, sizes: Integers, warp_size: int) -> pa.Table:
    """Return visits by final block: one block when counted may be several now."""
    present, place = np.unique(batch.leader, return_inverse=True)
    parts = [blocks.parts(batch.chains[leader]) for leader in present.tolist()]
    flat = np.array([found for part in parts for found in part], np.int64)
    length = np.array([len(part) for part in parts], np.int64)
    begin = np.cumsum(length) - length
    row = np.repeat(np.arange(place.size), length[place])
    first = np.cumsum(length[place]) - length[place]
    leader = flat[begin[place][row] + np.arange(row.size) - first[row]]
    numbers = blocks.numbers(kernel, flat)
    number = np.zeros(sizes.size, np.int64)
    number[flat] = numbers
    times = batch.visits[row]
    return Rows.of_columns(
        "bb_visits",
        launch=batch.launch,
        kernel=kernel,
        block=batch.block[row],
        warp=batch.thread[row] // warp_size,
        thread=batch.thread[row],
        bb=number[leader],
        visits=times,
        instructions=times * sizes[leader],
    ).batch
