"""Cost and class of an instruction in a given form."""

from __future__ import annotations

from typing import Any

import iced_x86 as ix

from udfs.throughput import zen3
from udfs.throughput.operands import in_registers, operand_size


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
_NOTHING = zen3.Cost("none", 0, 0)
_DIVISION = {1: 5, 2: 6, 4: 6, 8: 8}


def cost(name: str, instruction: Any, *, loads: bool, stores: bool, vector: bool) -> zen3.Cost:
    """Return the cost of an instruction without its loads and stores.

    Args:
        name: as in the table of `zen3`.
        instruction: decoded by iced_x86.
        loads, stores: whether it reads and writes memory.
        vector: whether it uses vector or x87 registers.
    """
    if instruction.has_lock_prefix or (name == "XCHG" and stores):
        return zen3.Cost("all", 1, 8, 8, 4)
    if not vector and (instruction.has_rep_prefix or name in ("MOVSD", "MOVSB", "MOVSQ")):
        return zen3.Cost("all", 1, 25, 25, 10) if instruction.has_rep_prefix else _STRING
    if name in _TRANSFERS and (loads or stores):
        through = loads and not stores and not vector and _merges(name, instruction)
        return zen3.Cost("alu", 1, 1) if through else _NOTHING
    if name in _BITS and loads and instruction.op1_kind == ix.OpKind.REGISTER:
        return _BIT_OF_STRING
    return _of_form(name, instruction, loads)


_STRING = zen3.Cost("alu", 3, 1, 1, 2)
# The registers change their names.
_RENAMED = zen3.Cost("none", 0, 0, 1, 1)
# A register can name a bit of any word after the address.
_BITS = ("BT", "BTS", "BTR", "BTC")
_BIT_OF_STRING = zen3.Cost("alu", 12, 2)
_ROTATED_BY_ONE = frozenset(
    value
    for name, value in vars(ix.Code).items()
    if name.startswith(("RCL_", "RCR_")) and name.endswith("_1")
)


def _of_form(name: str, instruction: Any, loads: bool) -> zen3.Cost:
    """Return the cost of a computation: the table's, except for some forms."""
    if name.startswith("CVTSI2") and loads:
        return zen3.Cost("fp23", 1, 4)
    if instruction.code in _ROTATED_BY_ONE:
        return zen3.Cost("alu12", 1, 1)
    if name == "XCHG" and in_registers(instruction) and operand_size(instruction) >= 4:
        return _RENAMED
    common = zen3.cost(name)
    if name == "LEA":
        three = instruction.memory_base and instruction.memory_index
        return zen3.Cost("alu12", 1, 2) if three and instruction.memory_displ_size else common
    if name in ("DIV", "IDIV"):
        return common._replace(busy=_DIVISION.get(operand_size(instruction), common.busy))
    return _between_files(instruction) or common if name in ("MOVD", "MOVQ") else common


def _between_files(instruction: Any) -> zen3.Cost | None:
    """Return the cost of a move between integer and vector registers; None for other moves."""
    if not in_registers(instruction):
        return None
    is_vector = ix.RegisterExt.is_vector_register
    target, source = is_vector(instruction.op0_register), is_vector(instruction.op1_register)
    if target == source:
        return None
    return zen3.Cost("fp2", 1, 3) if target else zen3.Cost("fpstore", 1, 4)


def _merges(name: str, instruction: Any) -> bool:
    """Return whether a load uses an arithmetic unit: sign extension, and partial registers."""
    return name in ("MOVSX", "MOVSXD") or (name == "MOV" and operand_size(instruction) < 4)


def kind(name: str, *, vector: bool, memory: bool) -> str:
    """Return the class of the instruction mix: int, fp, simd, branch, other; move for transfers."""
    if name in _BRANCHES:
        return "branch"
    if name in _TRANSFERS and memory:
        return "move"
    if not zen3.known(name) or zen3.cost(name).unit in ("none", "all"):
        return "other"
    if not vector:
        return "int"
    floating = name.endswith(_FLOATING) or name == "FMA" or name.startswith(("F", "CVT"))
    return "fp" if floating and name not in _LOGIC else "simd"
