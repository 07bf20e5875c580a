"""The machine code of a kernel, as far as its traces show it, and its basic blocks.

A PC becomes a slot, the instruction's number if the code had no gaps: a GPU before sm_70 has a word
of control information before every third (Maxwell, Pascal) or seventh (Kepler) instruction. So an
instruction follows another exactly where its slot does.

Blocks are found from what is executed: the first PC of every warp begins one, every PC after an
instruction that may send lanes elsewhere, and every PC that does not follow the one before it in
its warp. A place that is only ever fallen into does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.parsing.blocks.cursor import Words, words
from ingest.readers.blocks.nvbit.fields import Fields
from udfs.arrays import Flags, Integers

_LARGEST_PC = 1 << 26
_LONGEST = 256
_STATIC = re.compile(
    rb"(?:(?:0|[1-9]\d?)(?: [A-Z]\w*)*) ([A-Z][\w.]*) \d{1,2}(?: [A-Z]\w*)* \d{1,3}(?= |$)"
)
# Instructions after which lanes may go on elsewhere, or with others (CUDA Binary Utilities,
# "Instruction Set Reference", control instructions).
_CONTROL = frozenset(
    (
        *("BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CAL", "CALL", "JCAL", "RET", "EXIT"),
        *("BRK", "CONT", "LONGJMP", "RTT", "KIL", "KILL", "SYNC", "BSYNC", "WARPSYNC"),
    )
)
# Reads as zero, takes no result: R255 in a trace.
_ZERO = frozenset(("R255", "RZ", "UR63", "URZ"))


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction of a kernel; `text` is its line after the mask."""

    slot: int
    pc: int
    text: bytes
    opcode: str
    writes: tuple[str, ...]
    reads: tuple[str, ...]
    source_line: int | None

    @property
    def is_control(self) -> bool:
        """Lanes may go on elsewhere, or with others, after it."""
        return self.opcode.split(".")[0] in _CONTROL

    @property
    def is_barrier(self) -> bool:
        """A barrier among the threads of a block."""
        return self.opcode.split(".")[0] == "BAR"


class Kernel:
    """A kernel's instructions met so far. `leads` flags by slot what begins a block."""

    def __init__(self, name: str, sm: int) -> None:
        self.name = name
        self.sm = sm
        self.instructions: list[Instruction] = []
        self.leads: Flags = np.zeros(1 << 8, np.bool_)
        self._ids: NDArray[np.int32] = np.full(1 << 8, -1, np.int32)
        self._control: Flags = np.zeros(0, np.bool_)
        self._length: Integers = np.zeros(0, np.int64)
        self._words: Words = np.zeros((0, _LONGEST // 8), np.uint64)

    def slots(self, lines: Fields) -> Integers:
        """Return the slot of every instruction line, -1 of PCs where no instruction can be."""
        pc = lines.pc
        if self.sm >= 70:
            slot, wrong = pc >> 4, (pc & 15) != 0
        else:
            group, inside = np.divmod(pc, 64 if self.sm < 50 else 32)
            slot = group * (7 if self.sm < 50 else 3) + (inside >> 3) - 1
            wrong = ((pc & 7) != 0) | (inside == 0)
        return np.where(wrong | (pc >= _LARGEST_PC), -1, slot)

    def learn(self, lines: Fields, slot: Integers) -> tuple[int, str] | None:
        """Take new instructions, and check all lines against those that are known.

        Returns the index of the first line at fault and what is wrong, or None.
        """
        if (slot < 0).any():
            k = int(np.flatnonzero(slot < 0)[0])
            return k, f"PC {int(lines.pc[k]):04x} is no place of an instruction on sm_{self.sm}"
        highest = int(slot.max(initial=0)) + 2
        if highest > self.leads.size:
            more = (1 << highest.bit_length()) - self.leads.size
            self.leads = np.pad(self.leads, (0, more))
            self._ids = np.pad(self._ids, (0, more), constant_values=-1)
        ids = self._ids[slot]
        if (ids < 0).any():
            unknown = np.flatnonzero(ids < 0)
            _, first = np.unique(slot[unknown], return_index=True)
            for k in unknown[first].tolist():
                if not self._meet(lines, k, int(slot[k])):
                    return k, "the instruction cannot be read"
            self._control = np.array([one.is_control for one in self.instructions], np.bool_)
            self._length = np.array([len(one.text) for one in self.instructions], np.int64)
            texts = b"".join(one.text.ljust(_LONGEST, b"\0") for one in self.instructions)
            self._words = np.frombuffer(texts, "<u8").reshape(-1, _LONGEST // 8)
            ids = self._ids[slot]
        return self._check(lines, ids)

    def control(self, slot: Integers) -> Flags:
        """Return which of the known instructions may send lanes elsewhere."""
        return self._control[self._ids[slot]]

    def _meet(self, lines: Fields, k: int, slot: int) -> bool:
        content = lines.data[lines.text[k] : lines.end[k]]
        found = _STATIC.match(content)
        source = int(lines.source[k]) if lines.source.size else None
        if found is None or len(found[0]) > _LONGEST or (source or 0) >= 1 << 31:
            return False
        fields = found[0].decode().split(" ")
        results = int(fields[0])
        operands = fields[results + 3 :]
        # The counts have to agree with what is listed.
        if fields[results + 1 : results + 2] != [found[1].decode()] or (
            len(operands) != int(fields[results + 2]) + 1
        ):
            return False
        self._ids[slot] = len(self.instructions)
        reads = tuple(r for r in operands[:-1] if r not in _ZERO)
        writes = tuple(r for r in fields[1 : results + 1] if r not in _ZERO)
        pc, opcode = int(lines.pc[k]), fields[results + 1]
        self.instructions.append(Instruction(slot, pc, found[0], opcode, writes, reads, source))
        return True

    def _check(self, lines: Fields, ids: NDArray[np.int32]) -> tuple[int, str] | None:
        """Compare every line with the first one of its PC, up to its addresses."""
        length = self._length[ids]
        wrong = lines.end - lines.text < length
        after = np.frombuffer(lines.data, np.uint8)[lines.text + length]
        wrong |= (after != ord(" ")) & (after != ord("\n"))
        for start in range(0, int(length.max(initial=0)), 8):
            rest = length - start
            shift = np.where(rest >= 8, 0, 64 - 8 * rest).clip(0, 63).astype(np.uint64)
            other = (words(lines.data)[lines.text + start] ^ self._words[ids, start >> 3]) << shift
            wrong |= (other != 0) & (rest > 0)
        if not wrong.any():
            return None
        k = int(np.flatnonzero(wrong)[0])
        known = self.instructions[int(ids[k])].text.decode()
        return k, f"PC {int(lines.pc[k]):04x} is another instruction here than before: {known}"


class Layout:
    """The final basic blocks of a kernel, numbered by ascending PC.

    Instructions are numbered by PC as well, from 0. `first` and `size` are over blocks, `block`,
    `control` over instructions.
    """

    version = 0

    def __init__(self, kernel: Kernel) -> None:
        self.instructions = sorted(kernel.instructions, key=lambda one: one.slot)
        slot = np.array([one.slot for one in self.instructions], np.int64)
        self.control: Flags = np.array([one.is_control for one in self.instructions], np.bool_)
        leads = kernel.leads[slot]
        leads[1:] |= self.control[:-1]
        self.first = np.flatnonzero(leads)
        self.size = np.diff(np.append(self.first, slot.size))
        self.block = np.cumsum(leads) - 1
        self._numbers = np.zeros(int(slot.max(initial=0)) + 1, np.int64)
        self._numbers[slot] = np.arange(slot.size)

    def __len__(self) -> int:
        return len(self.instructions)

    def numbers(self, slot: Integers) -> Integers:
        """Return the numbers of the instructions in these slots."""
        return self._numbers[slot]

    def chain(self, leader: int) -> Integers:
        """Return the numbers of a block's instructions; `leader` is the first."""
        return leader + np.arange(self.size[self.block[leader]])
