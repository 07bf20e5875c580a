"""Blocks to measure a core by: pieces of the machine's own libraries, and made from these.

Each form of instruction that the pieces have is also measured alone: as it is, each waiting for the
one before (its registers made one), and not waiting (results in registers by turns). Pieces with a
counter and a taken branch behind them are loops.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import iced_x86 as ix

from udfs.throughput.support import is_measurable

# Shares of the blocks that are pieces of programs and loops of such; the rest are single forms.
_PIECES, _LOOPS = 0.6, 0.15
_LONGEST, _COPIES = 40, 6
# Decoding begins this many bytes before a piece, and is in step with the code by then.
_BEFORE, _WINDOW = 64, 512
_TRIES = 60
_SYSTEM_FILES, _LARGEST_FILE = 40, 1 << 24
_INFO = ix.InstructionInfoFactory()
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
    """A block to measure: its kind (piece, loop, chain, independent, single), in hexadecimal."""

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
    looped = (piece for piece in pieces if len(piece) <= _LONGEST // 2)
    for piece, _ in zip(looped, range(int(_LOOPS * count)), strict=False):
        if loop := _loop(piece):
            blocks.setdefault(loop, "loop")
    forms = {i.code: i for piece in pieces for i in piece}
    singles = [one for i in forms.values() for one in _single(i)]
    random.shuffle(singles)
    for kind, code in singles:
        if len(blocks) < count:
            blocks.setdefault(code, kind)
    return [Designed(kind, code.hex()) for code, kind in blocks.items()]


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
