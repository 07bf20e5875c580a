"""Blocks to measure a core by: pieces of the machine's own libraries, and made from these.

Each form of instruction that tables of cores or the pieces have is also measured alone: as it is,
each waiting for the one before (its registers made one), and not waiting (results in registers by
turns). Pieces with a counter and a taken branch behind them are loops.

Pieces of programs have the forms that compilers choose; code by hand has others: tables of cores
have those, too.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import iced_x86 as ix

from udfs.throughput.analysis import analyse_cached
from udfs.throughput.support import is_measurable
from udfs.throughput.x86_core import Core, core_of

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


# Shares of the blocks that are pieces of programs and loops of such; the rest are single forms.
_PIECES, _LOOPS = 0.5, 0.1
_LONGEST, _COPIES = 40, 6
# Decoding begins this many bytes before a piece, and is in step with the code by then.
_BEFORE, _WINDOW = 64, 512
_TRIES = 60
_SYSTEM_FILES, _LARGEST_FILE = 40, 1 << 24
_INFO = ix.InstructionInfoFactory()
# Values that go from a store to a load, and from one kind of unit to another, with loads and stores
# by themselves: code has few of each.
_PASSED_ON = """
488907488b07 mov [rdi],rax; mov rax,[rdi]
48894f08488b4f084801c1 mov [rdi+8],rcx; mov rcx,[rdi+8]; add rcx,rax
488b074801d8488907 mov rax,[rdi]; add rax,rbx; mov [rdi],rax
4889442408488b442408 mov [rsp+8],rax; mov rax,[rsp+8]
488b4424104801d84889442410 mov rax,[rsp+16]; add rax,rbx; mov [rsp+16],rax
48830701 add qword ptr [rdi],1
014704 add dword ptr [rdi+4],eax
488344240801 add qword ptr [rsp+8],1
ff07 inc dword ptr [rdi]
505b push rax; pop rbx
5058 push rax; pop rax
5351595b push rbx; push rcx; pop rcx; pop rbx
8907488b07 mov [rdi],eax; mov rax,[rdi]
880f8b0f mov [rdi],cl; mov ecx,[rdi]
6689078b07 mov [rdi],ax; mov eax,[rdi]
4889078b4704 mov [rdi],rax; mov eax,[rdi+4]
88070fb607 mov [rdi],al; movzx eax,byte ptr [rdi]
0f29070f2807 movaps [rdi],xmm0; movaps xmm0,[rdi]
0f28070f58c10f2907 movaps xmm0,[rdi]; addps xmm0,xmm1; movaps [rdi],xmm0
f20f1007f20f58c1f20f1107 movsd xmm0,[rdi]; addsd xmm0,xmm1; movsd [rdi],xmm0
0f115424100f105424100f59d1 movups [rsp+16],xmm2; movups xmm2,[rsp+16]; mulps xmm2,xmm1
488907f20f100766480f7ec0 mov [rdi],rax; movsd xmm0,[rdi]; movq rax,xmm0
0f2907488b0766480f6ec0 movaps [rdi],xmm0; mov rax,[rdi]; movq xmm0,rax
488b3f mov rdi,[rdi]
488b7f08488b3f mov rdi,[rdi+8]; mov rdi,[rdi]
488b040731c0 mov rax,[rdi+rax]; xor eax,eax
488b07488b5f08488b4f10488b5718 mov rax,[rdi]; mov rbx,[rdi+8]; mov rcx,[rdi+16]; mov rdx,[rdi+24]
0f28070f284f100f2857200f285f30 movaps xmm0..xmm3,[rdi], [rdi+16], [rdi+32], [rdi+48]
48890748895f0848894f4048895748 mov [rdi],rax; mov [rdi+8],rbx; mov [rdi+64],rcx; mov [rdi+72],rdx
0f29070f294f100f295740 movaps [rdi],xmm0; movaps [rdi+16],xmm1; movaps [rdi+64],xmm2
488b0748894640 mov rax,[rdi]; mov [rsi+64],rax
660f6ec0660f7ec0 movd xmm0,eax; movd eax,xmm0
66480f6ec0660fd4c166480f7ec0 movq xmm0,rax; paddq xmm0,xmm1; movq rax,xmm0
f2480f2ac0f2480f2cc0 cvtsi2sd xmm0,rax; cvttsd2si rax,xmm0
660fd7c0660f6ec0 pmovmskb eax,xmm0; movd xmm0,eax
f20f58c1f20f59c2 addsd xmm0,xmm1; mulsd xmm0,xmm2
0f58c10fc6c04e addps xmm0,xmm1; shufps xmm0,xmm0,0x4e
660ffec1660f70c04e paddd xmm0,xmm1; pshufd xmm0,xmm0,0x4e
660ffec10f58c2 paddd xmm0,xmm1; addps xmm0,xmm2
660fdbc1660f59c2 pand xmm0,xmm1; mulpd xmm0,xmm2
"""
_GENERAL = [getattr(ix.Register, f"R{k}") for k in range(8, 16)]
_DIVISIONS = (ix.Mnemonic.DIV, ix.Mnemonic.IDIV)
_NO_REMAINDER = bytes.fromhex("31d2")  # xor edx,edx: a quotient that fits
_WRITES = (
    ix.OpAccess.WRITE,
    ix.OpAccess.READ_WRITE,
    ix.OpAccess.COND_WRITE,
    ix.OpAccess.READ_COND_WRITE,
)


class Designed(NamedTuple):
    """A block to measure, in hexadecimal, and its kind.

    That is piece, loop, chain, independent, single, or passed on (values from a store to a load).
    """

    kind: str
    hex: str


def design(files: list[Path], count: int, seed: int = 0) -> list[Designed]:
    """Return about so many different blocks, made from the machine code in files (ELF, x86-64)."""
    random = Random(seed)  # noqa: S311
    texts = [text for file in files if len(text := _machine_code(file)) > 2 * _WINDOW]
    pieces: list[list[Any]] = []
    blocks: dict[bytes, str] = {}
    for _ in range(_TRIES * count if texts else 0):
        if len(blocks) >= _PIECES * count:
            break
        # By the root of its size: large libraries have most of the code, small ones other code.
        (text,) = random.choices(texts, [len(one) ** 0.5 for one in texts])
        piece = _piece(text, random)
        if piece and (code := _encoded(piece)) not in blocks:
            pieces.append(piece)
            blocks[code] = "piece"
    if pieces:
        blocks |= {
            bytes.fromhex(line.split()[0]): "passed on" for line in _PASSED_ON.split("\n")[1:-1]
        }
    looped = (piece for piece in pieces if len(piece) <= _LONGEST // 2)
    for piece, _ in zip(looped, range(int(_LOOPS * count)), strict=False):
        if loop := _loop(piece):
            blocks.setdefault(loop, "loop")
    for instruction in _forms(pieces, random):
        if len(blocks) < count:
            # All of a form: one of them alone tells little.
            blocks |= {code: kind for kind, code in _single(instruction) if code not in blocks}
    return [Designed(kind, code.hex()) for code, kind in blocks.items()]


def _forms(pieces: list[list[Any]], random: Random) -> list[Any]:
    """Return an instruction of each form, by chance, those that no piece has first."""
    core = core_of(None)
    own = {i.code: i for piece in pieces for i in piece}
    met = {_form(i, core) for i in own.values()}
    others: dict[str, Any] = {}
    # Results of whole registers, by the oldest encoding, where a form has such.
    for instruction in sorted(instructions() if pieces else (), key=_is_partial):
        form = _form(instruction, core)
        if form and form not in met and is_straight(instruction):
            others.setdefault(form, instruction)
    found = [list(others.values()), list(own.values())]
    for some in found:
        random.shuffle(some)
    return [*found[0], *found[1]]


def _is_partial(instruction: Any) -> bool:
    return ix.RegisterExt.size(instruction.op0_register) in (1, 2)


def _form(instruction: Any, core: Core) -> str:
    """Return the form of an instruction as tables of cores name it; empty where they have none."""
    shape, _ = analyse_cached(instruction, core)
    return (shape.form_name or shape.name) if core.known(shape.name) else ""


def libraries() -> list[Path]:
    """Return the files of machine code that this process has mapped, and large ones of the system.

    These are beside the C library.
    """
    lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    rows = [line.split(maxsplit=5) for line in lines]
    mapped = {Path(row[5]) for row in rows if len(row) == 6 and "x" in row[1] and row[5][0] == "/"}
    beside = {
        other.resolve()
        for path in mapped
        if path.name.startswith("libc.so")
        for other in path.parent.glob("lib*.so.*")
    }
    size = {path: path.stat().st_size for path in beside if path.is_file()}
    largest = sorted((path for path in size if size[path] < _LARGEST_FILE), key=size.__getitem__)
    return sorted({path for path in mapped if path.is_file()} | {*largest[-_SYSTEM_FILES:]})


def _machine_code(file: Path) -> bytes:
    """Return the sections with instructions of an ELF file for x86-64; empty for other files."""
    data = file.read_bytes()
    if data[:5] != b"\x7fELF\x02" or data[18:20] != b"\x3e\x00":
        return b""
    (table,) = struct.unpack_from("<Q", data, 40)
    size, number = struct.unpack_from("<HH", data, 58)
    parts = []
    for k in range(number if table + number * size <= len(data) else 0):
        fields = struct.unpack_from("<IIQQQQ", data, table + k * size)
        _, kind, flags, _, offset, length = fields
        if kind == 1 and flags & 4:
            parts.append(data[offset : offset + length])
    return b"".join(parts)


def _piece(text: bytes, random: Random) -> list[Any]:
    """Return straight code from a place by chance; empty if there is none."""
    at = random.randrange(len(text) - _WINDOW)
    decoder = ix.Decoder(64, text[at : at + _WINDOW])
    longest = random.randint(1, _LONGEST)
    piece: list[Any] = []
    for instruction in decoder:
        if instruction.ip < _BEFORE:
            continue
        if instruction.code == ix.Code.INVALID or not is_straight(instruction):
            break
        piece.append(instruction)
        if len(piece) == longest:
            break
    return piece


def is_straight(instruction: Any) -> bool:
    """Return whether an instruction can be measured by copies of it: no branch, no own address."""
    if not is_measurable(instruction) or instruction.is_ip_rel_memory_operand:
        return False
    if instruction.has_segment_prefix or instruction.flow_control != ix.FlowControl.NEXT:
        return False
    # Other changes of the stack pointer lead away from it, or to where nothing is.
    if instruction.mnemonic in (ix.Mnemonic.PUSH, ix.Mnemonic.POP):
        return bool(ix.RegisterExt.full_register(instruction.op0_register) != ix.Register.RSP)
    return not any(
        ix.RegisterExt.full_register(used.register) == ix.Register.RSP and used.access in _WRITES
        for used in _INFO.info(instruction).used_registers()
    )


def _encoded(instructions: list[Any]) -> bytes:
    encoder = ix.Encoder(64)
    for instruction in instructions:
        encoder.encode(instruction, instruction.ip)
    return bytes(encoder.take_buffer())


def _loop(piece: list[Any]) -> bytes | None:
    """Return a piece as a loop that counts down in a register that it does not use."""
    used = {
        ix.RegisterExt.full_register(one.register)
        for i in piece
        for one in _INFO.info(i).used_registers()
    }
    free = next((register for register in _GENERAL if register not in used), None)
    if free is None:
        return None
    count = ix.Instruction.create_reg(ix.Code.DEC_RM64, free)
    body = _encoded([*piece, count])
    back = len(body) + 2
    if back <= 128:
        return body + bytes([0x75, 256 - back])
    return body + b"\x0f\x85" + (-len(body) - 6).to_bytes(4, "little", signed=True)


def _single(instruction: Any) -> Iterator[tuple[str, bytes]]:
    """Yield the blocks that show what an instruction costs alone."""
    before = _NO_REMAINDER if instruction.mnemonic in _DIVISIONS else b""
    yield "single", before + _encoded([instruction])
    places = [
        k for k in range(instruction.op_count) if instruction.op_kind(k) == ix.OpKind.REGISTER
    ]
    kinds = {k: _kind(instruction.op_register(k)) for k in places}
    if 0 not in kinds or before:
        return
    same = [k for k in places if kinds[k] == kinds[0] and kinds[0] is not None]
    if len(same) > 1:
        yield from _renamed("chain", [dict.fromkeys(same, 1)], instruction, kinds)
    turns = [dict.fromkeys(same[1:], 1) | {0: 2 + copy} for copy in range(_COPIES)]
    if same:
        yield from _renamed("independent", turns, instruction, kinds)


def _kind(register: int) -> int | None:
    """Return the register of this kind that is numbered 8, None for kinds that are not renamed."""
    is_vector = ix.RegisterExt.is_vector_register(register)
    if register in _HIGH_BYTES or not (is_vector or ix.RegisterExt.is_gpr(register)):
        return None
    return (_VECTORS if is_vector else _INTEGERS)[ix.RegisterExt.size(register)]


_INTEGERS: dict[int, int] = {
    1: ix.Register.R8L,
    2: ix.Register.R8W,
    4: ix.Register.R8D,
    8: ix.Register.R8,
}
_VECTORS: dict[int, int] = {16: ix.Register.XMM8, 32: ix.Register.YMM8, 64: ix.Register.ZMM8}
_HIGH_BYTES = (ix.Register.AH, ix.Register.BH, ix.Register.CH, ix.Register.DH)


def _renamed(
    kind: str, turns: list[dict[int, int]], instruction: Any, kinds: dict[int, int | None]
) -> Iterator[tuple[str, bytes]]:
    """Yield the copies of an instruction with other registers, where it has such a form."""
    copies = []
    for turn in turns:
        copy = instruction.copy()
        for place, number in turn.items():
            copy.set_op_register(place, (kinds[place] or 0) + number - 1)
        copies.append(copy)
    try:
        yield kind, _encoded(copies)
    except ValueError:
        # Such as AH beside R8: there is no such instruction.
        return
