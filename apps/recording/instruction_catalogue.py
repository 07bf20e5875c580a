"""One instruction of each form that tables of cores have, in registers, for a core to be measured.

Pieces of programs have the forms that compilers choose; code by hand has others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import iced_x86 as ix

# Registers by the beginning of the operand's kind (iced_x86.OpCodeOperandKind), or all of it.
_REGISTERS = (
    *(("R8_", ix.Register.R8L), ("R16_", ix.Register.R8W), ("R32_", ix.Register.R8D)),
    *(("R64_", ix.Register.R8), ("XMM_", ix.Register.XMM8), ("YMM_", ix.Register.YMM8)),
    *(("ZMM_", ix.Register.ZMM8), ("CL", ix.Register.CL), ("XMM0", ix.Register.XMM0)),
)
_IMMEDIATES = {
    "IMM8": "immediate8",
    "IMM8SEX16": "immediate8to16",
    "IMM8SEX32": "immediate8to32",
    "IMM8SEX64": "immediate8to64",
    "IMM16": "immediate16",
    "IMM32": "immediate32",
    "IMM32SEX64": "immediate32to64",
}
_KINDS = {v: k for k, v in vars(ix.OpCodeOperandKind).items() if isinstance(v, int)}
_OPERANDS = {k: v for k, v in vars(ix.OpKind).items() if isinstance(v, int)}
_ENCODINGS = (ix.EncodingKind.LEGACY, ix.EncodingKind.VEX, ix.EncodingKind.EVEX)


def instructions() -> Iterator[Any]:
    """Yield instructions of x86-64 (iced_x86.Instruction) whose operands are registers or 1."""
    for name, code in vars(ix.Code).items():
        if isinstance(code, int) and name.isupper() and (made := _made(code)) is not None:
            yield made


def _made(code: int) -> Any | None:
    """Return an instruction by its code; None where an operand is of another kind."""
    info = ix.OpCodeInfo(code)
    usable = info.is_instruction and info.mode64 and info.encoding in _ENCODINGS
    if not usable or not info.op_count:
        return None
    made = ix.Instruction()
    made.code = code
    for place in range(info.op_count):
        kind = _KINDS[info.op_kind(place)]
        register = next((r for start, r in _REGISTERS if _is_of(kind, start)), None)
        if register is not None:
            made.set_op_kind(place, ix.OpKind.REGISTER)
            made.set_op_register(place, register)
        elif kind in _IMMEDIATES:
            attribute = _IMMEDIATES[kind]
            made.set_op_kind(place, _OPERANDS[attribute.upper()])
            setattr(made, attribute, 1)
        else:
            return None
    try:
        encoder = ix.Encoder(64)
        encoder.encode(made, 0)
    except ValueError:
        return None
    decoded = next(iter(ix.Decoder(64, encoder.take_buffer())))
    return decoded if decoded.code == code else None


def _is_of(kind: str, start: str) -> bool:
    return kind.startswith(start) if start.endswith("_") else kind == start
