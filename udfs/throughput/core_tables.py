"""The table of a core (cores, instruction_costs): what an instruction costs there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

Ports = frozenset[str]

# The form by which tables name the update of a base register.
_BASE_UPDATE = "base update"


class Cost(NamedTuple):
    """Cost of an instruction: a row of instruction_costs.

    `row` its number, `kind` its class, `ports` those that can execute each micro-operation,
    `cycles` for which the first of these occupies its port, `latency`, `accumulate` cycles from the
    start of an instruction of the same row to that of one that adds to its result.
    """

    row: int
    kind: str
    ports: tuple[Ports, ...]
    cycles: float
    latency: float
    accumulate: float


NOTHING = Cost(-1, "other", (), 1.0, 0.0, 0.0)


class CoreTable:
    """Costs of all instructions of a core, by their form; `width` and `dispatch` a cycle."""

    def __init__(self, core: Mapping[str, Any]) -> None:
        """Compile the patterns of `core`, a struct of width, dispatch and instructions.

        Raises ValueError for a pattern that is no regular expression.
        """
        self.width: float = core["width"]
        self.dispatch: float = core["dispatch"]
        self._rows = [
            (compiled(row["pattern"]), _cost(number, row))
            for number, row in enumerate(core["instructions"])
        ]
        self._costs: dict[str, Cost | None] = {}
        self._own: dict[str, int] = {}
        self.base_update = self.cost(_BASE_UPDATE) or NOTHING

    def cost(self, form: str) -> Cost | None:
        """Return the cost of an instruction by the first row that names it; None without one."""
        if form not in self._costs:
            found = (cost for pattern, cost in self._rows if pattern.fullmatch(form))
            self._costs[form] = next(found, None)
        return self._costs[form]

    def put(self, form: str, row: Mapping[str, Any]) -> None:
        """Let an instruction cost what a row says, which is of it alone."""
        number = self._own.setdefault(form, len(self._rows) + len(self._own))
        self.restore(form, _cost(number, row))

    def restore(self, form: str, cost: Cost | None) -> None:
        """Let an instruction cost what `cost` returned before."""
        self._costs[form] = cost


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern of instruction_costs; raises ValueError for no regular expression."""
    try:
        return re.compile(pattern)
    except re.error as error:
        text = f"instruction_costs.pattern {pattern!r} is no regular expression: {error}"
        raise ValueError(text) from None


def _cost(number: int, row: Mapping[str, Any]) -> Cost:
    latency = row["latency"] or 0.0
    accumulate = latency if row["accumulate"] is None else row["accumulate"]
    ports = tuple(frozenset(one.split("/")) for one in (row["ports"] or "").split("+") if one)
    return Cost(number, row["class"], ports, row["cycles"], latency, accumulate)


def port_bound(demand: Mapping[Ports, float]) -> float:
    """Return the cycles that ports need for operations, distributed optimally.

    For every union of sets of ports: the operations that can run only there, over the number of
    ports (Hall's condition; the largest is the optimum of the port assignment).

    Args:
        demand: cycles of operations by the ports that can execute them.
    """
    unions: set[Ports] = set()
    for ports in demand:
        unions |= {ports, *(ports | union for union in unions)}
    within = (
        sum(cycles for ports, cycles in demand.items() if ports <= union) / len(union)
        for union in unions
    )
    return max(within, default=0.0)
