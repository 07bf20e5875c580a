"""One instruction analysed: what it reads, writes, computes and costs."""

from __future__ import annotations

from typing import Any

import iced_x86 as ix

from udfs.throughput import costs
from udfs.throughput.actions import action
from udfs.throughput.instructions import FLAG_C, NOWHERE, RSP, VECTORS, Instruction
from udfs.throughput.operands import (
    Registers,
    in_registers,
    memory_used,
    operand_size,
    register_number,
    registers_used,
    same_operands,
    vector_size,
)
from udfs.throughput.support import is_x87, support
from udfs.throughput.x86_core import NOTHING, Core, front_end

_MNEMONICS = {
    value: name
    for name, value in vars(ix.Mnemonic).items()
    if isinstance(value, int) and name.isupper()
}


# Shapes cached over all calls for a core.
_MAX_SHAPES = 1 << 16
_FACTORY = ix.InstructionInfoFactory()


def analyse_cached(instruction: Any, core: Core) -> tuple[Instruction, Instruction]:
    """Return the shape of an instruction, and the instruction with its displacement and constant.

    Instructions that differ in these only have the same shape.
    """
    key = (
        *(instruction.code, instruction.len, instruction.op0_register, instruction.op1_register),
        *(instruction.op2_register, instruction.op3_register, instruction.memory_base),
        *(instruction.memory_index, instruction.memory_index_scale),
        *(instruction.memory_displ_size, instruction.has_lock_prefix),
        instruction.has_rep_prefix + 2 * instruction.has_repne_prefix,
    )
    shape: Instruction | None = core.shapes.get(key)
    if shape is None:
        if len(core.shapes) >= _MAX_SHAPES:
            core.shapes.clear()
        shape = core.shapes[key] = analyse(instruction, _FACTORY, core)
    return shape, _with_operands(shape, instruction)


def _with_operands(shape: Instruction, instruction: Any) -> Instruction:
    computed = shape.action and action(instruction, shape.name)
    loads, stores = shape.loads, shape.stores
    if instruction.memory_displ_size and (loads or stores):
        if shape.pushes or len(loads) > 1 or len(stores) > 1:
            loads, stores, _ = memory_used(_FACTORY.info(instruction))
        else:
            offset = instruction.memory_displacement
            offset = offset - (1 << 64) if offset >> 63 else offset
            place = (loads or stores)[0]._replace(offset=offset)
            loads, stores = (place,) * len(loads), (place,) * len(stores)
    elif not computed:
        return shape
    return shape._replace(loads=loads, stores=stores, action=computed)


def analyse(instruction: Any, factory: Any, core: Core) -> Instruction:
    """Return the properties of an instruction that the models need.

    Args:
        instruction: decoded (iced_x86.Instruction).
        factory: iced_x86.InstructionInfoFactory.
        core: the core that executes it.
    """
    name = core.family(_MNEMONICS[instruction.mnemonic])
    info = factory.info(instruction)
    loads, stores, address = memory_used(info)
    reads, writes = registers_used(info, instruction, address)
    vector = any(VECTORS <= r < NOWHERE for r in (*reads, *writes))
    size = operand_size(instruction)
    idiom, eliminated, reads = _renamed(name, instruction, size, reads)
    form = costs.form_of(name, instruction, loads=bool(loads), stores=bool(stores), vector=vector)
    cost = NOTHING if idiom or eliminated else costs.cost(core, name, form)
    stack = instruction.is_stack_instruction
    priced = "" if idiom or eliminated else form
    # What an instruction costs on the core's relative is no bound.
    is_own = core.has_measured(priced)
    is_sure = is_own and core.known(name)
    return Instruction(
        name=name,
        form=instruction.code,
        form_name=form,
        length=instruction.len,
        unit=cost.unit,
        uops=cost.uops,
        latency=cost.latency,
        busy=cost.busy,
        macro=front_end(cost),
        least_share=cost.least_share if is_own else 0.0,
        least_latency=cost.least_latency if is_own else 0,
        # A constant of 16 bits delays the decoders, which loops need not pass again.
        least_extra=cost.least_extra if is_sure and not form.endswith(" i16") else 0,
        address=address,
        sources=reads,
        targets=writes,
        loads=loads,
        stores=stores,
        action=action(instruction, name),
        written=tuple(r for r in writes if r < FLAG_C),
        moved=instruction.stack_pointer_increment if stack else 0,
        pops=instruction.fpu_stack_increment_info().increment if is_x87(instruction) else None,
        eliminated=eliminated,
        idiom=idiom,
        vector=vector,
        wide=vector_size(instruction),
        kind=costs.kind(core, name, vector=vector, memory=bool(loads or stores)),
        operand=size,
        locked=instruction.has_lock_prefix or (name == "XCHG" and bool(stores)),
        repeated=instruction.has_rep_prefix or instruction.has_repne_prefix,
        pushes=stack,
        frames=not stack and RSP in (*reads, *address, *writes),
        support=support(instruction, name, priced, core),
    )


def _renamed(
    name: str, instruction: Any, size: int, reads: Registers
) -> tuple[bool, bool, Registers]:
    """Return whether it is a zero idiom, whether an eliminated move, and the registers it reads."""
    if name in costs.UNARY:
        last = instruction.op_count - 1
        if instruction.op_kind(last) != ix.OpKind.REGISTER:
            return False, False, ()
        return False, False, (register_number(instruction.op_register(last))[0],)
    if not in_registers(instruction):
        return False, False, reads
    if name == "SBB" and same_operands(instruction):
        return False, False, (FLAG_C,)
    if name in costs.ZERO_IDIOMS and size >= 4 and same_operands(instruction):
        return True, False, ()
    return False, name in costs.MOVES and size >= 4, reads
