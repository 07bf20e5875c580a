"""Launches of an inst_debug file: which threads belong together, and sums over them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ingest.base import Rows
from ingest.parsing.blocks.spool import Spool
from ingest.parsing.blocks.tables import merged
from ingest.parsing.blocks.tally import stable_order, starts_of_runs
from ingest.readers.blocks.gpgpusim import rows as tables
from ingest.readers.blocks.gpgpusim.fields import Fields
from ingest.readers.blocks.gpgpusim.launch import Launch, Summary
from ingest.readers.blocks.gpgpusim.program import STEP, Program
from ingest.readers.blocks.gpgpusim.text import Instruction, Push
from ingest.readers.blocks.gpgpusim.threads import Spool as Visits
from ingest.readers.blocks.gpgpusim.threads import recall
from udfs.arrays import Flags, Integers
from warehouse.errors import InputError

_PARAMETER = re.compile(r"\[([A-Za-z_$][\w$]*)_param_\d+")
_NONE: Integers = np.zeros(0, np.int64)
_HINT = "Let the simulation end before saving the file, and save all of it."


class Debugged:
    """Executed code: the program in the order of the PTX file, and its threads launch by launch.

    `numbers` is, for the place of an instruction in `instructions`, its id in the program;
    `launch`, `place` and `thread` are over threads in the order in which they come first: the
    launch, the thread's place in it, and its number in the file.
    """

    def __init__(
        self, instructions: list[Instruction], threads: Integers, entries: Integers
    ) -> None:
        order = sorted(
            range(len(instructions)), key=lambda k: (instructions[k].file, instructions[k].line, k)
        )
        self.program = Program()
        self.program.add(
            [dataclasses.replace(instructions[k], pc=n * STEP) for n, k in enumerate(order)]
        )
        self.numbers = np.argsort(order)
        self.thread = threads
        by_number = np.argsort(threads)
        begins = starts_of_runs(entries[by_number])
        self.sizes = np.diff(np.append(begins, threads.size))
        self.launch, self.place = np.empty((2, threads.size), np.int64)
        self.launch[by_number] = np.repeat(np.arange(begins.size), self.sizes)
        self.place[by_number] = np.arange(threads.size) - np.repeat(begins, self.sizes)
        self.kernels = [
            self._kernel(int(self.numbers[entry])) for entry in entries[by_number][begins]
        ]

    def _kernel(self, entry: int) -> str:
        """Return the name in the first parameter from a kernel's beginning on, or nothing."""
        for what in self.program.instructions[entry:]:
            if found := _PARAMETER.search(what.text):
                return found[1]
            if what.ends_thread:
                break
        return ""


def rows(debugged: Debugged, spool: Spool[int]) -> Iterator[Rows]:
    """Yield all rows; raises `InputError` where lines are missing."""
    visits = Visits()
    try:
        launches = _launches(debugged, spool, visits)
        summaries = [launch.finish("end of the file") for launch in launches]
        yield Rows("bb_launches", _launch_rows(debugged, summaries))
        yield from _tables(debugged, summaries, visits)
    finally:
        visits.close()


def _launches(debugged: Debugged, spool: Spool[int], visits: Visits) -> list[Launch]:
    """Return the launches with all their lines."""
    # Blocks first: launches that share a kernel are counted side by side.
    for _ in _batches(debugged, spool, find_leaders=True):
        pass
    launches = [
        Launch(number, Push(kernel, (1, 1, 1), (int(size), 1, 1)), 32, debugged.program, visits)
        for number, (kernel, size) in enumerate(zip(debugged.kernels, debugged.sizes, strict=True))
    ]
    for slot, found, icount, row in _batches(debugged, spool):
        launch = debugged.launch[slot]
        for number in np.unique(launch).tolist():
            _advance(launches[number], debugged, slot, found, icount, row, launch == number)
    return launches


def _batches(
    debugged: Debugged, spool: Spool[int], *, find_leaders: bool = False
) -> Iterator[tuple[Integers, Integers, Integers, Integers]]:
    """Yield thread, instruction, the thread's counter and the line in the file, batch by batch."""
    last = np.full(debugged.thread.size, -1, np.int64)
    count = np.zeros(debugged.thread.size, np.int64)
    line = np.zeros(debugged.thread.size, np.int64)
    for _, (slots, code, row) in spool.batches():
        slot, found = slots.astype(np.int64), debugged.numbers[code]
        before, icount = _follow(debugged, slot, found, row, last, count)
        if find_leaders:
            jumps = debugged.program.follower[before] != found
            debugged.program.lead(np.unique(found[jumps]).tolist())
        line[slot] = row
        yield slot, found, icount, row
    over = debugged.program.returns | debugged.program.ends_thread
    if not over[last].all():
        k = int(np.flatnonzero(~over[last])[0])
        raise InputError(
            f"the file ends before thread {debugged.thread[k]} is over",
            where=f"line {line[k]}",
            expected="ret or exit as the last instruction of every thread",
            hint=_HINT,
        )


def _follow(
    debugged: Debugged, slot: Integers, found: Integers, row: Integers, last: Integers,
    count: Integers,
) -> tuple[Integers, Integers]:  # fmt: skip
    """Check that instructions follow each other where nothing branches.

    Returns the thread's instruction before, and its counter. `last` and `count`, over threads, are
    the latest instruction and how many there were.
    """
    program = debugged.program
    order = stable_order(slot)
    slot, found = slot[order], found[order]
    heads = starts_of_runs(slot)
    before = np.empty_like(found)
    before[1:] = found[:-1]
    before[heads] = last[slot[heads]]
    free = (before < 0) | program.calls[before] | (program.follower[before] < 0)
    lost = ~free & (program.follower[before] != found)
    if lost.any():
        k = int(np.flatnonzero(lost)[0])
        raise InputError(
            f"thread {debugged.thread[slot[k]]} comes here from line "
            f"{program.instructions[int(before[k])].line} of the PTX file, which is no branch: "
            "lines are missing or damaged",
            where=f"line {row[order[k]]}",
            expected="every executed instruction of the thread",
            hint=_HINT,
        )
    length = np.diff(np.append(heads, slot.size))
    earlier, icount = np.empty_like(found), np.empty_like(found)
    earlier[order] = before
    icount[order] = 1 + np.arange(slot.size) - np.repeat(heads - count[slot[heads]], length)
    tails = heads + length - 1
    last[slot[tails]] = found[tails]
    count[slot[tails]] += length
    return earlier, icount


def _advance(
    launch: Launch, debugged: Debugged, slot: Integers, found: Integers, icount: Integers,
    row: Integers, mine: Flags,
) -> None:  # fmt: skip
    """Pass its lines to a launch."""
    slot = slot[mine]
    zero = np.zeros_like(slot)
    lines = Fields(
        b"", 0, row[mine], zero, debugged.thread[slot], (zero, zero, zero),
        (debugged.place[slot], zero, zero), icount[mine], zero, zero, zero, [], None,
    )  # fmt: skip

    def fault(index: int, problem: str) -> InputError:
        return InputError(problem, where=f"line {lines.row[index]}")

    launch.advance(lines, found[mine], slice(0, slot.size), fault)


def _launch_rows(debugged: Debugged, summaries: list[Summary]) -> pa.Table:
    # With a thread's number as -gpgpu_ptx_inst_debug_thread_uid the others are not in the file.
    whole = debugged.thread.size > 1
    return pa.Table.from_pylist(
        [
            {
                "launch": number,
                "kernel": summary.push.kernel or None,
                "granularity": "thread",
                "instructions": summary.instructions if whole else None,
            }
            for number, summary in enumerate(summaries)
        ]
    )


def _tables(debugged: Debugged, summaries: list[Summary], visits: Visits) -> Iterator[Rows]:
    program = debugged.program
    blocks = tables.Blocks(program, summaries)
    yield Rows("bb_blocks", _known(blocks.rows(), without=("pc_first", "pc_last")))
    numbered = list(enumerate(summaries))
    for table, made in (
        ("bb_edges", (tables.edges(k, what, blocks) for k, what in numbered)),
        ("bb_opcodes", (tables.opcodes(k, what, blocks, program) for k, what in numbered)),
        ("bb_dependences", (tables.dependences(k, what, blocks) for k, what in numbered)),
    ):
        yield from merged(table, (_known(one) for one in made))
    sizes = np.array([program.chain(k).size for k in range(len(program))], np.int64)
    numbers = [
        np.sort(debugged.thread[debugged.launch == number]) for number in range(len(summaries))
    ]
    made = (
        _with_thread(
            tables.visits(batch, debugged.kernels[batch.launch], blocks, sizes, 32),
            numbers[batch.launch],
        )
        for batch in recall(visits)
    )
    yield from merged("bb_visits", made)


def _known(table: pa.Table, without: tuple[str, ...] = ()) -> pa.Table:
    """Leave out what this format lacks; names of kernels that are not known are NULL."""
    import pyarrow.compute as pc

    table = table.drop_columns(list(without))
    for name in {"kernel", "function"} & set(table.column_names):
        known = pc.not_equal(table[name], "")
        named = pc.if_else(known, table[name], pa.scalar(None, pa.string()))
        table = table.set_column(table.column_names.index(name), name, named)
    return table


def _with_thread(table: pa.Table, numbers: Integers) -> pa.Table:
    """Put the file's thread numbers for places in the launch."""
    table = _known(table, without=("block", "warp"))
    thread = pa.array(numbers[table["thread"].to_numpy()], pa.int64())
    return table.set_column(table.column_names.index("thread"), "thread", thread)
