"""Decoding of blocks of machine code; every distinct instruction is analysed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import iced_x86 as ix
import numpy as np
from numpy.typing import NDArray

from udfs.throughput.analysis import analyse_cached
from udfs.throughput.instructions import Instruction
from udfs.throughput.x86_core import Core, core_of


@dataclass(slots=True)
class Decoder:
    """Decodes blocks for a core and caches every distinct instruction by its bytes.

    `shape_of` is for each of `instructions` the position of its shape in `shapes`: the instruction
    without displacement and constants.
    """

    core: Core = field(default_factory=lambda: core_of(None))
    instructions: list[Instruction] = field(default_factory=list)
    shape_of: list[int] = field(default_factory=list)
    shapes: list[Instruction] = field(default_factory=list)
    _by_bytes: dict[bytes, int] = field(default_factory=dict)
    _by_shape: dict[Instruction, int] = field(default_factory=dict)
    _variants: dict[tuple[int, int], int] = field(default_factory=dict)

    def block(self, code: bytes) -> list[int] | None:
        """Return the positions of a block's instructions in `instructions`; None where undecodable.

        Undecodable are invalid instructions, incomplete instructions, and empty blocks.
        """
        rows, at = [], 0
        for instruction in ix.Decoder(64, code):
            if instruction.code == ix.Code.INVALID:
                return None
            end = at + instruction.len
            key = code[at:end]
            row = self._by_bytes.get(key)
            rows.append(self._new(key, instruction) if row is None else row)
            at = end
        return rows if rows and at == len(code) else None

    def variant(self, row: int, least_latency: int) -> int:
        """Return the position of a copy of an instruction that has another least latency."""
        key = (row, least_latency)
        if key not in self._variants:
            self._variants[key] = len(self.instructions)
            shape = self.shapes[self.shape_of[row]]._replace(least_latency=least_latency)
            self.shape_of.append(len(self.shapes))
            self.shapes.append(shape)
            self.instructions.append(self.instructions[row]._replace(least_latency=least_latency))
        return self._variants[key]

    def _new(self, key: bytes, instruction: Any) -> int:
        shape, whole = analyse_cached(instruction, self.core)
        place = self._by_shape.setdefault(shape, len(self.shapes))
        if place == len(self.shapes):
            self.shapes.append(shape)
        row = self._by_bytes[key] = len(self.instructions)
        self.instructions.append(whole)
        self.shape_of.append(place)
        return row


def decode(
    hexes: Sequence[str | None], decoder: Decoder
) -> tuple[list[list[int]], NDArray[np.bool_]]:
    """Return the decodable blocks' instructions, and which are decodable (n)."""
    blocks: list[list[int]] = []
    decoded = np.zeros(len(hexes), bool)
    for k, text in enumerate(hexes):
        block = decoder.block(bytes_of(text))
        if block:
            blocks.append(block)
            decoded[k] = True
    return blocks, decoded


def bytes_of(text: str | None) -> bytes:
    """Return the bytes of a block in hexadecimal; none where it is not."""
    try:
        return bytes.fromhex(text or "")
    except ValueError:
        return b""


def is_loop(text: str) -> bool:
    """Return whether a block in hexadecimal ends in a conditional branch to its own start."""
    instructions = list(ix.Decoder(64, bytes_of(text)))
    last = instructions[-1] if instructions else None
    return bool(last and last.is_jcc_short_or_near and last.near_branch_target == 0)
