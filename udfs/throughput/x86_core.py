"""The table of an x86-64 core (cores, core_ports, instruction_costs): what an instruction costs.

Instructions are named by their family: the mnemonic without AVX's V, conditions as CC, all fused
multiplications and additions as FMA. A form is a family and, where it matters, what the operands
are (`udfs.throughput.costs`); of the rows whose pattern matches it the first counts, and without
any that of the family.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from udfs.arrays import Floats
from udfs.throughput.core_tables import compiled

# Kinds of operations; the ports that execute each are those of a core (core_ports).
NAMES = (
    *("none", "alu", "alu03", "alu12", "alu1", "idiv", "load", "vload", "store"),
    *("fp", "fp01", "fp12", "fp23", "fp03", "fp0", "fp1", "fp2", "fpstore", "vstore"),
    *("fdiv", "all"),
)
DEFAULT = "zen3"
SERIALISING = frozenset(
    ("CPUID", "MFENCE", "LFENCE", "SERIALIZE", "RDTSCP", "IRET", "INVD", "WBINVD")
)
# Operations that can wait for their operands at the same time.
_REFERENCE = Path(__file__).resolve().parents[2] / "sql" / "reference"
_CONDITIONS = (("SET", "SETCC"), ("CMOV", "CMOVCC"), ("J", "JCC"))
_FUSED = ("FMADD", "FMSUB", "FNMADD", "FNMSUB")


class Cost(NamedTuple):
    """Cost of an instruction.

    `unit` a name in NAMES, `uops` how many operations run there, `latency` in cycles from the last
    operand to the result without the load of a memory operand, `busy` cycles for which one
    occupies its unit, `extra` further macro-operations that only pass the front end. For bounds:
    `least_share` of the time on the unit, `least_latency`, and `least_extra` macro-operations
    beyond the first.
    """

    unit: str
    uops: int
    latency: int
    busy: int = 1
    extra: int = 0
    least_share: float = 1.0
    least_latency: int = 0
    least_extra: int = 0


# Instructions that occupy their unit for so many cycles are one operation.
LONG = 20
NOTHING = Cost("none", 0, 0)
_ABSENT = Cost("alu", 2, 4, 1, 4, 0.0)


class Core:
    """Costs of all instructions of a core, the ports of its units, and what it lacks.

    `width` macro-operations a cycle; `ports` by unit; `lacks` the beginnings of the names of
    instruction sets that it does not have; `loops` whether its models know taken branches; of a
    core that was estimated, the table's `measured` are the forms that its blocks had.
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        """Compile the rows of `table`, a struct of width, lacks, units and instructions.

        Raises ValueError for a pattern that is no regular expression, or a unit that is none.
        """
        self.table = table
        self.width = max(1, round(table["width"]))
        self.lacks = tuple((table["lacks"] or "").split())
        self.loops = bool(table.get("loops"))
        self._measured = frozenset(table.get("measured") or ())
        self._ports: dict[str, int] = {}
        self.ports: dict[str, tuple[int, ...]] = dict.fromkeys(NAMES, ())
        self.port_names: dict[str, str] = dict.fromkeys(NAMES, "")
        for row in reversed(table["units"] or []):
            self.ports[row["unit"]] = self.numbered(row["ports"])
            self.port_names[row["unit"]] = row["ports"].replace("/", "|")
        self._rows = [
            (compiled(row["pattern"]), cost_of(row)) for row in table["instructions"] or []
        ]
        self._costs: dict[str, Cost | None] = {}
        self._families: dict[str, str] = {}
        # Instructions that were analysed, by what distinguishes them.
        self.shapes: dict[tuple[int, ...], Any] = {}
        self.unknown = self.row("unknown") or _ABSENT
        # Cycles of an instruction that finds the stack of x87 full or empty.
        self.stack_fault = (self.row("stack fault") or NOTHING).latency

    @property
    def port_count(self) -> int:
        """The number of ports that units, or candidates for them, name."""
        return len(self._ports)

    def numbered(self, ports: str) -> tuple[int, ...]:
        """Return the numbers of ports that are named between slashes."""
        return tuple(self._ports.setdefault(p, len(self._ports)) for p in ports.split("/"))

    def row(self, form: str) -> Cost | None:
        """Return the cost of a form by the first row that names it; None without one."""
        if form not in self._costs:
            found = (cost for pattern, cost in self._rows if pattern.fullmatch(form))
            self._costs[form] = next(found, None)
        return self._costs[form]

    def put(self, form: str, cost: Cost) -> None:
        """Let a form, or a kind of access, cost something else from now on."""
        self._costs[form] = cost

    def cost(self, name: str) -> Cost:
        """Return the cost of a family; an average one where the table has none."""
        return self.row(name) or self.unknown

    def known(self, name: str) -> bool:
        """Return whether the table has the family."""
        return self.row(name) is not None

    def has_measured(self, form: str) -> bool:
        """Return whether the cost of a form is the core's own, not that of its relative."""
        return not form or not self._measured or form in self._measured

    def family(self, mnemonic: str) -> str:
        """Return the name of a mnemonic in the table: without AVX's V, conditions as CC."""
        if mnemonic not in self._families:
            self._families[mnemonic] = self._family(mnemonic)
        return self._families[mnemonic]

    def _family(self, mnemonic: str) -> str:
        if self.known(mnemonic):
            return mnemonic
        plain = mnemonic[1:] if mnemonic[0] == "V" else mnemonic
        if plain.startswith(_FUSED):
            return "FMA"
        if self.known(plain):
            return plain
        for start, name in _CONDITIONS:
            if mnemonic.startswith(start):
                return name
        return "PMOVZXBW" if plain.startswith("PMOV") else mnemonic

    @cached_property
    def _port_sets(self) -> tuple[Floats, Floats]:
        """Unions of up to three units' ports that overlap, where operations compete.

        Which units (units x sets) are within each, and their sizes.
        """
        units = {frozenset(ports) for ports in self.ports.values() if ports}
        unions = set(units)
        for count in (2, 3):
            for some in combinations(units, count):
                union = frozenset[int]().union(*some)
                if len(union) < sum(len(ports) for ports in some):
                    unions.add(union)
        sets = sorted(unions, key=lambda ports: (len(ports), sorted(ports)))
        within = [[bool(p) and s.issuperset(p) for s in sets] for p in self.ports.values()]
        return np.array(within, np.float64), np.array([len(s) for s in sets], np.float64)

    def unit_bound(self, demand: Floats) -> Floats:
        """Return the cycles that the units need for blocks' operations, distributed optimally.

        For every set of ports: the operations that can run only there, over the number of ports
        (Hall's condition; the largest is the optimum of the port assignment).

        Args:
            demand: cycles of each unit of NAMES that a block needs (blocks x units).
        """
        within, sizes = self._port_sets
        return np.asarray((demand @ within / sizes).max(axis=1), np.float64)

    def width_bound(self, macro: Floats) -> Floats:
        """Return the cycles that macro-operations need to pass the front end."""
        return np.asarray(macro / self.width, np.float64)


def front_end(cost: Cost) -> int:
    """Return the macro-operations that pass the front end."""
    return max(1, min(cost.uops, 8) if cost.busy < LONG else 1) + cost.extra


def cost_of(row: Mapping[str, Any]) -> Cost:
    """Return the cost of a row of instruction_costs; raises ValueError for an unknown unit."""
    unit = row["ports"] or "none"
    if unit not in NAMES:
        known = ", ".join(NAMES)
        raise ValueError(f"instruction_costs.ports {unit!r} of an x86-64 core is none of {known}")
    latency, least, extra = row["latency"] or 0, row["least_latency"], row.get("least_front_end")
    uops = (row["operations"] or 1) if unit != "none" else 0
    share = 1.0 if row["least_share"] is None else row["least_share"]
    cost = Cost(
        unit,
        int(uops),
        round(latency),
        max(1, round(row["cycles"])),
        int(row["front_end"] or 0),
        share,
        round(latency if least is None else least),
    )
    return cost._replace(least_extra=front_end(cost) - 1 if extra is None else int(extra))


def core_of(table: Mapping[str, Any] | None) -> Core:
    """Return the core of a table; that of DEFAULT as it ships without one."""
    return _cached(json.dumps(table) if table else "")


@lru_cache(maxsize=64)
def _cached(table: str) -> Core:
    return Core(json.loads(table) if table else _shipped(DEFAULT))


def _shipped(core: str) -> dict[str, Any]:
    """Return the table of a core that ships and inherits from none."""
    (own,) = _rows("cores", core)
    return {
        "width": float(own["width"]),
        "lacks": own["lacks"],
        "units": list(_rows("core_ports", core)),
        "instructions": [
            {key: _number(value) if key in _NUMBERS else value for key, value in row.items()}
            for row in _rows("instruction_costs", core)
        ],
    }


_NUMBERS = ("cycles", "latency", "operations", "front_end", "least_share", "least_latency")


def _rows(table: str, core: str) -> Iterable[dict[str, str]]:
    with (_REFERENCE / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["core"] == core]


def _number(text: str) -> float | None:
    return float(text) if text else None
