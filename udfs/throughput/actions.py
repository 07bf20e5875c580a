"""The integer operation that an instruction performs, as far as it is emulated."""

from __future__ import annotations

from typing import Any

import iced_x86 as ix

from udfs.throughput.instructions import CONSTANT, MEMORY, NOWHERE, Action, Place
from udfs.throughput.operands import register_number

_OPERATIONS = frozenset(
    (
        *("MOV", "MOVZX", "MOVSX", "MOVSXD", "ADD", "SUB", "AND", "OR", "XOR", "SHL", "SHR"),
        *("SAR", "NEG", "NOT", "INC", "DEC", "IMUL", "LEA", "PUSH", "POP"),
    )
)
_IMMEDIATES = frozenset(
    (
        *(ix.OpKind.IMMEDIATE8, ix.OpKind.IMMEDIATE16, ix.OpKind.IMMEDIATE32),
        *(ix.OpKind.IMMEDIATE64, ix.OpKind.IMMEDIATE8TO32),
        *(ix.OpKind.IMMEDIATE8TO64, ix.OpKind.IMMEDIATE32TO64),
    )
)


def action(instruction: Any, name: str) -> Action | None:
    """Return the operation of an instruction on integer registers and memory.

    None where it is not emulated, as for floating-point results.
    """
    if name == "CDQE":
        return Action("MOVSX", 0, 8, 0, 4, 0, None)
    last = instruction.op_count - 1
    if last < 0 or name not in _OPERATIONS or (last == 2 and name != "IMUL"):
        return None
    target, size = _place(instruction, 0)
    if target == NOWHERE:
        return None
    if name == "LEA":
        return Action(name, target, size, NOWHERE, size, 0, _lea(instruction))
    if last == 0:
        return Action(name, target, size, target, size, 0, None)
    source, source_size = _place(instruction, 1)
    constant = 0
    if instruction.op_kind(last) in _IMMEDIATES:
        constant = instruction.immediate(last)
        if last == 1:
            source, source_size = CONSTANT, size
        else:
            name = "IMUL3"
    return (
        None
        if source == NOWHERE
        else Action(name, target, size, source, source_size, constant, None)
    )


def _place(instruction: Any, which: int) -> tuple[int, int]:
    """Return the register (MEMORY, or NOWHERE where it is not tracked) and size of an operand."""
    kind = instruction.op_kind(which)
    if kind == ix.OpKind.MEMORY:
        return MEMORY, int(ix.MemorySizeExt.size(instruction.memory_size))
    if kind == ix.OpKind.REGISTER:
        number, size = register_number(instruction.op_register(which))
        return (number if 0 <= number < 16 else NOWHERE), size
    return NOWHERE, 8


def _lea(instruction: Any) -> Place:
    base, index = (
        register_number(instruction.memory_base)[0],
        register_number(instruction.memory_index)[0],
    )
    return Place(
        base if base >= 0 else NOWHERE,
        index if index >= 0 else NOWHERE,
        instruction.memory_index_scale,
        instruction.memory_displacement,
        8,
    )
