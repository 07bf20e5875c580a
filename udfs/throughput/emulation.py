"""Emulation of the integer instructions of blocks, for the addresses of loads and stores.

The conditions are those in which BHive's blocks are measured (Chen et al., "BHive", IISWC 2019):
all registers start with the same value, the address of a page, and all memory holds that value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from udfs.throughput.instructions import (
    CONSTANT,
    MEMORY,
    NOWHERE,
    RSP,
    Action,
    Instruction,
    Place,
)

START = 0x12345000  # value of registers and memory, as in BHive
# Stores that wait for the cache; of Zen 3 and Intel's cores 56 to 72. Older ones are in the cache.
_STORE_QUEUE = 56
_ALL = (1 << 64) - 1  # bits of a register


class Forward(NamedTuple):
    """A load at position `load` of a block reads what `store` stored, in the same pass or before.

    `renamed`: both address by rsp or rbp. `whole`: the store covers all loaded bytes. `certain`:
    both address by the same registers, which change by constants only, so that they meet whatever
    the registers are at the start. `meets`: they are, or the registers have not changed between.
    """

    load: int
    store: int
    carried: bool
    renamed: bool
    whole: bool
    certain: bool
    meets: bool


class Access(NamedTuple):
    """A load or a store: address and size in bytes, of a vector or not."""

    store: bool
    address: int
    size: int
    vector: bool


class Tracker:
    """Values of the registers, and the stores by address."""

    def __init__(self, block: Sequence[Instruction]) -> None:
        self.steps = _steps(block)
        self.registers = [START] * 16
        # For each eight bytes of memory: address, size, position, pass, value and running number.
        self.stored: dict[int, tuple[int, int, int, int, int, int]] = {}
        self.places: dict[int, Place] = {}
        self.steady = _steady(block)
        self.passes = -1
        self.stores = 0
        # How many stores there were when a register was last written.
        self.written: dict[int, int] = {}
        self.found: list[Forward] = []
        self.accesses: list[Access] = []

    def run_pass(self) -> tuple[list[Access], list[Forward]]:
        """Execute a pass; return its accesses, and the loads that read earlier stores."""
        self.accesses, self.found = [], []
        self.passes += 1
        self._run()
        return self.accesses, self.found

    def skip_passes(self, before: Sequence[int], passes: int) -> None:
        """Skip passes: every register changes by the same amount a pass as since `before`."""
        for k, (old, new) in enumerate(zip(before, self.registers, strict=True)):
            self.registers[k] = (new + passes * (new - old)) & _ALL
        self.stores += passes * (self.stores // (self.passes + 1))

    def _run(self) -> None:
        for position, i, computed, written in self.steps:
            value = START
            if i.loads:
                value = self._load(position, i)
            result = self._result(i.action, value) if computed and i.action else None
            if i.stores:
                self._store(position, i, result)
            if written:
                self._write(i, result, position)
            if i.moved:
                self.registers[RSP] = (self.registers[RSP] + i.moved) & _ALL

    def _address(self, place: Place) -> int:
        address = place.offset
        if place.base != NOWHERE:
            address += self.registers[place.base]
        if place.index_register != NOWHERE:
            address += self.registers[place.index_register] * place.scale
        return address & _ALL

    def _load(self, position: int, i: Instruction) -> int:
        place = i.loads[0]
        address = self._address(place)
        self.accesses.append(Access(False, address, place.size, i.vector))
        entry = self.stored.get(address >> 3)
        last = (address + place.size - 1) >> 3
        if last != address >> 3:
            other = self.stored.get(last)
            if other and (not entry or other[5] > entry[5]):
                entry = other
        untouched = (START | START << 64) >> 8 * (address & 7)
        if not entry:
            return untouched
        at, size, store, when, value, number = entry
        if not (at < address + place.size and address < at + size):
            return untouched
        whole = at <= address and address + place.size <= at + size
        result = value >> 8 * (address - at) if whole else untouched
        if number <= self.stores - _STORE_QUEUE:
            return result
        stored = self.places[store]
        renamed = _is_framed(place) and _is_framed(stored)
        certain = place[:3] == stored[:3] and self.steady.issuperset(place[:2])
        meets = certain or (
            place[:3] == stored[:3]
            and all(self.written.get(register, 0) < number for register in place[:2])
        )
        self.found.append(
            Forward(position, store, when != self.passes, renamed, whole, certain, meets)
        )
        return result

    def _store(self, position: int, i: Instruction, result: int | None) -> None:
        place = i.stores[0]
        address = self._address(place)
        self.accesses.append(Access(True, address, place.size, i.vector))
        value = START if result is None else result
        self.stores += 1
        entry = (address, place.size, position, self.passes, value, self.stores)
        for word in range(address >> 3, ((address + max(place.size, 1) - 1) >> 3) + 1):
            self.stored[word] = entry
        self.places[position] = place

    def _result(self, action: Action, loaded: int) -> int:
        if action.place:
            return self._address(action.place)
        y = self._value(action.source, action.source_size, loaded, action.constant)
        x = self._value(action.target, action.size, loaded, 0)
        if action.operation == "IMUL3":
            x = action.constant
        return _OPERATIONS[action.operation](x, y, action.source_size)

    def _value(self, where: int, size: int, loaded: int, constant: int) -> int:
        if where == CONSTANT:
            return constant
        value = loaded if where == MEMORY else self.registers[where]
        return value & ((1 << 8 * size) - 1)

    def _write(self, i: Instruction, result: int | None, position: int) -> None:
        self.written.update(dict.fromkeys(i.written, self.stores))
        if result is None:
            for register in i.written:
                # Not emulated: the same in every pass, and in a page of its own.
                self.registers[register] = START + ((position + 2) << 32)
            return
        size, target = i.action.size if i.action else 8, i.written[0]
        mask = (1 << 8 * size) - 1
        kept = 0 if size >= 4 else self.registers[target] & ~mask
        self.registers[target] = kept | (result & mask)


def _steps(block: Sequence[Instruction]) -> list[tuple[int, Instruction, bool, bool]]:
    """Return the instructions that have to be emulated, with their positions.

    And for each: whether its result, and whether its written registers, are used in addresses.
    """
    needed = {r for i in block for place in (i.loads[:1] + i.stores[:1]) for r in place[:2]}
    memory, before = False, -1
    while len(needed) + memory != before:
        before = len(needed) + memory
        for i in block:
            if i.action and (not needed.isdisjoint(i.written) or (memory and i.stores)):
                needed.update((i.action.source, i.action.target), (i.action.place or ())[:2])
        memory = MEMORY in needed
    out = []
    for position, i in enumerate(block):
        written = not needed.isdisjoint(i.written)
        computed = written or (memory and bool(i.stores))
        if computed or i.loads or i.stores or i.moved:
            out.append((position, i, computed, written))
    return out


def _steady(block: Sequence[Instruction]) -> frozenset[int]:
    """Return the registers that a block leaves alone, or changes by constants only."""
    changed = {r for i in block for r in i.written if not _adds_constant(i, r)}
    return frozenset(range(NOWHERE + 1)) - changed


def _adds_constant(i: Instruction, register: int) -> bool:
    if i.name in ("PUSH", "POP", "CALL", "RET"):
        return register == RSP
    if i.action is None or i.action.target != register or i.action.size < 8:
        return False
    if i.action.place:
        return i.action.place[:2] == (register, NOWHERE)
    return i.action.operation in ("INC", "DEC") or (
        i.action.operation in ("ADD", "SUB") and i.action.source == CONSTANT
    )


def _signed(value: int, size: int) -> int:
    half = 1 << (8 * size - 1)
    return (value & (half - 1)) - (value & half)


_OPERATIONS: dict[str, Callable[[int, int, int], int]] = {
    "MOV": lambda _, y, __: y,
    "PUSH": lambda _, y, __: y,
    "POP": lambda _, y, __: y,
    "MOVZX": lambda _, y, __: y,
    "MOVSX": lambda _, y, size: _signed(y, size),
    "MOVSXD": lambda _, y, size: _signed(y, size),
    "ADD": lambda x, y, _: x + y,
    "SUB": lambda x, y, _: x - y,
    "AND": lambda x, y, _: x & y,
    "OR": lambda x, y, _: x | y,
    "XOR": lambda x, y, _: x ^ y,
    "SHL": lambda x, y, _: x << (y & 63),
    "SHR": lambda x, y, _: x >> (y & 63),
    "SAR": lambda x, y, size: _signed(x, size) >> (y & 63),
    "NEG": lambda _, y, __: -y,
    "NOT": lambda _, y, __: ~y,
    "INC": lambda _, y, __: y + 1,
    "DEC": lambda _, y, __: y - 1,
    "IMUL": lambda x, y, _: x * y,
    "IMUL3": lambda x, y, _: x * y,
}


def _is_framed(place: Place) -> bool:
    return place.base == RSP and place.index_register == NOWHERE
