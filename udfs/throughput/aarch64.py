"""Decoding of AArch64 machine code: what each word reads and writes, and its form.

The disassembler is capstone. Which of the registers that it names are read and which are written is
decided here, by the classes of the Arm Architecture Reference Manual (C4.1, C6, C7): its own lists
leave out what some instructions read and write (vector accumulators, atomics) and add what others
do not (comparisons, shifts).
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import capstone
from capstone import arm64

Registers = tuple[str, ...]
# Registers written, registers read, and the accumulator.
Roles = tuple[list[str], list[str], str]


class Place(NamedTuple):
    """Memory that is read or written: `parts` of `size` bytes from an offset to a base on.

    `is_updated`: the base is updated before the access.
    """

    base: str
    offset: int
    size: int
    parts: int
    is_updated: bool


class Word(NamedTuple):
    """One instruction.

    `form` is mnemonic and kinds of operands, by which tables of cores name it: `add x.x.x+lsl`,
    `fmla 4s.4s.4s`, `ldr q.m+index`, `ldp x.x.m!` (w, x: integer registers; b, h, s, d, q: scalar
    ones; 8b .. 2d: vectors, with [] an element; #: a constant; m: memory; ! updates its base;
    +lsl: shifted left by up to 4, +shift: in other ways, +extend: extended). Instructions of SVE
    have the names of others, so that theirs begin with sve: `sve fadd z.z.z`.
    `sources` registers read as data or address, `accumulator` the one that is added to (empty where
    there is none; not among the sources), `targets` registers written, `base` the address register
    that is updated (empty where none is), `step` a register that is added to it. `place`: what
    plain loads and stores access, None where an index is added. `is_system`: no steady state is
    known of it; `is_barrier`: it waits for others.
    """

    form: str
    sources: Registers
    accumulator: str
    targets: Registers
    base: str
    step: Registers
    loads: bool
    stores: bool
    place: Place | None
    is_system: bool
    is_barrier: bool


_BARRIERS = frozenset(("dmb", "dsb", "isb", "sb", "ssbb", "pssbb", "csdb", "esb", "tsb", "psb"))
_SYSTEM = _BARRIERS | frozenset(
    (
        *("svc", "hvc", "smc", "brk", "hlt", "udf", "dcps1", "dcps2", "dcps3", "eret", "drps"),
        *("mrs", "msr", "sys", "sysl", "dc", "ic", "at", "tlbi", "wfe", "wfi", "wfet", "wfit"),
        *("clrex", "tcommit", "tstart", "tcancel", "ttest", "cfp", "cpp", "dvp"),
    )
)
_PLAIN_ACCESS = re.compile(r"(?:ld|st)(?:u|t|n)?(?:r|p)(s?[bh]|sw)?")
_SIZES = {"b": 1, "h": 2, "w": 4, "s": 4, "x": 8, "d": 8, "q": 16}
_NO_TARGET = re.compile(r"cmp|cmn|tst|ccm[pn]|fc?cmpe?|b|b\..+|cbn?z|tbn?z|br|blr?|ret|prfu?m")
_ATOMIC = re.compile(r"(ld|st)(add|clr|eor|set|[su]max|[su]min)(a|l|al)?[bh]?|swp.*|cas.*")
_EXCLUSIVE_STORE = re.compile(r"stl?x[rp][bh]?")
_MULTIPLE = re.compile(r"(ld|st)[1-4]r?")
# The target is read, too: bit fields, vector accumulators, insertion, upper halves, AES and SHA.
_UPDATES = re.compile(
    r"movk|bfi|bfxil|bfm|bfc|bsl|bit|bif|tbx|sli|sri|ins|[us]r?sra|suqadd|usqadd|[su]dot|usdot"
    r"|fml[as].*|ml[as]|[us]ml[as]l2?|sqdml[as]l2?|sqrdml[as]h|[us]abal?2?|[us]adalp|fcmla"
    r"|bfdot|[us]mmla|usmmla|bfmmla"
    r"|(xtn|shrn|rshrn|[su]qxtn|sqxtun|[su]qr?shrn|sqr?shrun|fcvtn|fcvtxn|r?addhn|r?subhn)2"
    r"|aes[ed]|sha1.*|sha256.*|sha512.*"
)
_ACCUMULATES = re.compile(
    r"fml[as]|ml[as]|[us]ml[as]l2?|sqdml[as]l2?|sqrdml[as]h|[us]abal?2?|[us]adalp|[us]r?sra"
    r"|[su]dot"
)
# Scalar ones whose accumulator is the last operand.
_LAST = re.compile(r"madd|msub|[us]m(add|sub)l|fn?m(add|sub)")
_ARRANGEMENTS = {
    value: name.removeprefix("ARM64_VAS_").lower()
    for name, value in vars(arm64).items()
    if name.startswith("ARM64_VAS_") and value
}
_NAMES = {"fp": "x29", "lr": "x30", "wsp": "sp"}
_CHEAP_SHIFT = 4  # bits of a left shift that is part of the operation
# Half of all words are some instruction: fewer of them say little.
_PLAIN = 2
# Words cached over all calls.
_MAX_WORDS = 1 << 16

_disassembler = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)
_disassembler.detail = True
_words: dict[bytes, Word | None] = {}


def decode(code: bytes) -> list[Word] | None:
    """Return the instructions of a block; None where it is empty or not AArch64 throughout."""
    words = [_decoded(code[at : at + 4]) for at in range(0, len(code), 4)]
    if not words or len(code) % 4 or None in words:
        return None
    return [word for word in words if word]


def texts(code: bytes) -> list[str]:
    """Return the instructions of a block as assembly."""
    return [f"{i.mnemonic} {i.op_str}".rstrip() for i in _disassembler.disasm(code, 0)]


def is_plain(code: bytes) -> bool:
    """Return whether code is AArch64 throughout, of two instructions and more for programs."""
    words = decode(code) or []
    return len(words) >= _PLAIN and not any(word.is_system for word in words)


def _decoded(word: bytes) -> Word | None:
    if word not in _words:
        if len(_words) >= _MAX_WORDS:
            _words.clear()
        instruction = next(_disassembler.disasm(word, 0), None)
        _words[word] = None if instruction is None else _word(instruction)
    return _words[word]


def _word(i: Any) -> Word:
    name = i.mnemonic
    operands = list(i.operands)
    at = next((k for k, o in enumerate(operands) if o.type == arm64.ARM64_OP_MEM), len(operands))
    before = _registers(i, operands[:at])
    # After the memory operand comes what a post-indexed access adds to its base.
    after = operands[at + 1 :]
    step = _registers(i, after)
    address = [
        _register(i, r) for o in operands[at : at + 1] for r in (o.mem.base, o.mem.index) if r
    ]
    base = address[0] if address and (i.writeback or step) else ""
    memory = bool(address) or (name.startswith("ldr") and at == len(operands))
    form = _form(i, operands)
    roles = _memory_roles if memory else _data_roles
    targets, sources, accumulator = roles(name, before, form)
    reads, writes = _implied(i)
    atomic = bool(_ATOMIC.fullmatch(name))
    return Word(
        form=form,
        sources=_real([*sources, *reads, *address]),
        accumulator=accumulator if accumulator not in ("", "zr") else "",
        targets=_real([*targets, *writes]),
        base=base,
        step=_real(step),
        loads=memory and (atomic or name.startswith("ld")),
        stores=memory and (atomic or name.startswith("st")),
        place=_place(i, operands[at], address, bool(base and not after)) if address else None,
        is_system=name in _SYSTEM,
        is_barrier=name in _BARRIERS,
    )


def _implied(i: Any) -> tuple[list[str], list[str]]:
    """Return the flags and the link register that are read and written without being named."""
    name, (reads, writes) = i.mnemonic, i.regs_access()
    read = {
        "nzcv": arm64.ARM64_REG_NZCV in reads and not name.startswith(("cb", "tb")),
        "x30": name == "ret" and not i.operands,
    }
    written = {"nzcv": arm64.ARM64_REG_NZCV in writes, "x30": name in ("bl", "blr")}
    return [r for r, is_read in read.items() if is_read], [r for r, w in written.items() if w]


def _place(i: Any, operand: Any, address: list[str], is_updated: bool) -> Place | None:
    """Return what a load or store accesses; None for those other than plain ones."""
    plain = _PLAIN_ACCESS.fullmatch(i.mnemonic)
    if not plain or len(address) > 1:
        return None
    part = plain[1] or ""
    size = _SIZES.get(part.removeprefix("s")[0] if part else _kind(i, i.operands[0])[0])
    if size is None:
        return None  # a register of SVE, whose size is the machine's
    offset = 0 if is_updated else operand.mem.disp
    return Place(address[0], offset, size, 1 + (plain[0][2:].strip("n")[0] == "p"), is_updated)


def _memory_roles(name: str, registers: list[str], form: str) -> Roles:
    """Return the roles of the registers before the memory operand of a load or store."""
    if _ATOMIC.fullmatch(name):
        if name.startswith("cas"):
            return registers[: len(registers) // 2], registers, ""
        return ([] if name.startswith("st") else registers[1:]), registers, ""
    if _EXCLUSIVE_STORE.fullmatch(name):
        return registers[:1], registers[1:], ""
    if not name.startswith("ld"):
        return [], registers, ""
    is_lane = _MULTIPLE.fullmatch(name) and "[]" in form
    return registers, (registers[:] if is_lane else []), ""


def _data_roles(name: str, registers: list[str], form: str) -> Roles:
    """Return the roles of the registers of an instruction without memory operand."""
    if _NO_TARGET.fullmatch(name):
        return [], registers, ""
    target, rest = registers[:1], registers[1:]
    if _LAST.fullmatch(name):
        return target, rest[:-1], rest[-1]
    if name.startswith("crc32") or name in ("aesmc", "aesimc"):
        return target, rest[1:], rest[0]
    operands = form.rpartition(" ")[2]
    if _ACCUMULATES.fullmatch(name):
        return target, rest, target[0]
    inserts = re.match(r"[bhsdv]\[\]", operands)
    immediate = name in ("orr", "bic") and re.fullmatch(r"\d\w\.#", operands)
    updates = _UPDATES.fullmatch(name) or inserts or immediate
    return target, ([*rest, *target] if updates else rest), ""


def _registers(i: Any, operands: list[Any]) -> list[str]:
    return [_register(i, o.reg) for o in operands if o.type == arm64.ARM64_OP_REG]


def _register(i: Any, register: int) -> str:
    """Return the whole register's name: x0 .. x30, sp, v0 .. v31; zr for the zero register."""
    name: str = i.reg_name(register)
    name = _NAMES.get(name, name)
    if name in ("xzr", "wzr"):
        return "zr"
    if name[0] == "w":
        return f"x{name[1:]}"
    return f"v{name[1:]}" if name[0] in "bhsdqv" and name != "sp" else name


def _real(registers: list[str]) -> Registers:
    return tuple(dict.fromkeys(r for r in registers if r != "zr"))


def _form(i: Any, operands: list[Any]) -> str:
    kinds = []
    for operand in operands:
        if operand.type == arm64.ARM64_OP_REG:
            kinds.append(_kind(i, operand))
        elif operand.type == arm64.ARM64_OP_MEM:
            kinds.append(f"m{'+index' if operand.mem.index else ''}{'!' if i.writeback else ''}")
            break
        else:
            kinds.append("#")
    lane = next((kind for kind in kinds if kind.endswith("[]")), "")
    if lane and _MULTIPLE.fullmatch(i.mnemonic):
        # The disassembler names the element at the last of the registers only.
        kinds = [kind if kind[0] == "m" else lane for kind in kinds]
    sve = "sve " if any(_is_scalable(i, o) for o in operands) else ""
    return f"{sve}{i.mnemonic} {'.'.join(kinds)}".rstrip()


def _is_scalable(i: Any, operand: Any) -> bool:
    """Return whether an operand is a vector or predicate of SVE."""
    named = operand.type == arm64.ARM64_OP_REG and i.reg_name(operand.reg)
    return bool(named and re.fullmatch(r"[zp]\d+", named))


def _kind(i: Any, operand: Any) -> str:
    """Return the kind of a register operand, as in `Word.form`."""
    if operand.vas:
        name = _ARRANGEMENTS[operand.vas]
        return f"{name.lstrip('1')}[]" if operand.vector_index >= 0 else name
    name = i.reg_name(operand.reg)
    name = "x" if name in ("sp", "fp", "lr") else name[0]
    if operand.vector_index >= 0:
        return f"{name}[]"
    if operand.ext:
        return f"{name}+extend"
    if operand.shift.type and operand.shift.value:
        left = operand.shift.type == arm64.ARM64_SFT_LSL and operand.shift.value <= _CHEAP_SHIFT
        return f"{name}+{'lsl' if left else 'shift'}"
    return str(name)
