"""Costs of instructions on a Zen 3 core: execution units, micro-operations and latencies.

Based on AMD's Software Optimization Guide for family 19h (publication 56665) and from
published measurements of single instructions (Abel and Reineke, "uops.info", ASPLOS 2019); fences
and instructions on single strings and flags as a Zen 4 core was measured.
Latencies are in cycles from the last operand to the result, without the load of a memory operand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DISPATCH = 6
LOAD_LATENCY, VECTOR_LOAD_LATENCY = 4, 7
# Cycles from a store's data to a load of the same address that is served by the store queue;
# for addresses by rsp or rbp, known early, the core renames the memory (memfile).
FORWARD, UPDATE_FORWARD, VECTOR_FORWARD = 6, 5, 9
RENAMED_FORWARD, FAILED_FORWARD = 0, 24
# Operations that can wait for their operands at the same time.
WINDOW = 96

# Ports: 0-3 arithmetic, 4-6 address generation, 7-10 floating point, 11 its stores and moves to
# integer registers, 12 integer divider, 13 floating-point divider, 14 everything at once.
PORTS = 15
STORES_INTEGER, STORES_VECTOR = "store", "vstore"
UNITS: dict[str, tuple[int, ...]] = {
    "none": (),
    "alu": (0, 1, 2, 3),
    "alu03": (3, 0),
    "alu12": (1, 2),
    "alu1": (1,),
    "idiv": (12,),
    "load": (4, 5, 6),
    "vload": (4, 5),
    "store": (6, 5),
    "fp": (7, 8, 9, 10),
    "fp01": (7, 8),
    "fp12": (8, 9),
    "fp23": (9, 10),
    "fp03": (7, 10),
    "fp0": (7,),
    "fp1": (8,),
    "fp2": (9,),
    "fpstore": (11,),
    "vstore": (11,),
    "fdiv": (13,),
    "all": (14,),
}
NAMES = tuple(UNITS)


class Cost(NamedTuple):
    """Cost of an instruction.

    `unit` a name in UNITS, `uops` how many operations run there, `latency`, `busy` cycles for which
    one occupies its unit, `extra` further macro-operations that only pass the front end.
    """

    unit: str
    uops: int
    latency: int
    busy: int = 1
    extra: int = 0


_ROWS = """
alu 1 1: ADD SUB AND OR XOR CMP TEST INC DEC NEG NOT MOV MOVZX MOVSX MOVSXD CDQ CQO CDQE CWDE CWD
alu 1 1: BSWAP LAHF SAHF CLC STC CMC ANDN BLSR BLSI BLSMSK BEXTR BZHI POPCNT LZCNT CBW LEA
alu 1 1: MOVNTI MOVBE SALC
alu12 1 1: SHL SHR SAR SAL ROL ROR RORX SHLX SHRX SARX BT
alu12 2 2: BTS BTR BTC
alu 2 2: TZCNT
alu12 4 3: BSF BSR
alu12 3 3: RCR
alu 9 4: RCL
alu03 1 1: ADC ADCX ADOX SBB SETCC CMOVCC JCC JMP CALL RET JRCXZ JECXZ LOOP
alu 4 1: XADD
alu 2 1: XCHG
alu1 1 3: IMUL
alu1 2 3: MUL
alu1 1 3: PDEP PEXT CRC32
alu 6 2: SHLD SHRD
none 0 0: NOP PUSH POP PREFETCHT0 PREFETCHT1 PREFETCHT2 PREFETCHNTA PREFETCHW PREFETCH CLFLUSH
none 0 0: ENDBR64 LEAVE VZEROUPPER
fp 1 1: ANDPS ANDPD ANDNPS ANDNPD ORPS ORPD XORPS XORPD PAND PANDN POR PXOR
fp 1 1: MOVAPS MOVAPD MOVUPS MOVUPD MOVDQA MOVDQU MOVSS MOVSD MOVQ LDDQU MOVNTDQ MOVNTPS MOVNTPD
fp03 1 1: PADDSB PADDSW PADDUSB PADDUSW PSUBSB PSUBSW PSUBUSB PSUBUSW PAVGB PAVGW
fp03 1 1: PCMPEQB PCMPEQW PCMPEQD PCMPEQQ PCMPGTB PCMPGTW PCMPGTD
fp 1 1: PADDB PADDW PADDD PADDQ PSUBB PSUBW PSUBD PSUBQ
fp03 1 1: PMINUB PMAXUB PMINSW PMAXSW PMINUD PMAXUD PMINSD PMAXSD PMINUW PMAXUW PMINSB PMAXSB
fp03 1 1: PABSB PABSW PABSD PSIGNB PSIGNW PSIGND PCMPGTQ
fp03 1 3: PMULLW PMULHW PMULHUW PMULUDQ PMULDQ PMADDWD PMADDUBSW PMULHRSW PSADBW
fp03 2 4: PMULLD
fp12 1 1: PSLLW PSLLD PSLLQ PSRLW PSRLD PSRLQ PSRAW PSRAD PSLLDQ PSRLDQ PSLLVD PSRLVD PSRAVD
fp12 1 1: SHUFPS SHUFPD UNPCKLPS UNPCKHPS UNPCKLPD UNPCKHPD PSHUFD PSHUFB PSHUFLW PSHUFHW PALIGNR
fp12 1 1: PUNPCKLBW PUNPCKLWD PUNPCKLDQ PUNPCKLQDQ PUNPCKHBW PUNPCKHWD PUNPCKHDQ PUNPCKHQDQ
fp12 1 1: PACKSSWB PACKSSDW PACKUSWB PACKUSDW MOVDDUP MOVSLDUP MOVSHDUP MOVHLPS MOVLHPS MOVLPS
fp12 1 1: MOVHPS MOVLPD MOVHPD INSERTPS PERMILPS PERMILPD PBLENDW PMOVZXBW PMOVSXBW PMOVZXBD
fp12 1 1: PMOVZXWD PMOVSXWD PMOVZXDQ PMOVSXDQ PMOVSXBD PBROADCASTB PBROADCASTW
fp12 1 1: BROADCASTSS BROADCASTSD PBROADCASTD PBROADCASTQ BROADCASTF128 BROADCASTI128
fp12 4 4: MPSADBW
fp 1 1: BLENDPS BLENDPD BLENDVPS BLENDVPD PBLENDVB PBLENDD
fp2 1 3: EXTRACTF128 EXTRACTI128 INSERTF128 INSERTI128 PERM2F128 PERM2I128
fp12 2 6: PERMPD PERMQ PERMPS PERMD
fp23 1 3: ADDSS ADDSD ADDPS ADDPD SUBSS SUBSD SUBPS SUBPD ADDSUBPS ADDSUBPD
fp01 1 1: MAXSS MAXSD MAXPS MAXPD MINSS MINSD MINPS MINPD CMPSS CMPSD CMPPS CMPPD
fp01 1 3: MULSS MULSD MULPS MULPD RCPSS RCPPS RSQRTSS RSQRTPS
fp01 1 4: FMA
fp23 1 3: ROUNDSS ROUNDSD ROUNDPS ROUNDPD CVTPS2DQ CVTTPS2DQ CVTDQ2PS
fp23 1 3: CVTSS2SD CVTSD2SS
fp23 2 4: CVTPS2PD CVTPD2PS CVTDQ2PD CVTPD2DQ CVTTPD2DQ
fp2 1 7: CVTSI2SD CVTSI2SS
fp23 2 7: CVTSD2SI CVTSS2SI CVTTSD2SI CVTTSS2SI
fp01 2 5: COMISS COMISD UCOMISS UCOMISD
fpstore 1 4: MOVMSKPS MOVMSKPD PMOVMSKB MOVD
fp12 2 5: PTEST TESTPS TESTPD PEXTRB PEXTRW PEXTRD PEXTRQ EXTRACTPS
fp12 2 2: PINSRB PINSRW PINSRD PINSRQ
fp23 4 7: HADDPS HADDPD HSUBPS HSUBPD
fp12 3 3: PHADDW PHADDD
fp01 8 14: DPPS DPPD
fp01 1 4: AESENC AESDEC AESENCLAST AESDECLAST PCLMULQDQ
fp12 4 9: PCMPISTRI PCMPISTRM
fp12 8 9: PCMPESTRI PCMPESTRM
fp23 1 6: FADD FADDP FSUB FSUBP FSUBR FSUBRP FIADD FISUB
fp01 1 6: FMUL FMULP FIMUL
fp01 1 1: FCOM FCOMP FCOMPP FUCOM FUCOMP FUCOMPP FCOMI FCOMIP FUCOMI FUCOMIP FTST FXAM
fp01 1 1: FLD FST FSTP FCHS FABS FXCH FLDZ FLD1 FLDL2E FLDPI FLDLN2 FLDLG2 FLDL2T
fp23 1 7: FILD FIST FISTP FISTTP
"""
_SINGLE = {
    "DIV": Cost("idiv", 1, 10, 6, 1),
    "IDIV": Cost("idiv", 1, 10, 6, 1),
    "DIVSS": Cost("fdiv", 1, 10, 3),
    "DIVPS": Cost("fdiv", 1, 10, 3),
    "DIVSD": Cost("fdiv", 1, 13, 5),
    "DIVPD": Cost("fdiv", 1, 13, 5),
    "SQRTSS": Cost("fdiv", 1, 14, 5),
    "SQRTPS": Cost("fdiv", 1, 14, 5),
    "SQRTSD": Cost("fdiv", 1, 20, 9),
    "SQRTPD": Cost("fdiv", 1, 20, 9),
    "FDIV": Cost("fdiv", 1, 15, 6),
    "FDIVP": Cost("fdiv", 1, 15, 6),
    "FDIVR": Cost("fdiv", 1, 15, 6),
    "FDIVRP": Cost("fdiv", 1, 15, 6),
    "FSQRT": Cost("fdiv", 1, 25, 20),
    "MULX": Cost("alu1", 1, 4, 1, 1),
    "CMPXCHG": Cost("alu", 3, 3, 1, 2),
    "MFENCE": Cost("all", 1, 60, 60),
    "LFENCE": Cost("all", 1, 17, 17),
    "SFENCE": Cost("all", 1, 2, 2),
    "CPUID": Cost("all", 1, 100, 100, 40),
    "RDTSC": Cost("all", 1, 36, 36, 36),
    "RDTSCP": Cost("all", 1, 40, 40, 36),
    "PAUSE": Cost("all", 1, 60, 60),
    "EMMS": Cost("fp", 1, 0),
    **dict.fromkeys(("CLD", "STOSB", "STOSW", "STOSD", "STOSQ"), Cost("all", 1, 3, 3)),
    "LDMXCSR": Cost("all", 1, 14, 14, 4),
    "STMXCSR": Cost("all", 1, 12, 12, 4),
    "FLDCW": Cost("all", 1, 17, 17, 4),
    "FNSTCW": Cost("all", 1, 2, 2, 1),
    "FNSTSW": Cost("all", 1, 10, 10, 4),
    "VZEROALL": Cost("all", 1, 10, 10, 18),
}
SERIALISING = frozenset(
    ("CPUID", "MFENCE", "LFENCE", "SERIALIZE", "RDTSCP", "IRET", "INVD", "WBINVD")
)
# For bounds, the least of what was measured on a Zen 3 core: costs that depend on values (division,
# conversion), on instructions nearby (what occupies the whole core), or that are known too roughly.
_LEAST_SHARES = {
    **dict.fromkeys(("DIV", "IDIV", "SQRTSD", "SQRTPD", "SQRTSS", "SQRTPS"), 0.85),
    **dict.fromkeys(("DIVSD", "DIVPD", "DIVSS", "DIVPS"), 0.89),
    "FSQRT": 0.7,
    "CVTPS2PD": 0.5,
    **dict.fromkeys(("PCMPESTRI", "PCMPESTRM"), 0.75),
    **dict.fromkeys(("UCOMISD", "UCOMISS", "COMISD", "COMISS"), 0.0),
    **dict.fromkeys(("PCMPEQB", "PMINUB"), 0.85),
    "MUL": 0.5,
    "MFENCE": 0.95,
}
# Cycles of a port that an access to memory and a simple operation take: up to 3.4 and 4.2 a cycle
# were measured.
LEAST_ACCESS, _LEAST_SIMPLE = 0.87, 0.95
LEAST_VECTOR_FORWARD, LEAST_FAILED_FORWARD = 4, 17
_UNKNOWN = Cost("alu", 2, 4, 1, 4)
_LEAST_LATENCIES = (
    *(("alu12", 2, 1), ("idiv", 10, 8), ("fp23", 7, 6), ("fp01", 5, 3)),
    *(("fp01", 14, 11), ("fp12", 3, 2), ("alu12", 4, 2), ("fpstore", 4, 3), ("fp12", 9, 6)),
    (_UNKNOWN.unit, _UNKNOWN.latency, 0),
)


def _table() -> dict[str, Cost]:
    table = dict(_SINGLE)
    for line in _ROWS.strip().splitlines():
        head, names = line.split(":")
        unit, uops, latency = head.split()
        for name in names.split():
            table.setdefault(name, Cost(unit, int(uops), int(latency)))
    return table


_COSTS = _table()
_CONDITIONS = (("SET", "SETCC"), ("CMOV", "CMOVCC"), ("J", "JCC"))
_FUSED = ("FMADD", "FMSUB", "FNMADD", "FNMSUB")


def family(mnemonic: str) -> str:
    """Return the name of a mnemonic in the table: without AVX's V, conditions as CC."""
    if mnemonic in _COSTS:
        return mnemonic
    plain = mnemonic[1:] if mnemonic[0] == "V" else mnemonic
    if plain.startswith(_FUSED):
        return "FMA"
    if plain in _COSTS:
        return plain
    for start, name in _CONDITIONS:
        if mnemonic.startswith(start):
            return name
    if plain.startswith("PMOV"):
        return "PMOVZXBW"
    return mnemonic


def cost(name: str) -> Cost:
    """Return the cost of a family; an average one where the table has none."""
    return _COSTS.get(name, _UNKNOWN)


def known(name: str) -> bool:
    """Return whether the table has the family."""
    return name in _COSTS


def least_share(name: str, unit: str, *, locked: bool) -> float:
    """Return the share of its cost that an instruction takes at least of its unit."""
    if locked:
        return 0.65
    if not known(name):
        return 0.0
    return _LEAST_SHARES.get(name, {"all": 0.0, "alu": _LEAST_SIMPLE}.get(unit, 1.0))


def least_latency(unit: NDArray[np.int64], latency: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the least latencies, cycles, by unit (a row of UNITS) and usual latency.

    Some of the sources of an address of three parts are added last, in one cycle; divisions depend
    on values; conversions, comparisons and horizontal additions are measured to be shorter than in
    published tables, and what occupies the whole core to overlap with others. Of instructions that
    the table does not have nothing is known.
    """
    least = latency.copy()
    for name, usual, fewest in _LEAST_LATENCIES:
        least[(unit == NAMES.index(name)) & (latency == usual)] = fewest
    least[unit == NAMES.index("all")] = 0
    return least
