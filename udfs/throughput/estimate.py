"""The table of a core estimated from measured blocks, beginning with that of a relative.

The simulated core is the model: the cycles of a block are at least each of its bounds, and the sum
of the absolute errors of log cycles is made smaller, one figure of the table at a time (coordinate
descent): the width, the ports of each kind of operation, then of each form of instruction its
latency, unit, operations and time on the unit, on the blocks that have it. A figure of the relative
is kept unless measurements are better by a margin, so that what is rare is not fitted to noise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import combinations
from typing import Any

import iced_x86 as ix
import numpy as np

from udfs.arrays import Flags, Floats, Integers
from udfs.progress import Progress, silent
from udfs.throughput import features, program, simulate
from udfs.throughput.batch import Batch
from udfs.throughput.claims import ChainClaims, Claims, lower, unit_claims, width_claims
from udfs.throughput.core_tables import compiled
from udfs.throughput.course import faults, passes_of
from udfs.throughput.decode import Decoder, bytes_of, decode
from udfs.throughput.families import families
from udfs.throughput.instructions import Instruction
from udfs.throughput.memory import ACCESS_COUNTS
from udfs.throughput.support import NO_PREDICTION
from udfs.throughput.x86_core import LONG, NAMES, Core, cost_of, front_end
from udfs.throughput.x87 import stack_faults

Row = dict[str, Any]

# An error of log cycles above this counts as this: such blocks have other causes.
_WORST = 0.6
# How much more a block counts that is faster than its simulation, by more than the measurements'
# noise and the whole cycles of a simulation. Of 3 and 10, on 500 of 2,000 blocks of Cascade Lake,
# estimated from Zen 3 with the others: 3 has smaller errors of the simulated cycles.
_ABOVE, _ALIKE = 3.0, 0.07
# A figure changes where the errors of all its blocks become smaller by the sum, and by the share.
_LEAST_GAIN, _LEAST_SHARE = 0.25, 0.02
# Share of the families of blocks that judge the whole table.
HELD_OUT = 5
# Errors of the estimated table over those of the relative above which it is not worth having.
WORTH = 0.95
# Blocks that a form is judged by, of all that have it the shortest; fewer say nothing, where those
# of nothing else, as pwh measure-blocks makes them (alone, independent, most in a chain), are two.
MOST_BLOCKS, FEWEST_BLOCKS = 120, 3
SWEEPS = 2  # over all figures of the table
# Share of the blocks that are slower than what the width allows.
FASTEST = 0.98
# Cells (blocks x positions) that are simulated at a time.
_CELLS = 1 << 17
_UNIT_COLUMN, _MARK = 1, 1 << 10  # of the rows of `program.table`
_FORWARDS = (0, 1, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20)  # cycles that are tried
# Cycles that are tried.
LATENCIES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 23, 26, 30, 36, 42)
BUSY = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24)  # cycles on the unit that are tried
# Micro-operations, and slots of the front end beyond them, that are tried.
_OPERATIONS, _EXTRA = (1, 2, 3, 4, 6, 8), (0, 1, 2, 3, 4, 6, 8, 12, 16, 18, 24)
_ACCESSES = (
    *("load", "vector load", "forward", "forward update", "forward vector", "forward renamed"),
    "forward failed",
)
_STACK_FAULT = "stack fault"
_VECTOR_UNITS = tuple(n for n in NAMES if n.startswith("fp") or n in ("fdiv", "vstore"))
_INTEGER_UNITS = ("none", "alu", "alu03", "alu12", "alu1", "idiv")
_DIVIDERS, _MEMORY = ("idiv", "fdiv"), ("load", "vload", "store", "vstore")


@dataclass(frozen=True, slots=True)
class Estimated:
    """A table of a core, its rows that the relative does not have, and the errors of both.

    `errors` are mean absolute errors of log cycles on families of blocks that were held out,
    simulated by the relative's table and by the estimated one. Where the latter are no smaller by
    a margin, the table is the relative's with the instruction sets that ran.
    """

    table: dict[str, Any]
    costs: list[Row]
    ports: list[Row]
    errors: tuple[float, float]


def simulated_cycles(hexes: Sequence[str], core: Core) -> Floats:
    """Return the cycles of one pass (n) that the core takes, NaN where a block is not decodable."""
    decoder = Decoder(core)
    blocks, decoded = decode(hexes, decoder)
    out = np.full(len(hexes), np.nan)
    some = np.full(len(blocks), np.nan)
    for part, batch, least in _batches(blocks, decoder, program.table(decoder)):
        some[part] = np.maximum(simulate.steady(batch, passes_of(batch)), least)
    out[decoded] = some + core.stack_fault * faults(blocks, decoder)
    return out


def _batches(
    blocks: Sequence[Sequence[int]], decoder: Decoder, rows: Integers
) -> Iterator[tuple[Integers, Batch, Floats]]:
    """Yield batches with the positions of their blocks and the cycles by width and memory."""
    for some, batch, access in program.batches(blocks, decoder, rows):
        yield some, batch, access[:, ACCESS_COUNTS.index("commit")]


def error(hexes: Sequence[str], cycles: Floats, table: Mapping[str, Any]) -> float:
    """Return the mean absolute error of log cycles, as a table simulates measured blocks (n)."""
    return _Search(hexes, cycles, table, 0).loss(range(len(hexes))) / len(hexes)


def estimate(
    hexes: Sequence[str],
    cycles: Floats,
    relative: Mapping[str, Any],
    seed: int = 0,
    progress: Progress = silent,
) -> Estimated:
    """Estimate the table of a core.

    Args:
        hexes: measured blocks of x86-64 machine code (n).
        cycles: of one pass (n).
        relative: the table of a core (`udfs.throughput.x86_core.Core`) to begin with.
        seed: of the choice of blocks for forms that many have.
        progress: called with each step.
    """
    family = families(hexes)
    part = np.random.default_rng(seed).permutation(int(family.max()) + 1)[family] % HELD_OUT
    learnt, judged = np.flatnonzero(part != 0), np.flatnonzero(part == 0)
    search = _Search([hexes[int(k)] for k in learnt], cycles[learnt], relative, seed)
    whole = _Search(hexes, cycles, relative, seed)
    whole.learn_sets()
    whole.table["measured"] = whole.measured()
    search.table |= {key: whole.table[key] for key in ("lacks", "measured")}
    for sweep in range(1, SWEEPS + 1):
        progress(f"estimating the core: width, memory and ports, {sweep} of {SWEEPS}")
        search.fit_width()
        search.fit_memory_ports()
        search.fit_accesses()
        search.fit_stack_fault()
        search.fit_rows()
        search.fit_ports()
        names = search.names()
        for k, name in enumerate(names):
            if k % 20 == 0:
                progress(f"estimating the core: {k} of {len(names)} forms, sweep {sweep}")
            search.fit_form(name)
    judges = judged if len(judged) else learnt
    before, after = (
        whole.loss(judges, Core(table)) / len(judges) for table in (whole.table, search.table)
    )
    chosen = search if after <= WORTH * before else whole
    progress("estimating the core: what bounds may claim")
    chosen.lower_claims(hexes, cycles)
    errors = (before, after if chosen is search else before)
    return Estimated(chosen.table, chosen.own_costs(), chosen.own_ports(), errors)


class _Search:
    """The table so far, and the blocks that it is judged by."""

    def __init__(
        self, hexes: Sequence[str], cycles: Floats, relative: Mapping[str, Any], seed: int
    ) -> None:
        self.hexes, self.logs = list(hexes), np.log(cycles)
        self.relative = relative
        self.table: dict[str, Any] = {
            **relative,
            "units": [dict(row) for row in relative["units"]],
            "instructions": [dict(row) for row in relative["instructions"]],
        }
        self.generator = np.random.default_rng(seed)
        self.costs: dict[str, Row] = {}
        # The rows of the relative, and their figures there.
        self.inherited = list(self.table["instructions"])
        self.blocks, family = _blocks_of_forms(self.hexes, Core(self.table))
        self.forms = _forms_of_rows(self.inherited, family)
        self.alone = _of_one_form(self.hexes, Core(self.table))
        self.changed_units: set[str] = set()
        self.relatives: dict[str, Row] = {}

    def names(self) -> list[str]:
        """Return the forms, those first whose blocks have the largest errors in the mean.

        Those of whose blocks all errors together are no reason to change a figure are left out.
        """
        found = simulated_cycles(self.hexes, Core(self.table))
        errors = log_errors(found, self.logs)
        mean = {
            name: errors[blocks].mean()
            for name, blocks in self.blocks.items()
            if errors[blocks].sum() > _LEAST_GAIN
        }
        return sorted(mean, key=lambda name: (-mean[name], name))

    def is_enough(self, blocks: Collection[int]) -> bool:
        """Return whether blocks can judge what they have in common."""
        return len(blocks) + len(self.alone.intersection(blocks)) >= FEWEST_BLOCKS

    def measured(self) -> list[str]:
        """Return the forms of enough blocks."""
        return sorted(name for name, blocks in self.blocks.items() if self.is_enough(blocks))

    def loss(self, blocks: Iterable[int], core: Core | None = None) -> float:
        """Return the sum of the errors of blocks."""
        some = list(blocks)
        found = simulated_cycles([self.hexes[k] for k in some], core or Core(self.table))
        return float(log_errors(np.maximum(found, features.MIN_CYCLES), self.logs[some]).sum())

    def learn_sets(self) -> None:
        """Take out of what the core lacks the instruction sets of the blocks, which it ran."""
        ran = {
            _SETS[feature]
            for text in self.hexes
            for instruction in ix.Decoder(64, bytes_of(text))
            for feature in instruction.cpuid_features()
        }
        lacks = (self.table["lacks"] or "").split()
        kept = [one for one in lacks if not any(name.startswith(one) for name in ran)]
        self.table["lacks"] = " ".join(kept)

    def fit_width(self) -> None:
        """Fit the macro-operations a cycle: what the fastest blocks reach, but for outliers."""
        decoder = Decoder(Core(self.table))
        blocks, decoded = decode(self.hexes, decoder)
        macro = [sum(decoder.instructions[row].macro for row in block) for block in blocks]
        reached = np.array(macro) / np.exp(self.logs[decoded])
        width = float(max(1, round(np.quantile(reached, FASTEST))))
        some = self._drawn(range(len(self.hexes)), 4 * MOST_BLOCKS)
        self._choose("width", self.table, some, (width,))

    def fit_accesses(self) -> None:
        """Fit the latencies of loads, and of what stores forward to loads."""
        for name in _ACCESSES:
            if len(self.blocks.get(name, ())) < FEWEST_BLOCKS:
                continue
            self._fit_latency(name, self._drawn(self.blocks[name], MOST_BLOCKS), _FORWARDS)

    def fit_stack_fault(self) -> None:
        """Fit the cycles of an instruction that finds the stack of x87 full or empty."""
        core, some = Core(self.table), self.blocks.get(_STACK_FAULT, [])
        if len(some) < FEWEST_BLOCKS:
            return
        hexes = [self.hexes[k] for k in some]
        decoder = Decoder(core)
        many = faults(decode(hexes, decoder)[0], decoder)
        rest = np.exp(self.logs[some]) - simulated_cycles(hexes, core)
        each = max(0, round(core.stack_fault + float(np.median(rest / many))))
        self._fit_latency(_STACK_FAULT, some, (each,))

    def _fit_latency(self, name: str, some: list[int], values: Iterable[int]) -> None:
        """Fit the latency of what has no form of an instruction."""
        row, is_own = self._row_of(name), name in self.costs
        if not is_own:
            # The row of this form comes first, so that it counts.
            self.table["instructions"].insert(0, row)
        if self._choose("latency", row, some, values):
            row["least_latency"] = None
            self.costs[name] = row
        elif not is_own:
            self.table["instructions"].remove(row)

    def fit_memory_ports(self) -> None:
        """Fit the ports of loads and stores: sets of those that the relative has for them."""
        rows = {row["unit"]: row for row in reversed(self.table["units"])}
        pool = [*dict.fromkeys(p for unit in _MEMORY for p in rows[unit]["ports"].split("/"))]
        demand = _blocks_of_units(self.hexes, Core(self.table))
        for unit in _MEMORY:
            sets = ["/".join(some) for n in (1, 2, 3, 4) for some in combinations(pool, n)]
            some = _shortest(self.hexes, demand.get(unit, ()))[: 2 * MOST_BLOCKS]
            if len(some) >= FEWEST_BLOCKS and self._choose("ports", rows[unit], some, sets):
                self.changed_units.add(unit)

    def fit_ports(self) -> None:
        """Fit the ports of each kind of operation: sets of those that the core has."""
        rows = {row["unit"]: row for row in reversed(self.table["units"])}
        integer, vector = rows["alu"]["ports"].split("/"), rows["fp"]["ports"].split("/")
        demand = _blocks_of_units(self.hexes, Core(self.table))
        for unit in demand:
            if unit not in rows or unit in ("all", *_DIVIDERS, *_MEMORY):
                continue
            pool = integer if unit.startswith("alu") else [*dict.fromkeys([*integer, *vector])]
            sets = ["/".join(some) for n in (1, 2, 3, 4) for some in combinations(pool[:8], n)]
            core, was = Core(self.table), rows[unit]["ports"]
            first = len(core.ports)
            for k, ports in enumerate([was, *sets]):
                core.ports[f"candidate {k}"] = core.numbered(ports)
            some = self._drawn(demand[unit], MOST_BLOCKS)
            stage = self._stage(some, core, partial(_has_unit, unit))
            costs = [{"unit": first + k} for k in range(len(sets) + 1)]
            best = self._best(stage, costs)
            if best:
                rows[unit]["ports"] = sets[best - 1]
                self.changed_units.add(unit)

    def fit_rows(self) -> None:
        """Fit the rows of the relative: forms that cost the same there often do on other cores."""
        for place, forms in self.forms.items():
            blocks = _shortest(self.hexes, {k for form in forms for k in self.blocks[form]})
            if not self.is_enough(blocks):
                continue
            of_row = forms.difference(self.costs)

            def is_of_row(i: Instruction, of_row: frozenset[str] = of_row) -> bool:
                return i.form_name in of_row and i.name not in self.costs

            stage = self._stage(blocks[:MOST_BLOCKS], Core(self.table), is_of_row)
            row = self.inherited[place]
            if (best := self._fitted(stage, row)) is not row:
                row.update(best)

    def fit_form(self, name: str) -> None:
        """Fit the row of a form, one figure after another."""
        if not self.is_enough(self.blocks[name]):
            return
        core = Core(self.table)

        def is_of_row(i: Instruction) -> bool:
            return i.form_name == name or (i.name == name and core.row(i.form_name) is None)

        stage = self._stage(self.blocks[name][:MOST_BLOCKS], core, is_of_row)
        row = self._row_of(name)
        if (best := self._fitted(stage, row)) is not row:
            self._put(name, best)

    def _fitted(self, stage: list[tuple[Batch, Flags, Floats, Floats]], row: Row) -> Row:
        """Return a row with the figures that are better by a margin, else the row itself."""
        changed = False
        is_vector = (row["ports"] or "none") in _VECTOR_UNITS
        for key, values in (
            ("latency", LATENCIES),
            ("ports", _VECTOR_UNITS if is_vector else _INTEGER_UNITS),
            ("cycles", BUSY),
            ("operations", _OPERATIONS),
            ("front_end", _EXTRA),
            ("latency", LATENCIES),
        ):
            trials = [row, *({**row, key: value} for value in values if value != row[key])]
            best = self._best(stage, [_cells(trial) for trial in trials])
            changed |= best > 0
            row = trials[best]
        return {**row, "least_latency": None, "least_front_end": None} if changed else row

    def _put(self, name: str, row: Row) -> None:
        """Store the row of a form before the others, those of qualified forms first."""
        rows = self.table["instructions"]
        if name in self.costs:
            rows.remove(self.costs[name])
        rows.insert(0, row)
        self.costs[name] = row

    def _stage(
        self, some: list[int], core: Core, is_changed: Callable[[Instruction], bool]
    ) -> list[tuple[Batch, Flags, Floats, Floats]]:
        """Return batches of blocks, the cells whose instructions change, least cycles, and logs."""
        decoder = Decoder(core)
        blocks, decoded = decode([self.hexes[k] for k in some], decoder)
        logs = self.logs[some][decoded]
        rows = program.table(decoder)
        marked = np.zeros(len(rows), np.int64)
        for k, i in enumerate(decoder.instructions):
            marked[k] = is_changed(i) and not (i.idiom or i.eliminated) and bool(i.form_name)
        # The unit of marked instructions is recognised in the batch.
        rows[:, _UNIT_COLUMN] += _MARK * marked
        out = []
        for part, batch, least in _batches(blocks, decoder, rows):
            cells = batch.unit >= _MARK
            out.append((replace(batch, unit=batch.unit % _MARK), cells, least, logs[part]))
        return out

    def _best(
        self,
        stage: list[tuple[Batch, Flags, Floats, Floats]],
        costs: list[dict[str, int]],
    ) -> int:
        """Return which costs of the changed cells are best; 0 unless better by a margin."""
        losses = np.zeros(len(costs))
        for batch, cells, least, logs in stage:
            n = len(batch.macro)
            for begin in range(0, len(costs), max(1, _CELLS // cells.size)):
                some = costs[begin : begin + max(1, _CELLS // cells.size)]
                stacked = {
                    f.name: np.concatenate([getattr(batch, f.name)] * len(some))
                    for f in fields(Batch)
                    if f.name not in ("core", "timed")
                }
                for k, cost in enumerate(some):
                    for key, value in cost.items():
                        stacked[key][k * n : (k + 1) * n][cells] = value
                whole = Batch(core=batch.core, timed=n * len(some), **stacked)
                found = simulate.steady(whole, passes_of(whole)).reshape(len(some), n)
                errors = log_errors(np.maximum(found, least), logs)
                losses[begin : begin + len(some)] += errors.sum(axis=1)
        best = int(losses.argmin())
        return best if is_better(float(losses[best]), float(losses[0])) else 0

    def lower_claims(self, hexes: Sequence[str], cycles: Floats) -> None:
        """Lower what bounds claim of forms and accesses that measured blocks (n) contradict."""
        decoder = Decoder(Core(self.table))
        blocks, decoded = decode(hexes, decoder)
        is_known = [
            all(decoder.instructions[row].support not in NO_PREDICTION for row in block)
            for block in blocks
        ]
        blocks = [block for block, known in zip(blocks, is_known, strict=True) if known]
        measured = cycles[decoded][is_known]
        kinds: tuple[tuple[str, Claims], ...] = (
            ("least_front_end", width_claims(blocks, decoder)),
            ("least_share", unit_claims(blocks, decoder)),
            ("least_latency", ChainClaims(blocks, decoder)),
        )
        for figure, claims in kinds:
            nothing = [(k, "", 0.0) for k in range(len(blocks))]
            for name, value in lower(claims, claims.bounds(nothing), measured).items():
                row = self._row_of(name)
                cost = cost_of(row)
                shares = {
                    "least_front_end": math.floor(value * cost.least_extra),
                    "least_share": value * cost.least_share,
                }
                self._put(name, {**row, figure: shares.get(figure, value)})

    def own_costs(self) -> list[Row]:
        """Return the rows of instruction_costs whose figures are not the relative's.

        Those of single forms come first.
        """
        forms = [
            self.costs[name]
            for name in sorted(self.costs)
            if cost_of(self.costs[name]) != cost_of({**self.relatives[name], "least_latency": None})
        ]
        return forms + [
            row
            for row, was in zip(self.inherited, self.relative["instructions"], strict=True)
            if cost_of(row) != cost_of(was)
        ]

    def own_ports(self) -> list[Row]:
        """Return the rows of core_ports that differ from the relative's."""
        first = {row["unit"]: row for row in reversed(self.table["units"])}
        return [first[unit] for unit in sorted(self.changed_units)]

    def _row_of(self, name: str) -> Row:
        """Return the own row of a form, or a copy of the row that counts for it."""
        if name in self.costs:
            return self.costs[name]
        for form in (name, name.split(" ", maxsplit=1)[0], "unknown"):
            for row in self.table["instructions"]:
                if re.fullmatch(row["pattern"], form):
                    self.relatives[name] = row
                    return {**row, "pattern": re.escape(name).replace("\\ ", " ")}
        raise LookupError(name)

    def _drawn(self, blocks: Iterable[int], most: int) -> list[int]:
        some = list(blocks)
        if len(some) <= most:
            return some
        return sorted(self.generator.choice(some, most, replace=False).tolist())

    def _choose(self, key: str, row: Row, blocks: list[int], values: Iterable[Any]) -> bool:
        """Set a figure to the best of values where that is better by a margin."""
        start = row[key]
        best, least = start, self.loss(blocks)
        before = least
        for value in values:
            if value == start or (value == 0 and start is None):
                continue
            row[key] = None if value == "none" else value
            try:
                loss = self.loss(blocks)
            finally:
                row[key] = start
            if loss < least and is_better(loss, before):
                best, least = value, loss
        row[key] = None if best == "none" else best
        return best is not start


def is_better(loss: float, before: float) -> bool:
    """Return whether errors became smaller by what is worth a change of the table."""
    return loss < before - max(_LEAST_GAIN, _LEAST_SHARE * before)


def log_errors(found: Floats, logs: Floats) -> Floats:
    """Return the errors of simulated cycles, given the logarithms of those measured.

    The simulated core has no obstacles but those of its table, so that a block can be slower, and
    one that is faster contradicts the table.
    """
    above = np.nan_to_num(np.log(found) - logs, nan=-_WORST)
    faster = _ABOVE * np.clip(above - _ALIKE, 0, _WORST)
    return np.asarray(np.where(above > 0, faster, np.minimum(-above, _WORST)), np.float64)


_SETS = {value: name for name, value in vars(ix.CpuidFeature).items() if isinstance(value, int)}


def _cells(row: Row) -> dict[str, int]:
    """Return the figures of a batch for a row of instruction_costs."""
    core_row = cost_of(row)
    long = core_row.busy >= LONG
    return {
        "macro": front_end(core_row),
        "unit": NAMES.index(core_row.unit),
        "uops": min(core_row.uops, 1) if long else core_row.uops,
        "latency": core_row.latency,
        "busy": core_row.busy,
    }


def _blocks_of_forms(
    hexes: Sequence[str], core: Core
) -> tuple[dict[str, list[int]], dict[str, str]]:
    """Return the blocks (positions) that have each form of instruction, and each kind of access.

    The shortest blocks come first, which have the least else. The second is the family of forms.
    """
    found: dict[str, set[int]] = {}
    family: dict[str, str] = {}
    for k, instructions in _instructions(hexes, core):
        if stack_faults(instructions):
            # They say nothing of what else they have.
            found.setdefault(_STACK_FAULT, set()).add(k)
            continue
        for i in instructions:
            if not (i.idiom or i.eliminated or not i.form_name):
                family[i.form_name] = i.name
                for name in {i.name, i.form_name}:
                    found.setdefault(name, set()).add(k)
            if i.loads:
                found.setdefault("vector load" if i.vector else "load", set()).add(k)
        if any(i.loads for i in instructions) and any(i.stores for i in instructions):
            for name in _ACCESSES[2:]:
                found.setdefault(name, set()).add(k)
    return {name: _shortest(hexes, blocks) for name, blocks in found.items()}, family


def _shortest(hexes: Sequence[str], blocks: Iterable[int]) -> list[int]:
    """Return blocks by their bytes: short ones have the least besides what they are chosen for."""
    return sorted(blocks, key=lambda k: (len(hexes[k]), k))


def _forms_of_rows(rows: Sequence[Row], family: Mapping[str, str]) -> dict[int, frozenset[str]]:
    """Return the forms (with their family) that each of the rows counts for, by its position."""
    patterns = [compiled(row["pattern"]) for row in rows]
    found: dict[int, set[str]] = {}
    for form, name in family.items():
        for text in (form, name):
            place = next((k for k, one in enumerate(patterns) if one.fullmatch(text)), None)
            if place is not None:
                found.setdefault(place, set()).add(form)
                break
    return {place: frozenset(forms) for place, forms in sorted(found.items())}


def _of_one_form(hexes: Sequence[str], core: Core) -> frozenset[int]:
    return frozenset(
        k for k, code in _instructions(hexes, core) if len({i.form for i in code}) == 1
    )


def _has_unit(unit: str, i: Instruction) -> bool:
    return i.unit == unit


def _blocks_of_units(hexes: Sequence[str], core: Core) -> dict[str, list[int]]:
    found: dict[str, set[int]] = {}
    for k, instructions in _instructions(hexes, core):
        for i in instructions:
            found.setdefault(i.unit, set()).add(k)
            if i.loads:
                found.setdefault("vload" if i.vector else "load", set()).add(k)
            if i.stores:
                found.setdefault("vstore" if i.vector else "store", set()).add(k)
    return {name: sorted(blocks) for name, blocks in found.items()}


def _instructions(hexes: Sequence[str], core: Core) -> Iterator[tuple[int, list[Any]]]:
    decoder = Decoder(core)
    blocks, decoded = decode(hexes, decoder)
    for k, block in zip(np.flatnonzero(decoded), blocks, strict=True):
        yield int(k), [decoder.instructions[row] for row in block]
