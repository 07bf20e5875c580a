"""Claims of bounds by a core's table: less where measured blocks are faster.

A bound adds up what its instructions claim to need at least. Where blocks are faster than their
bound, that claim is lowered which explains most of it for the number of blocks that have it, to the
most that these allow; then the next, until next to none of the blocks is faster. So what is wrong
in some rows of a table takes nothing from the bounds of blocks without them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Protocol

import numpy as np

from udfs.arrays import Floats
from udfs.throughput.course import least_cycles
from udfs.throughput.decode import Decoder
from udfs.throughput.memory import accesses
from udfs.throughput.program import forward_row, load_row
from udfs.throughput.summary import least_macro, least_parts
from udfs.throughput.x86_core import NAMES

# A block (its position), the name of a claim, and what that is lowered to.
Lowered = tuple[int, str, float]

# Share of the blocks that may be faster than a bound, of all and of those with a claim. Where the
# table of the core was estimated from the same blocks, of others three times as many are (Cascade
# Lake, 2,000 each).
BROKEN = 0.002
# Share by which measurements are below what they repeat (_least_measured in views/throughput.sql).
NOISE = 0.03
# Share of what the withdrawal of a claim explains that lowering it has to: the rest is of few
# blocks with reasons of their own (loads of Cascade Lake: 4 cycles, 3 if all had to be explained).
_NEARLY = 0.9
# Steps in which shares of demands are lowered.
_STEP = 0.05


class Claims(Protocol):
    """The claims of one kind of bound: `of_block` names those (above 0) of each of n blocks."""

    of_block: list[set[str]]

    def lower_values(self, claim: str) -> Sequence[float]:
        """Return the values that a claim can be lowered to, the largest first, the last 0."""

    def bounds(self, lowered: Sequence[Lowered]) -> Floats:
        """Return the bounds (m) of blocks, each with one claim lowered."""

    def put(self, claim: str, value: float) -> None:
        """Lower a claim."""


def lower(claims: Claims, limits: Floats, cycles: Floats) -> dict[str, float]:
    """Lower the claims that measured blocks contradict; return those with their values.

    `limits` (n) are the bounds of the blocks and change with the claims, `cycles` (n) measured.
    """
    blocks: dict[str, list[int]] = {}
    for k, some in enumerate(claims.of_block):
        for claim in some:
            blocks.setdefault(claim, []).append(k)
    found: dict[str, float] = {}
    explained: dict[tuple[int, str], float] = {}
    most = BROKEN * (np.count_nonzero(limits) - 1)
    while True:
        excess = _excess(limits, cycles)
        broken = np.flatnonzero(excess).tolist()
        if len(broken) <= most:
            return found
        pairs = [(k, claim) for k in broken for claim in claims.of_block[k]]
        new = [pair for pair in pairs if pair not in explained]
        without = claims.bounds([(k, claim, 0.0) for k, claim in new])
        rest = _excess(without, cycles[[k for k, _ in new]])
        explained |= {pair: excess[pair[0]] - left for pair, left in zip(new, rest, strict=True)}
        score: dict[str, float] = {}
        own: dict[str, list[int]] = {}
        for k, claim in pairs:
            if explained[k, claim] > 0:
                own.setdefault(claim, []).append(k)
                score[claim] = score.get(claim, 0) + explained[k, claim] / len(blocks[claim])
        score = {c: s for c, s in score.items() if len(own[c]) > BROKEN * len(blocks[c])}
        if not score:
            return found
        claim = max(score, key=lambda name: (score[name], name))
        found[claim] = _largest(claims, claim, own[claim], cycles)
        claims.put(claim, found[claim])
        changed = blocks[claim]
        is_changed = set(changed)
        limits[changed] = claims.bounds([(k, claim, found[claim]) for k in changed])
        if not found[claim]:
            for k in changed:
                claims.of_block[k].discard(claim)
        explained = {pair: e for pair, e in explained.items() if pair[0] not in is_changed}


def _largest(claims: Claims, claim: str, blocks: list[int], cycles: Floats) -> float:
    """Return the largest lower value that explains nearly as much as none does."""
    before = _excess(claims.bounds([(k, "", 0.0) for k in blocks]), cycles[blocks]).sum()
    values = claims.lower_values(claim)
    lowered = [(k, claim, value) for value in values for k in blocks]
    excess = _excess(claims.bounds(lowered), np.tile(cycles[blocks], len(values)))
    left = excess.reshape(len(values), -1).sum(axis=1)
    enough = before - left >= _NEARLY * (before - left[-1])
    return values[int(np.flatnonzero(enough)[0])]


def _excess(limits: Floats, cycles: Floats) -> Floats:
    """Return by how much blocks are faster than bounds, beyond noise, as logarithms."""
    return np.log(np.maximum(limits / ((1 + NOISE) * cycles), 1))


class DemandClaims:
    """The shares of its demand (time on its unit, further macro-operations) that a row claims.

    `parts` are the demands (of any m resources) of each block by row, `fixed` (blocks x m) what is
    no claim; `bound` returns the cycles for demands.
    """

    def __init__(
        self, parts: list[dict[str, Floats]], fixed: Floats, bound: Callable[[Floats], Floats]
    ) -> None:
        self.parts, self.fixed, self.bound = parts, fixed, bound
        self.of_block = [set(own) for own in parts]
        self.share = dict.fromkeys(set().union(*self.of_block), 1.0)

    def lower_values(self, claim: str) -> list[float]:
        """Return shares of what the table claims."""
        steps = np.arange(round(self.share[claim] / _STEP) - 1, -1, -1) * _STEP
        return [round(float(value), 2) for value in steps]

    def bounds(self, lowered: Sequence[Lowered]) -> Floats:
        """Return the cycles that the demands need."""
        demand = self.fixed[[k for k, *_ in lowered]]
        for n, (k, claim, value) in enumerate(lowered):
            for name, part in self.parts[k].items():
                demand[n] += part * (value if name == claim else self.share[name])
        return self.bound(demand)

    def put(self, claim: str, value: float) -> None:
        """Lower a share."""
        self.share[claim] = value


def width_claims(blocks: Sequence[Sequence[int]], decoder: Decoder) -> DemandClaims:
    """Return the claims on the front end: macro-operations of instructions beyond their first."""
    parts: list[dict[str, Floats]] = [{} for _ in blocks]
    for own, block in zip(parts, blocks, strict=True):
        for i in (decoder.instructions[row] for row in block):
            if (extra := least_macro(i) - 1) > 0:
                own[i.form_name] = own.get(i.form_name, np.zeros(1)) + extra
    fixed = np.array([[sum(decoder.instructions[r].macro > 0 for r in b)] for b in blocks], float)
    return DemandClaims(parts, fixed, lambda macro: decoder.core.width_bound(macro[:, 0]))


def unit_claims(blocks: Sequence[Sequence[int]], decoder: Decoder) -> DemandClaims:
    """Return the claims on units."""
    each = [list(least_parts(i, decoder.core)) for i in decoder.instructions]
    parts: list[dict[str, Floats]] = [{} for _ in blocks]
    for own, block in zip(parts, blocks, strict=True):
        for claim, unit, cycles in (part for row in block for part in each[row]):
            if cycles:
                own.setdefault(claim, np.zeros(len(NAMES)))[NAMES.index(unit)] += cycles
    return DemandClaims(parts, np.zeros((len(blocks), len(NAMES))), decoder.core.unit_bound)


class ChainClaims:
    """The least latencies that each form, and each kind of access, claims in chains."""

    def __init__(self, blocks: Sequence[Sequence[int]], decoder: Decoder) -> None:
        self.blocks, self.decoder = [list(block) for block in blocks], decoder
        self.accesses: set[str] = set()
        self.of_block = []
        for block in blocks:
            code = [decoder.instructions[row] for row in block]
            rows = {load_row(i) for i in code if i.loads}
            if rows and any(i.stores for i in code):
                found, _ = accesses(code)
                rows |= {forward_row(code[load], *kind) for load, _, _, *kind, _, _ in found}
            rows = {row for row in rows if decoder.core.cost(row).least_latency > 0}
            self.accesses |= rows
            self.of_block.append(rows | {i.form_name for i in code if i.least_latency > 0})

    def lower_values(self, claim: str) -> list[float]:
        """Return latencies in cycles."""
        return [float(value) for value in range(self._latency(claim) - 1, -1, -1)]

    def bounds(self, lowered: Sequence[Lowered]) -> Floats:
        """Return the cycles that loop-carried chains need."""
        out = np.zeros(len(lowered))
        order = sorted(range(len(lowered)), key=lambda n: self._of_memory(lowered[n]))
        for memory, places in groupby(order, key=lambda n: self._of_memory(lowered[n])):
            some = list(places)
            before = self.decoder.core.cost(memory[0])
            if memory[0]:
                self.put(*memory)
            out[some] = least_cycles([self._block(*lowered[n]) for n in some], self.decoder)
            if memory[0]:
                self.decoder.core.put(memory[0], before)
        return out

    def put(self, claim: str, value: float) -> None:
        """Lower a latency."""
        if claim in self.accesses:
            cost = self.decoder.core.cost(claim)
            self.decoder.core.put(claim, cost._replace(least_latency=round(value)))
            return
        for k, some in enumerate(self.of_block):
            if claim in some:
                self.blocks[k] = self._block(k, claim, value)

    def _latency(self, claim: str) -> int:
        if claim in self.accesses:
            return self.decoder.core.cost(claim).least_latency
        return max(
            self.decoder.instructions[row].least_latency
            for block, some in zip(self.blocks, self.of_block, strict=True)
            if claim in some
            for row in block
            if self.decoder.instructions[row].form_name == claim
        )

    def _of_memory(self, lowered: Lowered) -> tuple[str, float]:
        _, claim, value = lowered
        return (claim, value) if claim in self.accesses else ("", 0.0)

    def _block(self, k: int, claim: str, value: float) -> list[int]:
        """Return a block with the instructions of a form exchanged for such that claim less."""
        decoder, least = self.decoder, round(value)
        return [
            decoder.variant(row, min(least, decoder.instructions[row].least_latency))
            if decoder.instructions[row].form_name == claim
            else row
            for row in self.blocks[k]
        ]
