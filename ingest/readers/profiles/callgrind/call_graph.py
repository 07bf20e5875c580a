"""Costs of functions with their callees, from the calls of a callgrind profile.

callgrind counts, for each pair of functions, the calls and what they cost from call to return. A
call within a recursion is part of an outer one that is counted too, so that sums over all calls
count costs many times over (callgrind_annotate --inclusive=yes shows such sums). Here the
inclusive cost of a function is what was spent while it was on the stack:

- By default callgrind counts the outermost activations of a function apart from those within
  itself (fib, fib'2): the outermost ones alone are the inclusive cost, in cycles too.
- Without that, a function that calls only itself has what the calls by others cost. Of a cycle of
  several functions the one through which alone it is entered has all; of the others it is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from udfs.arrays import Floats, Integers


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls between functions: caller, callee and how often, and what they cost (events, calls)."""

    caller: Integers
    callee: Integers
    times: Integers
    costs: Integers


def inclusive(own: Integers, calls: Calls, level: Integers, region: Integers) -> Floats:
    """Return what regions cost with their callees, (events, regions); NaN where it is unknown.

    `own` are the exclusive costs (events, functions), `level` the recursion level of each
    function from 1, `region` the number of its region from 0.
    """
    functions = level.size
    others = calls.caller != calls.callee
    caller, callee, costs = calls.caller[others], calls.callee[others], calls.costs[:, others]
    graph = coo_array((np.ones(caller.size), (caller, callee)), shape=(functions, functions))
    entered, spent = np.zeros_like(own), own.copy()
    for event in range(len(own)):
        np.add.at(entered[event], callee, costs[event])
        np.add.at(spent[event], caller, costs[event])
    # Roots of the stack are called by nobody; what was cut at a dump may lack a caller.
    called = np.isin(np.arange(functions), callee)
    result = np.where(called, np.maximum(entered, spent), spent).astype(np.float64)
    if not (level > 1).any():
        cycle = connected_components(graph, connection="strong")[1]
        _cycles(result, own, cycle, (caller, callee, costs))
    return _regions(result, level, region, graph.tocsr())


def _cycles(
    result: Floats, own: Integers, cycle: Integers, calls: tuple[Integers, Integers, Integers]
) -> None:
    """Set what functions of cycles of several functions cost: that of the cycle, or NaN."""
    caller, callee, costs = calls
    members = np.bincount(cycle)
    inside = cycle[caller] == cycle[callee]
    entries = np.zeros(cycle.size, np.bool_)
    entries[callee[~inside]] = True
    entered = np.bincount(cycle[entries], minlength=members.size)
    for function in np.flatnonzero(members[cycle] > 1):
        mine = cycle == cycle[function]
        leaving = ~inside & mine[caller]
        alone = entries[function] and entered[cycle[function]] == 1
        whole = own[:, mine].sum(axis=1) + costs[:, leaving].sum(axis=1)
        result[:, function] = whole if alone else np.nan


def _regions(result: Floats, level: Integers, region: Integers, graph: coo_array) -> Floats:
    """Add up the outermost activations of each region.

    Where functions of one name call each other, also by way of others, their sum counts costs
    twice, and is unknown.
    """
    outer = np.flatnonzero(level == 1)
    sums = np.zeros((len(result), int(region.max(initial=-1)) + 1))
    for event, values in enumerate(result):
        np.add.at(sums[event], region[outer], values[outer])
    shared = np.flatnonzero(np.bincount(region[outer], minlength=sums.shape[1]) > 1)
    known = np.isin(region, region[outer])
    sums[:, np.setdiff1d(region, region[known])] = np.nan
    for one in shared:
        namesakes = outer[region[outer] == one]
        active = namesakes[result[:, namesakes].any(axis=0)]
        for function in active:
            below = breadth_first_order(graph, function, return_predecessors=False)
            if np.isin(active[active != function], below).any():
                sums[:, one] = np.nan
    return sums
