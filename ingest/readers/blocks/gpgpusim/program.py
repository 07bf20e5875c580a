"""The program that a GPGPU-Sim log executes: instructions by program counter, and basic blocks.

An instruction has an id, its position in the order in which the log first names it. A block is
known by its leader, the id of its first instruction. Without a listing leaders are found as the
log goes on: the first pc of a launch, every pc after a branch, every pc that does not follow its
predecessor by 8, and every immediate post-dominator that the log names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ingest.parsing.blocks.cursor import words
from ingest.readers.blocks.gpgpusim.fields import Fields
from ingest.readers.blocks.gpgpusim.text import Instruction, Listing, instruction
from udfs.arrays import Integers
from warehouse.errors import InputError

_T = TypeVar("_T", bound=np.generic)
# Gives the error to raise for one instruction line of the piece at hand, by its index.
Fault = Callable[[int, str], InputError]

STEP = 8
_PC_LIMIT = 1 << 27
_TEXT_LIMIT = 1 << 12
_TAIL = b")  [0x"
_TAIL_MASK = np.uint64((1 << 8 * len(_TAIL)) - 1)


class Program:
    """Instructions met so far, and the leaders of their blocks.

    Arrays are over ids and have a last element for "no instruction" (id -1): `follower` is the id
    that follows within the block (-1: none), `leader` flags the first instructions of blocks.
    `version` changes whenever blocks do.
    """

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self.version = 0
        self.numbers: dict[int, int] = {}
        self.functions: dict[int, str] = {}
        self.entries: dict[str, int] = {}
        self.follower: Integers = np.full(1, -1, np.int64)
        self.leader: NDArray[np.bool_] = np.zeros(1, np.bool_)
        self.listed: NDArray[np.bool_] = np.zeros(1, np.bool_)
        self.pcs: Integers = np.full(1, -1, np.int64)
        self.calls = self.returns = self.ends_thread = np.zeros(1, np.bool_)
        self._ids: Integers = np.full(1 << 10, -1, np.int64)
        self._texts: list[bytes] = []
        self._length: Integers = np.zeros(0, np.int64)
        self._joins: dict[int, tuple[str, str]] = {}
        self._chains: dict[int, Integers] = {}
        self._chains_version = -1

    def __len__(self) -> int:
        return len(self.instructions)

    def id_of(self, pc: int) -> int:
        """Return the id of the instruction at a pc, or -1."""
        slot = pc // STEP
        return int(self._ids[slot]) if pc % STEP == 0 and 0 <= slot < self._ids.size else -1

    def add_listing(self, listing: Listing) -> None:
        """Take the functions of a listing that were not taken before."""
        for function in listing.blocks.keys() - self.entries.keys():
            blocks = listing.blocks[function]
            start = len(self)
            self.add([found for _, found in blocks], listed=True)
            numbers = np.array([number for number, _ in blocks])
            leads = np.append(True, numbers[1:] != numbers[:-1])
            self.leader[start:-1] |= leads
            self.entries[function] = start
            self.functions.update(dict.fromkeys(range(start, len(self)), function))
            self.numbers.update((start + int(k), int(numbers[k])) for k in np.flatnonzero(leads))

    def add_join(self, pc: int, text: str, where: str) -> None:
        """Record an immediate post-dominator, where paths join: it begins a block."""
        self._joins[pc] = (text, where)
        found = self.id_of(pc)
        if found >= 0:
            self._check_join(found)
            self.lead([found])

    def resolve(self, lines: Fields, fault: Fault) -> Integers:
        """Return the id of every line's instruction; checks it against the line."""
        slots, remainder = np.divmod(lines.pc, STEP)
        if (remainder != 0).any() or lines.pc.max(initial=0) >= _PC_LIMIT:
            row = int(np.flatnonzero((remainder != 0) | (lines.pc >= _PC_LIMIT))[0])
            raise fault(row, f"pc={lines.pc[row]} is not the address of a PTX instruction")
        if (highest := int(slots.max(initial=0))) >= self._ids.size:
            self._grow(highest + 1)
        ids = self._ids[slots]
        if (ids < 0).any():
            self._meet(lines, slots, ids, fault)
            ids = self._ids[slots]
        self._check_texts(lines, ids, fault)
        return ids

    def _meet(self, lines: Fields, slots: Integers, ids: Integers, fault: Fault) -> None:
        """Append the instructions that no line named before."""
        unknown = np.flatnonzero(ids < 0)
        _, first = np.unique(slots[unknown], return_index=True)
        new: list[Instruction] = []
        for row in unknown[np.sort(first)].tolist():
            content = lines.data[lines.text[row] : lines.end[row]]
            text = content[: max(content.rfind(_TAIL), 0)]
            found = None
            if len(text) < _TEXT_LIMIT:
                found = instruction(int(lines.pc[row]), text.decode("utf-8", "replace"))
            if found is None or "\ufffd" in found.text:
                raise fault(row, "the instruction cannot be read")
            new.append(found)
        self.add(new)

    def _check_texts(self, lines: Fields, ids: Integers, fault: Fault) -> None:
        """Check every line's length and end, and the first and last text of every instruction.

        Nothing else of the text is used, so that damage to the first one, which is, shows here.
        """
        after = lines.text + self._length[ids]
        order = np.arange(ids.size)
        for sequence in (order, order[::-1]):
            seen = np.full(len(self), -1, np.int64)
            seen[ids[sequence]] = sequence
            for found in np.flatnonzero(seen >= 0).tolist():
                row = int(seen[found])
                if lines.data[lines.text[row] : after[row]] != self._texts[found]:
                    raise fault(
                        row,
                        f"pc={self.instructions[found].pc} is another instruction here than "
                        f"elsewhere: {self.instructions[found].text}",
                    )
        eights = words(lines.data)
        tail = eights[np.minimum(after, lines.end)] & _TAIL_MASK
        last = eights[lines.end - 1] & np.uint64(0xFF)
        value = lines.end - after - len(_TAIL)
        fine = tail == np.uint64(int.from_bytes(_TAIL, "little"))
        fine &= (last == np.uint64(ord("]"))) & (value >= 2) & (value <= 17)
        if not fine.all():
            raise fault(int(np.flatnonzero(~fine)[0]), "the line does not end as it should")

    def add(self, new: list[Instruction], *, listed: bool = False) -> None:
        """Append instructions at places where none is known yet."""
        start = len(self)
        for found in new:
            slot = found.pc // STEP
            if slot >= self._ids.size:
                self._grow(slot + 1)
            if self._ids[slot] >= 0:
                raise InputError(
                    f"PC={found.pc:#05x} is listed, but it is executed or listed before as "
                    "something else",
                    where="the block listing",
                    hint="Use the listing of the same program and the same GPGPU-Sim.",
                )
            self._ids[slot] = len(self.instructions)
            self.instructions.append(found)
            self._texts.append(found.text.encode())
        lengths = [len(text) for text in self._texts[start:]]
        self._length = np.append(self._length, lengths).astype(np.int64)
        self.leader = _insert(self.leader, np.zeros(len(new), np.bool_))
        self.listed = _insert(self.listed, np.full(len(new), listed))
        self.follower = _insert(self.follower, np.full(len(new), -1))
        self.pcs = _insert(self.pcs, [found.pc for found in new])
        self.calls = _insert(self.calls, [found.is_call for found in new])
        self.returns = _insert(self.returns, [found.is_return for found in new])
        self.ends_thread = _insert(self.ends_thread, [found.ends_thread for found in new])
        for k in range(start, len(self)):
            self._link(k)
            self._link(self.id_of(self.instructions[k].pc - STEP))
            if self.instructions[k].pc in self._joins:
                self._check_join(k)
                self.leader[k] = True
        self.version += 1

    def _link(self, found: int) -> None:
        """Find an instruction's follower within its block."""
        if found >= 0:
            what = self.instructions[found]
            leaves = what.ends_block or (what.is_call and not self.listed[found])
            self.follower[found] = -1 if leaves else self.id_of(what.pc + STEP)

    def _grow(self, slots: int) -> None:
        grown = np.full(1 << (slots - 1).bit_length(), -1, np.int64)
        grown[: self._ids.size] = self._ids
        self._ids = grown

    def _check_join(self, found: int) -> None:
        text, where = self._joins[self.instructions[found].pc]
        if text != self.instructions[found].text:
            raise InputError(
                f"the post-dominator is another instruction than the one executed at its PC: "
                f"{self.instructions[found].text}",
                where=where,
                hint="Copy or record the log again.",
            )

    def lead(self, ids: Iterable[int]) -> None:
        """Make instructions the first of their blocks."""
        self.leader[list(ids)] = True
        self.version += 1

    def check_joins(self) -> None:
        """Raise where a post-dominator is at another pc than its instruction."""
        pcs = {found.text: found.pc for found in self.instructions}
        for pc, (text, where) in self._joins.items():
            if self.id_of(pc) < 0 and text in pcs:
                raise InputError(
                    f"the post-dominator is given PC={pc:#05x}, but is executed at "
                    f"pc={pcs[text]}: {text}",
                    where=where,
                    hint="Copy or record the log again.",
                )

    def owner(self, found: int) -> int:
        """Return the leader of the block that an instruction is in, or -1 where it is in none."""
        while found >= 0 and not self.leader[found]:
            before = self.id_of(self.instructions[found].pc - STEP)
            found = before if before >= 0 and self.follower[before] == found else -1
        return found

    def chain(self, leader: int) -> Integers:
        """Return the ids of a block's instructions in order."""
        if self._chains_version != self.version:
            self._chains, self._chains_version = {}, self.version
        if leader not in self._chains:
            ids = [leader]
            while (found := int(self.follower[ids[-1]])) >= 0 and not self.leader[found]:
                ids.append(found)
            self._chains[leader] = np.array(ids)
        return self._chains[leader]


def _insert(values: NDArray[_T], more: ArrayLike) -> NDArray[_T]:
    """Put values before the last one, which is for "no instruction"."""
    return np.concatenate((values[:-1], np.asarray(more, values.dtype), values[-1:]))
