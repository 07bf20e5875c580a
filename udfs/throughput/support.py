"""Flags of machine code: what the modelled core lacks, or the model knows nothing of.

Instruction sets are those that the disassembler names (iced_x86.CpuidFeature).
"""

from __future__ import annotations

from typing import Any

import iced_x86 as ix

from udfs.throughput.x86_core import Core

_NAMES = {value: name for name, value in vars(ix.CpuidFeature).items() if isinstance(value, int)}
_X87 = frozenset(value for value, name in _NAMES.items() if name.startswith("FPU"))
_RARE = _X87 | {value for value, name in _NAMES.items() if name.startswith(("MMX", "SSE4A"))}
# Not privileged, but for the operating system, for timing or for caches: no steady state of theirs
# is known.
_SYSTEM = frozenset(
    getattr(ix.Mnemonic, name)
    for name in (
        *("SYSCALL", "SYSENTER", "SYSRET", "SYSRETQ", "SYSEXIT", "SYSEXITQ", "INT", "INT1", "INT3"),
        *("INTO", "IRET", "IRETD", "IRETQ", "UD0", "UD1", "UD2", "HLT", "CPUID", "RDPMC", "XGETBV"),
        *("CLFLUSH", "CLFLUSHOPT", "CLWB", "CLZERO", "MONITORX", "MWAITX", "RDPKRU", "WRPKRU"),
        *("SIDT", "SGDT", "SLDT", "SMSW", "STR", "VERR", "VERW", "LAR", "LSL", "IN", "OUT"),
        *("XSAVE", "XSAVE64", "XRSTOR", "XRSTOR64", "XSAVEC", "XSAVEC64", "XSAVEOPT", "XSAVEOPT64"),
        *("FXSAVE", "FXSAVE64", "FXRSTOR", "FXRSTOR64", "RDRAND", "RDSEED", "RDPRU", "MCOMMIT"),
        *("RDFSBASE", "RDGSBASE", "WRFSBASE", "WRGSBASE", "RDPID"),
    )
)
# Microcode of many cycles, most of it by its operands: functions of x87, gathers, stores by masks.
# No block of the training has them.
_MICROCODE = frozenset(
    getattr(ix.Mnemonic, name)
    for name in (
        *("FSIN", "FCOS", "FSINCOS", "FPTAN", "FPATAN", "FYL2X", "FYL2XP1", "F2XM1", "FPREM"),
        *("FPREM1", "FBLD", "FBSTP", "ENTER", "VGATHERDPS", "VGATHERDPD", "VGATHERQPS"),
        *("VGATHERQPD", "VPGATHERDD", "VPGATHERDQ", "VPGATHERQD", "VPGATHERQQ"),
        *("MASKMOVDQU", "VMASKMOVDQU", "MASKMOVQ", "POPF", "POPFQ", "STD"),
    )
)
# Microcode only where they store.
_MASKED = frozenset(
    getattr(ix.Mnemonic, name) for name in ("VMASKMOVPS", "VMASKMOVPD", "VPMASKMOVD", "VPMASKMOVQ")
)
# Flags without a prediction, in the order of their weight, then those that only widen the band.
NO_PREDICTION = (
    *("other_isa", "like_aarch64", "not_on_core", "system_instruction", "unknown_cycles"),
)
POOR_SUPPORT = "poor_support"
ASSUMED_ADDRESSES, DISTINCT_ARRAYS = "assumed_addresses", "distinct_arrays"


def support(instruction: Any, name: str, form: str, core: Core) -> str:
    """Return the flag of an instruction of x86-64; empty where the core and the model know it.

    `name` and `form` are as in the table of the core; the form is empty where it costs nothing.
    """
    features = instruction.cpuid_features()
    if core.lacks and any(_NAMES[feature].startswith(core.lacks) for feature in features):
        return "not_on_core"
    if instruction.is_privileged or instruction.mnemonic in _SYSTEM:
        return "system_instruction"
    is_repeated = instruction.is_string_instruction and (
        instruction.has_rep_prefix or instruction.has_repne_prefix
    )
    is_masked = instruction.mnemonic in _MASKED and instruction.op0_kind == ix.OpKind.MEMORY
    if is_repeated or is_masked or instruction.mnemonic in _MICROCODE:
        return "unknown_cycles"
    is_rare = not core.known(name) or any(feature in _RARE for feature in features)
    return POOR_SUPPORT if is_rare or not core.has_measured(form) else ""


def is_x87(instruction: Any) -> bool:
    """Return whether an instruction is of x87, whose registers are a stack."""
    return any(feature in _X87 for feature in instruction.cpuid_features())


def is_measurable(instruction: Any) -> bool:
    """Return whether a user's process can execute an instruction again and again, and time it."""
    is_repeated = instruction.has_rep_prefix or instruction.has_repne_prefix
    is_system = instruction.is_privileged or instruction.mnemonic in _SYSTEM
    return not (is_system or (is_repeated and instruction.is_string_instruction))
