"""Cost and class of an instruction in a given form."""

from __future__ import annotations

from typing import Any

import iced_x86 as ix

from udfs.throughput.operands import in_registers, operand_size, vector_size
from udfs.throughput.x86_core import NOTHING, Core, Cost


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


MOVES = _names("MOV MOVAPS MOVAPD MOVUPS MOVUPD MOVDQA MOVDQU")
ZERO_IDIOMS = _names(
    "XOR SUB PXOR XORPS XORPD PSUBB PSUBW PSUBD PSUBQ PCMPGTB PCMPGTW PCMPGTD PCMPGTQ PANDN "
    "ANDNPS ANDNPD PCMPEQB PCMPEQW PCMPEQD PCMPEQQ"
)
# The upper part of their result comes from another register, but does not wait for it.
UNARY = _names("CVTSI2SD CVTSI2SS CVTSS2SD CVTSD2SS SQRTSS SQRTSD RCPSS RSQRTSS ROUNDSS ROUNDSD")
_TRANSFERS = MOVES | _names(
    "MOVSS MOVSD MOVQ MOVD LDDQU MOVZX MOVSX MOVSXD PUSH POP MOVNTI MOVNTPS MOVNTDQ FLD FST "
    "FSTP FILD FISTP MOVBE BROADCASTSS BROADCASTSD MOVLPS MOVHPS MOVLPD MOVHPD MOVDDUP"
)
_BRANCHES = _names("JCC JMP CALL RET LOOP JRCXZ JECXZ")
# Named after floating-point types, but without floating-point arithmetic.
_LOGIC = _names(
    "ANDPS ANDPD ANDNPS ANDNPD ORPS ORPD XORPS XORPD MOVAPS MOVAPD MOVUPS MOVUPD MOVSS MOVSD "
    "MOVLPS MOVHPS MOVLPD MOVHPD MOVNTPS MOVNTPD SHUFPS SHUFPD MOVMSKPS MOVMSKPD INSERTPS "
    "PERMILPS PERMILPD PERMPS PERMPD BLENDPS BLENDPD BROADCASTSS BROADCASTSD UNPCKLPS UNPCKHPS "
    "UNPCKLPD UNPCKHPD BLENDVPS BLENDVPD"
)
_FLOATING = ("SS", "SD", "PS", "PD")


def cost(core: Core, name: str, form: str) -> Cost:
    """Return the cost of an instruction without its loads and stores, by family and form."""
    return core.row(form) or core.cost(name) if form else NOTHING


def form_of(name: str, instruction: Any, *, loads: bool, stores: bool, vector: bool) -> str:
    """Return the form of an instruction, as tables name it; empty where it only accesses memory.

    Args:
        name: its family, as in the table of the core.
        instruction: decoded by iced_x86.
        loads, stores: whether it reads and writes memory.
        vector: whether it uses vector or x87 registers.
    """
    if instruction.has_lock_prefix or (name == "XCHG" and stores):
        return "LOCK"
    if not vector and (instruction.has_rep_prefix or name in ("MOVSD", "MOVSB", "MOVSQ")):
        return "REP" if instruction.has_rep_prefix else "STRING"
    if name in _TRANSFERS and (loads or stores):
        through = loads and not stores and not vector and _merges(name, instruction)
        return "merged load" if through else ""
    if any(instruction.op_kind(k) == ix.OpKind.IMMEDIATE16 for k in range(instruction.op_count)):
        return f"{name} i16"
    if name in _BITS and loads and instruction.op1_kind == ix.OpKind.REGISTER:
        return f"{name} m,r"
    return f"{name} {_operands(name, instruction, loads)}".rstrip()


# A register can name a bit of any word after the address.
_BITS = ("BT", "BTS", "BTR", "BTC")
_ROTATED_BY_ONE = frozenset(
    value
    for name, value in vars(ix.Code).items()
    if name.startswith(("RCL_", "RCR_")) and name.endswith("_1")
)


def _operands(name: str, instruction: Any, loads: bool) -> str:
    """Return what matters of the operands: their kinds, or their bits where wide or divided."""
    if name == "LEA":
        three = instruction.memory_base and instruction.memory_index
        return "b+i+d" if three and instruction.memory_displ_size else ""
    if name in ("DIV", "IDIV"):
        return str(8 * operand_size(instruction))
    if not loads and in_registers(instruction):
        if name == "XCHG":
            return "r,r" if operand_size(instruction) >= 4 else ""
        if name in ("MOVD", "MOVQ"):
            return _between_files(instruction)
    if name in _COUNTED and not loads and instruction.op0_kind == ix.OpKind.REGISTER:
        return "r" if in_registers(instruction) else "i"
    return _kind_or_width(name, instruction, loads)


def _kind_or_width(name: str, instruction: Any, loads: bool) -> str:
    if name.startswith("CVTSI2") and loads:
        return "m"
    if instruction.code in _ROTATED_BY_ONE:
        return "1"
    wide = vector_size(instruction)
    return str(8 * wide) if wide > _NARROW and name not in ("MOVD", "MOVQ") else ""


# Cores can add small constants when they rename registers.
_COUNTED = ("ADD", "SUB", "INC", "DEC")
# Bytes of vectors that have no form of their own.
_NARROW = 16


def _between_files(instruction: Any) -> str:
    """Return x,r and r,x for a move between integer and vector registers; empty for others."""
    is_vector = ix.RegisterExt.is_vector_register
    target, source = is_vector(instruction.op0_register), is_vector(instruction.op1_register)
    return "" if target == source else "x,r" if target else "r,x"


def _merges(name: str, instruction: Any) -> bool:
    """Return whether a load uses an arithmetic unit: sign extension, and partial registers."""
    return name in ("MOVSX", "MOVSXD") or (name == "MOV" and operand_size(instruction) < 4)


def kind(core: Core, name: str, *, vector: bool, memory: bool) -> str:
    """Return the class of the instruction mix: int, fp, simd, branch, other; move for transfers."""
    if name in _BRANCHES:
        return "branch"
    if name in _TRANSFERS and memory:
        return "move"
    if not core.known(name) or core.cost(name).unit in ("none", "all"):
        return "other"
    if not vector:
        return "int"
    floating = name.endswith(_FLOATING) or name == "FMA" or name.startswith(("F", "CVT"))
    return "fp" if floating and name not in _LOGIC else "simd"
