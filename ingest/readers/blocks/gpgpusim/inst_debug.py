"""GPGPU-Sim's inst_debug.txt: every instruction of every thread, and nothing of launches.

Source: GPGPU-Sim 3 and 4, -gpgpu_ptx_inst_debug_to_file 1 -gpgpu_ptx_inst_debug_thread_uid 0
(src/cuda-sim/cuda-sim.cc, `ptx_thread_info::ptx_exec_inst`). After each line such as

    [thd=1] : (vecadd.ptx:33 - ld.param.u64 %rd1, [vecadd_param_0];)

are registers and their values, which are skipped. There is no pc: instructions are put in
the order of their lines in the PTX file, where those that are never executed are not known.
Threads that begin at different instructions are of different kernels; those of one kernel that
were launched one after another cannot be distinguished from one launch. A kernel's name is that
in the names of its parameters, KERNEL_param_0, as nvcc gives them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.base import BLOCK_TABLES, Item, Run, SingleFile
from ingest.parsing.blocks.cursor import ROOM, Cursor, line_bounds
from ingest.parsing.blocks.spool import Spool, parsed
from ingest.parsing.lines import Chunk, chunks
from ingest.readers.blocks.gpgpusim.debug_launches import Debugged, rows
from ingest.readers.blocks.gpgpusim.text import Instruction, instruction
from ingest.recording import Recording
from udfs.arrays import Integers
from warehouse.errors import InputError

_PIECE = 4 << 20
_OTHERS = (b"Output R", b"Input Re", b"Register", b" ", b"\t", b"\n")
_LONGEST = 1 << 12
_LARGEST = 1 << 31
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class _Lines:
    """The instruction lines of a piece: line from 0, thread, and a key of the text.

    `texts` has the text of every key and the first line it is in.
    """

    rows: int
    row: Integers
    thread: Integers
    key: NDArray[np.uint64]
    texts: dict[int, tuple[bytes, int]]
    damaged: int | None
    cut: bool


class GpgpuSimInstDebug(SingleFile):
    """Reads inst_debug files."""

    NAME = "gpgpusim-inst-debug"
    DESCRIPTION = "GPGPU-Sim inst_debug file (basic blocks of threads, no thread blocks)"
    PATTERNS = ("inst_debug.txt", "*inst_debug.txt.gz")
    TABLES = BLOCK_TABLES
    SIGN = re.compile(rb"^\[thd=\d+\] : \(", re.MULTILINE)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, its launches, and sums over their threads.

        Raises `InputError` where the file is damaged or not whole.
        """
        yield Run(tags={"simulation": "inst_debug"})
        spool: Spool[int] = Spool()
        try:
            debugged = Debugged(*_put_aside(recording, spool))
            yield from rows(debugged, spool)
        finally:
            spool.close()


def _put_aside(
    recording: Recording, spool: Spool[int]
) -> tuple[list[Instruction], Integers, Integers]:
    """Put thread and instruction of every line aside.

    Returns the instructions in the order in which they come first, and per thread, in that order,
    its number and its first instruction.
    """
    known: dict[int, int] = {}
    instructions: list[Instruction] = []
    threads, entries = np.zeros((2, 0), np.int64)
    done = 0
    lines = None
    for lines in parsed(chunks(recording, size=_PIECE, must_end=True), _parse):
        if lines.damaged is not None:
            raise _fault(done + lines.damaged + 1, "this is no line of an inst_debug file")
        for key, (text, row) in sorted(lines.texts.items(), key=lambda item: item[1][1]):
            if key not in known:
                found = instruction(0, text.decode("utf-8", "replace"))
                if found is None or "\ufffd" in found.text or len(text) > _LONGEST:
                    raise _fault(done + row + 1, "the instruction cannot be read")
                known[key] = len(instructions)
                instructions.append(found)
        keys, place = np.unique(lines.key, return_inverse=True)
        code = np.array([known[key] for key in keys.tolist()], np.int64)[place]
        present, first, place = np.unique(lines.thread, return_index=True, return_inverse=True)
        new = np.sort(first[~np.isin(present, threads)])
        threads = np.append(threads, lines.thread[new])
        entries = np.append(entries, code[new])
        order = np.argsort(threads)
        slot = order[np.searchsorted(threads, present, sorter=order)][place]
        spool.put(done, (slot.astype(np.uint32), code.astype(np.uint32), lines.row + done + 1))
        done += lines.rows
    if not instructions:
        raise _fault(max(done, 1), "there are no instruction lines")
    return instructions, threads, entries


def _parse(chunk: Chunk) -> _Lines:
    """Parse whole lines of the file."""
    data, starts, ends = line_bounds(chunk)
    padded = data + ROOM + b"\0" * _LONGEST
    with np.errstate(over="ignore"):
        cursor = Cursor(padded, starts)
        is_code = cursor.sees(b"[thd=")
        fine = is_code.copy()
        for prefix in _OTHERS:
            fine |= cursor.sees(prefix)
        row = np.flatnonzero(is_code)
        cursor.keep(is_code)
        cursor.skip(b"[thd=")
        thread = cursor.number()
        cursor.skip(b"] : (")
        end = ends[row] - 1
        text = np.frombuffer(padded, np.uint8)
        length = end - cursor.at
        whole = cursor.fine & (thread < _LARGEST) & (length > 0) & (length <= _LONGEST)
        fine[row] = whole & (text[np.maximum(end, 0)] == ord(")"))
        damaged = None if fine.all() else int(np.flatnonzero(~fine)[0])
        key = np.zeros(0, np.uint64) if damaged is not None else _keys(padded, cursor.at, length)
    keys, first = np.unique(key, return_index=True)
    texts = {
        k: (padded[cursor.at[n] : end[n]], int(row[n]))
        for k, n in zip(keys.tolist(), first.tolist(), strict=True)
    }
    return _Lines(ends.size, row, thread, key, texts, damaged, not chunk.whole)


def _keys(data: bytes, at: Integers, length: Integers) -> NDArray[np.uint64]:
    """Return a number of 64 bits for every text: equal for equal texts, else practically never."""
    words: NDArray[np.uint64] = np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))
    key = length.astype(np.uint64) * _MIX
    for start in range(0, int(length.max(initial=0)), 8):
        rest = length - start
        shift = np.where(rest >= 8, 0, 64 - 8 * rest).clip(0, 63).astype(np.uint64)
        mixed = (key ^ (words[at + start] << shift)) * _MIX
        key = np.where(rest > 0, mixed ^ mixed >> np.uint64(29), key)
    return key


def _fault(line: int, problem: str) -> InputError:
    return InputError(
        problem,
        where=f"line {line}",
        expected="[thd=1] : (FILE.ptx:33 - INSTRUCTION;), or registers and their values",
        hint="Is the file cut off or damaged here? Copy or record it again.",
    )
