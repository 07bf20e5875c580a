"""What the modelled core lacks, or the model knows nothing of: flags of machine code.

Instruction sets are those that the disassembler names (iced_x86.CpuidFeature); what Zen 3 has of
them is from AMD's Software Optimization Guide for family 19h (publication 56665).
"""

from __future__ import annotations

from typing import Any

import iced_x86 as ix

# Sets of instructions by the beginning of their names that Zen 3 lacks.
_LACKING = (
    *("AVX512", "AVX_VNNI", "AVX_IFMA", "AVX_NE", "AMX", "GFNI", "KNC", "MPX", "HLE", "RTM", "TSX"),
    *("XOP", "FMA4", "TBM", "LWP", "D3NOW", "CYRIX", "PADLOCK", "CENTAUR", "SHA512", "SM3", "SM4"),
    *("ENQCMD", "MOVDIR", "SERIALIZE", "WAITPKG", "CLDEMOTE", "PTWRITE", "KL", "AESKLE", "WIDE_KL"),
    *(
        "UINTR",
        "HRESET",
        "SGX",
        "SMX",
        "VMX",
        "INVEPT",
        "INVVPID",
        "TDX",
        "FRED",
        "LKGS",
        "RAO_INT",
    ),
    *("CMPCCXADD", "MSRLIST", "WRMSRNS", "PREFETCHIT", "PREFETCHWT1", "PCONFIG", "PCOMMIT", "IA64"),
    *("UDBG", "UMOV", "MOV_TR", "CL1INVMB", "OSS", "INTEL286_ONLY", "INTEL8086_ONLY"),
)
_NAMES = {value: name for name, value in vars(ix.CpuidFeature).items() if isinstance(value, int)}
_NOT_ON_CORE = frozenset(value for value, name in _NAMES.items() if name.startswith(_LACKING))
_X87 = frozenset(
    value for value, name in _NAMES.items() if name.startswith(("FPU", "MMX", "SSE4A"))
)
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
# Flags without a prediction, in the order of their weight, then one that only widens the band.
NO_PREDICTION = ("other_isa", "not_on_core", "system_instruction")
POOR_SUPPORT = "poor_support"

# The last bytes, the highest, of frequent AArch64 instructions (Arm Architecture Reference Manual
# for A-profile, C4.1): moves, additions, comparisons, loads and stores, branches, vectors.
_AARCH64 = frozenset(
    bytes.fromhex(
        "0b 2b 4b 6b 8b ab cb eb 11 31 51 71 91 b1 d1 f1 0a 2a 4a 6a 8a aa ca ea 12 32 52 72 92 b2"
        "d2 f2 13 53 93 d3 1a 5a 7a 9a da fa 1b 9b 38 39 78 79 b8 b9 f8 f9 28 29 a8 a9 2d 3d 6d ad"
        "bc bd fc fd 14 17 34 35 36 37 54 94 97 b4 b5 b6 b7 d4 d5 d6 1e 0e 2e 4e 6e b0 d0 f0"
    )
)
# Shorter code has such bytes by chance; of 27,000 blocks of x86-64 6 are as these.
_WORDS = 4


def support(instruction: Any) -> str:
    """Return the flag of an instruction of x86-64; empty where the core and the model know it."""
    features = instruction.cpuid_features()
    if any(feature in _NOT_ON_CORE for feature in features):
        return "not_on_core"
    if instruction.is_privileged or instruction.mnemonic in _SYSTEM:
        return "system_instruction"
    return POOR_SUPPORT if any(feature in _X87 for feature in features) else ""


def is_like_aarch64(code: bytes) -> bool:
    """Return whether code consists of words as frequent in AArch64 and rare in x86-64."""
    words = len(code) // 4
    return len(code) % 4 == 0 and words >= _WORDS and all(b in _AARCH64 for b in code[3::4])
