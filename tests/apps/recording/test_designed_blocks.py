"""Blocks made to measure a core by: from machine code that is there, each form also alone."""

from __future__ import annotations

import struct

import iced_x86 as ix

from apps.recording.designed_blocks import design, is_straight

# mov rbx,[rax]; imul rax,rcx; addps xmm1,xmm2; ret
CODE = bytes.fromhex("488b18480fafc10f58cac3")


def elf(path, code):
    """Write an ELF file with a section of instructions and one of none."""
    header = bytearray(64)
    header[:5], header[18:20] = b"\x7fELF\x02", b"\x3e\x00"
    struct.pack_into("<Q", header, 40, 64)
    struct.pack_into("<HH", header, 58, 64, 2)
    sections = b"".join(
        struct.pack("<IIQQQQ", 0, 1, flags, 0, 192, size).ljust(64, b"\0")
        for flags, size in ((6, len(code)), (2, 8))
    )
    path.write_bytes(bytes(header) + sections + code)
    return path


def made(tmp_path, count=60):
    return design([elf(tmp_path / "program", CODE * 300)], count)


def test_pieces_are_straight_code_of_the_file(tmp_path):
    pieces = [one.hex for one in made(tmp_path) if one.kind == "piece"]
    assert pieces
    assert all(piece in (CODE * 2)[:-1].hex() for piece in pieces)


def test_forms_are_measured_alone_as_chains_and_independent(tmp_path):
    blocks = {one.kind: one.hex for one in made(tmp_path, 4000) if "0faf" in one.hex}
    chain = list(ix.Decoder(64, bytes.fromhex(blocks["chain"])))
    assert [i.op0_register for i in chain] == [i.op1_register for i in chain]
    apart = list(ix.Decoder(64, bytes.fromhex(blocks["independent"])))
    assert len({i.op0_register for i in apart}) == len(apart) == 6


def test_forms_that_tables_have_and_no_piece_are_measured(tmp_path):
    texts = [one.hex for one in made(tmp_path, 4000) if one.kind in ("single", "chain")]
    met = {i.mnemonic for text in texts for i in ix.Decoder(64, bytes.fromhex(text))}
    mnemonics = (ix.Mnemonic.PEXT, ix.Mnemonic.VDIVPS, ix.Mnemonic.SHLD, ix.Mnemonic.AESENC)
    assert met.issuperset(mnemonics)


def test_loops_count_in_a_register_of_their_own(tmp_path):
    loops = [one.hex for one in made(tmp_path) if one.kind == "loop"]
    assert loops
    for text in loops:
        *_, count, jump = ix.Decoder(64, bytes.fromhex(text))
        assert (count.mnemonic, count.op0_register) == (ix.Mnemonic.DEC, ix.Register.R8)
        assert jump.near_branch_target == 0


def test_a_seed_chooses_the_same_blocks_again(tmp_path):
    assert made(tmp_path) == made(tmp_path)


def test_files_without_machine_code_are_skipped(tmp_path):
    (tmp_path / "text").write_text("no program")
    (tmp_path / "cut").write_bytes(b"\x7fELF\x02" + bytes(13) + b"\x3e\x00" + b"\xff" * 60)
    assert design([tmp_path / "text", tmp_path / "cut"], 10) == []


def test_what_leads_elsewhere_is_not_straight():
    for text in ("c3", "0f05", "488b0500000000", "4889e0", "5c", "4883ec08", "f3a4", "648b0425"):
        instruction = next(iter(ix.Decoder(64, bytes.fromhex(text.ljust(16, "0")))))
        assert is_straight(instruction) == (text == "4889e0"), text
