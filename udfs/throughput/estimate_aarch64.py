"""The table of an AArch64 core estimated from measured blocks, beginning with that of a relative.

As in `udfs.throughput.estimate`, one figure at a time; the tightest bound of a block stands for its
cycles, as there is no simulated core of this instruction set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from udfs.arrays import Floats
from udfs.progress import Progress, silent
from udfs.throughput.aarch64 import Word, decode
from udfs.throughput.claims import BROKEN, NOISE, Lowered, lower
from udfs.throughput.core_tables import CoreTable
from udfs.throughput.decode import bytes_of
from udfs.throughput.described import limits
from udfs.throughput.estimate import (
    BUSY,
    FASTEST,
    FEWEST_BLOCKS,
    HELD_OUT,
    LATENCIES,
    MOST_BLOCKS,
    SWEEPS,
    WORTH,
    Estimated,
    Row,
    is_better,
    log_errors,
)


def aarch64_error(hexes: Sequence[str], cycles: Floats, table: Mapping[str, Any]) -> float:
    """Return the mean absolute error of log cycles, by the tightest bounds of a table."""
    search = _Search(hexes, cycles, table, 0)
    return search.loss(range(len(search.blocks))) / max(1, len(search.blocks))


def estimate_aarch64(
    hexes: Sequence[str],
    cycles: Floats,
    relative: Mapping[str, Any],
    seed: int = 0,
    progress: Progress = silent,
) -> Estimated:
    """Estimate the table of a core; arguments are those of `udfs.throughput.estimate.estimate`.

    Blocks that cannot be decoded, or have instructions that the relative lacks, say nothing.
    """
    part = np.random.default_rng(seed).permutation(len(hexes)) % HELD_OUT
    learnt, judged = np.flatnonzero(part != 0), np.flatnonzero(part == 0)
    search = _Search([hexes[int(k)] for k in learnt], cycles[learnt], relative, seed)
    for sweep in range(1, SWEEPS + 1):
        search.fit_width()
        forms = search.forms()
        for k, form in enumerate(forms):
            if k % 20 == 0:
                progress(f"estimating the core: {k} of {len(forms)} forms, sweep {sweep}")
            search.fit_form(form)
    table = search.own_table()
    others = [hexes[int(k)] for k in judged]
    before, after = (aarch64_error(others, cycles[judged], one) for one in (relative, table))
    costs = search.costs
    if after > WORTH * before:
        table, costs, after = dict(relative), {}, before
    whole = _Search(hexes, cycles, table, seed)
    whole.lower_claims()
    own = [*{**costs, **whole.costs}.values()]
    figures = {"width": whole.core.width, "instructions": [*own, *relative["instructions"]]}
    return Estimated({**table, **figures}, own, [], (before, after))


class _Search:
    """The table so far, and the blocks that it is judged by."""

    def __init__(
        self, hexes: Sequence[str], cycles: Floats, relative: Mapping[str, Any], seed: int
    ) -> None:
        self.relative = relative
        # Micro-operations a cycle are among what is not known of the core.
        self.core = CoreTable({**relative, "dispatch": None})
        self.costs: dict[str, Row] = {}
        self.generator = np.random.default_rng(seed)
        self.blocks: list[list[Word]] = []
        logs = []
        for text, measured in zip(hexes, np.log(cycles), strict=True):
            words = decode(bytes_of(text))
            if words and all(self.core.cost(w.form) and not w.is_system for w in words):
                self.blocks.append(words)
                logs.append(measured)
        self.logs = np.array(logs, np.float64)
        self.blocks_of: dict[str, list[int]] = {}
        for k, words in enumerate(self.blocks):
            for form in {word.form for word in words}:
                self.blocks_of.setdefault(form, []).append(k)

    def forms(self) -> list[str]:
        """Return the forms of instructions, those of most blocks first."""
        return sorted(self.blocks_of, key=lambda form: (-len(self.blocks_of[form]), form))

    def loss(self, blocks: Iterable[int]) -> float:
        """Return the sum of the errors of blocks."""
        some = list(blocks)
        found = [max(*limits(self.blocks[k], self.core), 0.05) for k in some]
        return float(log_errors(np.array(found), self.logs[some]).sum())

    def fit_width(self) -> None:
        """Fit the instructions a cycle: what the fastest blocks reach, but for outliers."""
        if not self.blocks:
            return
        before, was = self.loss(range(len(self.blocks))), self.core.width
        self.core.width = float(max(1, round(np.quantile(self._rates(), FASTEST))))
        if not is_better(self.loss(range(len(self.blocks))), before):
            self.core.width = was

    def _rates(self) -> Floats:
        """Return the instructions a cycle that the blocks were measured to reach."""
        return np.array([len(block) for block in self.blocks]) / np.exp(self.logs)

    def fit_form(self, form: str) -> None:
        """Fit the row of a form, one figure after another."""
        blocks = self.blocks_of[form]
        if len(blocks) < FEWEST_BLOCKS:
            return
        if len(blocks) > MOST_BLOCKS:
            blocks = sorted(self.generator.choice(blocks, MOST_BLOCKS, replace=False).tolist())
        row = self.row_of(form)
        like = [r["ports"] for r in self.relative["instructions"] if r["class"] == row["class"]]
        figures: tuple[tuple[str, Iterable[Any]], ...] = (
            ("latency", LATENCIES),
            ("accumulate", () if row["accumulate"] is None else LATENCIES),
            ("ports", sorted({ports for ports in like if ports})),
            ("cycles", BUSY),
        )
        least = self.loss(blocks)
        for key, values in figures:
            trials = {value: self._tried(form, {**row, key: value}, blocks) for value in values}
            best = min(trials, key=trials.__getitem__, default=None)
            if best is not None and is_better(trials[best], least):
                row, least = {**row, key: best}, trials[best]
                self.costs[form] = row
        self._tried(form, row, ())

    def own_table(self) -> dict[str, Any]:
        """Return the table as it is now."""
        rows = [*self.costs.values(), *self.relative["instructions"]]
        figures = {"width": self.core.width, "dispatch": None, "instructions": rows}
        return {**self.relative, **figures}

    def lower_claims(self) -> None:
        """Lower latencies, times on ports and the width bound to what blocks do not break."""
        if not self.blocks:
            return
        reached = np.quantile(self._rates(), 1 - BROKEN) / (1 + NOISE)
        self.core.width = max(self.core.width, float(reached))
        for figure, limit in (("latency", 1), ("cycles", 2)):
            claims = _RowClaims(self, figure, limit)
            nothing = [(k, "", 0.0) for k in range(len(self.blocks))]
            lower(claims, claims.bounds(nothing), np.exp(self.logs))

    def _tried(self, form: str, row: Row, blocks: Iterable[int]) -> float:
        self.core.put(form, row)
        return self.loss(blocks)

    def row_of(self, form: str) -> Row:
        """Return the own row of a form, or a copy of that which counts for it."""
        if form in self.costs:
            return self.costs[form]
        row = next(r for r in self.relative["instructions"] if re.fullmatch(r["pattern"], form))
        return {**row, "pattern": re.escape(form).replace("\\ ", " ")}


class _RowClaims:
    """A figure of the rows of forms, and the bound of blocks that it is part of."""

    def __init__(self, search: _Search, figure: str, limit: int) -> None:
        self.search, self.figure, self.limit = search, figure, limit
        rows = {form: search.row_of(form) for form in search.blocks_of}
        some = {form for form, row in rows.items() if row[figure] and (limit == 1 or row["ports"])}
        self.of_block = [{word.form for word in words} & some for words in search.blocks]

    def lower_values(self, claim: str) -> list[float]:
        """Return halves of cycles."""
        figure = self.search.row_of(claim)[self.figure]
        return [value / 2 for value in range(round(2 * figure) - 1, -1, -1)]

    def bounds(self, lowered: Sequence[Lowered]) -> Floats:
        """Return the cycles of blocks, each with one figure lowered."""
        core, out = self.search.core, []
        for k, claim, value in lowered:
            before = core.cost(claim)
            if claim:
                core.put(claim, self._lowered(self.search.row_of(claim), value))
            out.append(limits(self.search.blocks[k], core)[self.limit])
            core.restore(claim, before)
        return np.array(out, np.float64)

    def put(self, claim: str, value: float) -> None:
        """Lower a figure."""
        row = self._lowered(self.search.row_of(claim), value)
        self.search.costs[claim] = row
        self.search.core.put(claim, row)

    def _lowered(self, row: Row, value: float) -> Row:
        if self.figure == "cycles":
            return {**row, "cycles": value} if value else {**row, "ports": None}
        least = None if row["accumulate"] is None else min(row["accumulate"], value)
        return {**row, "latency": value, "accumulate": least}
