"""Operands that an instruction reads and writes, according to the disassembler."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import iced_x86 as ix

from udfs.throughput.instructions import (
    FLAG_C,
    FLAG_Z,
    NOWHERE,
    RDI,
    RSI,
    RSP,
    VECTORS,
    X87,
    Place,
)

Registers = tuple[int, ...]

_FLAGS = (
    (FLAG_C, ix.RflagsBits.CF),
    (
        FLAG_Z,
        ix.RflagsBits.OF
        | ix.RflagsBits.SF
        | ix.RflagsBits.ZF
        | ix.RflagsBits.AF
        | ix.RflagsBits.PF,
    ),
)
_CLEARS = frozenset((ix.Mnemonic.VZEROUPPER, ix.Mnemonic.VZEROALL))
_READS = frozenset(
    (
        *(ix.OpAccess.READ, ix.OpAccess.COND_READ, ix.OpAccess.READ_WRITE),
        *(ix.OpAccess.READ_COND_WRITE, ix.OpAccess.COND_WRITE),
    )
)
_WRITES = frozenset(
    (
        ix.OpAccess.WRITE,
        ix.OpAccess.COND_WRITE,
        ix.OpAccess.READ_WRITE,
        ix.OpAccess.READ_COND_WRITE,
    )
)
_TOUCHES = _READS | _WRITES


@lru_cache(maxsize=1024)
def register_number(register: int) -> tuple[int, int]:
    """Return the number of a register (iced_x86.Register) and its size in bytes.

    The number is -1 for registers that are not tracked.
    """
    size = ix.RegisterExt.size(register)
    full = ix.RegisterExt.full_register(register)
    if ix.RegisterExt.is_gpr(register):
        return full - ix.Register.RAX, size
    if ix.RegisterExt.is_vector_register(register):
        return VECTORS + full - ix.Register.ZMM0, size
    if ix.RegisterExt.is_st(register):
        return X87 + register - ix.Register.ST0, size
    if ix.RegisterExt.is_mm(register):
        return X87 + register - ix.Register.MM0, size
    return -1, size


def memory_used(info: Any) -> tuple[Any, Any, tuple[int, ...]]:
    """Return the loads, the stores, and the registers of their addresses."""
    loads, stores, address = [], [], []
    for used in info.used_memory():
        base, index = register_number(used.base)[0], register_number(used.index)[0]
        offset = used.displacement
        place = Place(
            base if base >= 0 else NOWHERE,
            # The index of a gather is a vector: its addresses are not tracked.
            index if 0 <= index < FLAG_C else NOWHERE,
            used.scale,
            offset - (1 << 64) if offset >> 63 else offset,
            ix.MemorySizeExt.size(used.memory_size),
        )
        if used.access in _READS:
            loads.append(place)
        if used.access in _WRITES:
            stores.append(place)
        if used.access in _TOUCHES:
            address += [r for r in (base, index) if r >= 0 and r not in address]
    return tuple(loads), tuple(stores), tuple(address)


def registers_used(info: Any, instruction: Any, address: Registers) -> tuple[Registers, Registers]:
    """Return registers read for data (not for the `address` alone), and registers written."""
    if instruction.mnemonic in _CLEARS:
        return (), ()
    reads: list[int] = []
    writes: list[int] = []
    spare = list(address)
    for used in info.used_registers():
        register, size = register_number(used.register)
        # The stack engine tracks rsp in the front end.
        if register < 0 or (register == RSP and instruction.is_stack_instruction):
            continue
        # The steps of rsi and rdi do not wait for what is loaded.
        if register in (RSI, RDI) and instruction.is_string_instruction:
            continue
        if used.access == ix.OpAccess.READ and register in spare:
            spare.remove(register)
        elif used.access in _READS:
            reads.append(register)
        if used.access in _WRITES:
            writes.append(register)
            if size < 4 and register < 16:
                # The rest of the register is preserved.
                reads.append(register)
    for flag, bits in _FLAGS:
        if instruction.rflags_read & bits:
            reads.append(flag)
        if instruction.rflags_modified & bits:
            writes.append(flag)
    return tuple(dict.fromkeys(reads)), tuple(dict.fromkeys(writes))


def operand_size(instruction: Any) -> int:
    """Return the size of the first operand, bytes; 0 without operands."""
    if instruction.op_count == 0:
        return 0
    kind = instruction.op_kind(0)
    if kind == ix.OpKind.REGISTER:
        return int(ix.RegisterExt.size(instruction.op_register(0)))
    if kind == ix.OpKind.MEMORY:
        return int(ix.MemorySizeExt.size(instruction.memory_size))
    return 8


def vector_size(instruction: Any) -> int:
    """Return the size of the widest vector register among the operands, bytes; 0 without one."""
    wide = 0
    for k in range(instruction.op_count):
        if instruction.op_kind(k) == ix.OpKind.REGISTER:
            register = instruction.op_register(k)
            if ix.RegisterExt.is_vector_register(register):
                wide = max(wide, int(ix.RegisterExt.size(register)))
    return wide


def in_registers(instruction: Any) -> bool:
    """Return whether there are two operands or more, all in registers."""
    count = instruction.op_count
    return count >= 2 and all(instruction.op_kind(k) == ix.OpKind.REGISTER for k in range(count))


def same_operands(instruction: Any) -> bool:
    """Return whether the last two of the operands, all in registers, are one register."""
    last = instruction.op_count - 1
    return bool(instruction.op_register(last) == instruction.op_register(last - 1))
