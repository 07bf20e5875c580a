"""The function for SQL on AArch64 machine code: mix, chains, and bounds by the table of a core."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from udfs.arrow import contiguous, returned
from udfs.throughput.aarch64 import Word, decode, texts
from udfs.throughput.core_tables import NOTHING, CoreTable, Cost, Ports, port_bound
from udfs.throughput.decode import bytes_of
from udfs.throughput.recurrences import Operation, critical_paths, recurrence
from udfs.throughput.summary import BOUNDS, ENDS
from udfs.throughput.support import NO_PREDICTION, POOR_SUPPORT

Row = dict[str, Any]


def describe_aarch64(codes: Any, core: Any) -> pa.ListArray:
    """Return mix, dependence chains and analytic bounds of blocks of AArch64 machine code.

    Args:
        codes: n lists of texts, a block in hexadecimal each.
        core: n structs, the table of a core: `width` macro-operations and `dispatch`
            micro-operations a cycle, `instructions` its rows of instruction_costs in their order.

    Returns:
        n lists of structs as from `udfs.throughput.blocks.block_summary`, of the core's bounds;
        NULL where a block cannot be decoded completely, and for a NULL core.
    """
    out: list[list[Row | None] | None] = []
    table, costs = None, None
    for blocks, one in zip(contiguous(codes).to_pylist(), core.to_pylist(), strict=True):
        if one != table:
            table, costs = one, CoreTable(one) if one else None
        known = blocks is not None and costs is not None
        out.append([_describe(text, costs) for text in blocks] if known and costs else None)
    return pa.array(out, returned("describe_aarch64"))


def _describe(text: str | None, core: CoreTable) -> Row | None:
    words = decode(bytes_of(text))
    if not words:
        return None
    costs = [core.cost(word.form) for word in words]
    flags = {_flag(word, cost) for word, cost in zip(words, costs, strict=True)} - {""}
    operations = _operations(words, costs, core)
    row = dict.fromkeys((*BOUNDS, *ENDS)) | _counts(words, costs)
    row |= {"critical_path": critical_paths(operations), "flags": sorted(flags)}
    if flags.isdisjoint(NO_PREDICTION):
        row |= dict(zip(BOUNDS, limits(words, core), strict=True))
    return row


def limits(words: Sequence[Word], core: CoreTable) -> tuple[float, float, float]:
    """Return the bounds of a block by width, chains and ports, in cycles of a pass."""
    costs = [core.cost(word.form) for word in words]
    known = [cost for cost in costs if cost]
    known += [core.base_update] * sum(bool(word.base) for word in words)
    uops = sum(len(cost.ports) for cost in known)
    width = max(len(words) / core.width, uops / core.dispatch if core.dispatch else 0)
    return width, recurrence(_operations(words, costs, core)), port_bound(_demand(known))


def aarch64_instructions(code: bytes, table: Row | None) -> list[Row] | None:
    """Return the instructions of a block and what each costs, as `blocks.block_instructions`."""
    words = decode(code)
    if not words or table is None:
        return None
    core = CoreTable(table)
    costs = [core.cost(word.form) for word in words]
    operations = _operations(words, costs, core)
    chain = recurrence(operations)
    out = []
    for k, (text, cost) in enumerate(zip(texts(code), costs, strict=True)):
        slower = [
            o._replace(latency=o.latency + 1, accumulate=o.accumulate + 1)
            if o.instruction == k
            else o
            for o in operations
        ]
        known = cost or NOTHING
        out.append(
            {
                "text": text,
                "unit": known.kind,
                "ports": " + ".join("|".join(sorted(ports)) for ports in known.ports),
                "operations": len(known.ports),
                "cycles": known.cycles,
                "latency": known.latency,
                "front_end": 1,
                "on_chain": recurrence(slower) > chain > 0,
            }
        )
    return out


def _flag(word: Word, cost: Cost | None) -> str:
    if word.is_system:
        return "system_instruction"
    if cost is None:
        return "not_on_core"
    return POOR_SUPPORT if cost.kind == "atomic" else ""


def _operations(
    words: Sequence[Word], costs: Sequence[Cost | None], core: CoreTable
) -> list[Operation]:
    """Return the operations of a block: a result, and where a base is updated another.

    Memory that is stored and loaded by the same base and offset counts as a register. No latency
    of its forwarding is published; that of the load is the least.
    """
    out = []
    changed = {register for word in words for register in (*word.targets, word.base)}
    versions: Counter[str] = Counter()
    stored: set[str] = set()
    for place, (word, cost) in enumerate(zip(words, costs, strict=True)):
        sources, targets = word.sources, word.targets
        memory = _memory(word, versions)
        if word.stores:
            targets = (*targets, *memory)
            stored.update(memory)
        elif word.place and (word.place.base not in changed or stored.issuperset(memory)):
            sources = (*sources, *memory)
        out.append(_operation(place, sources, word.accumulator, targets, cost or NOTHING))
        if word.base:
            read = (word.base, *word.step)
            out.append(_operation(place, read, "", (word.base,), core.base_update))
        versions.update({*word.targets, word.base})
    return out


def _memory(word: Word, versions: Counter[str]) -> tuple[str, ...]:
    """Return the names of what a load or store accesses, by the version of its base."""
    if word.place is None:
        return ()
    base, offset, size, parts, is_updated = word.place
    version = versions[base] + is_updated
    return tuple(f"[{base}.{version}+{offset + k * size}:{size}]" for k in range(parts))


def _operation(
    place: int, sources: tuple[str, ...], accumulator: str, targets: tuple[str, ...], cost: Cost
) -> Operation:
    return Operation(place, sources, accumulator, targets, cost.latency, cost.accumulate, cost.row)


def _demand(costs: Sequence[Cost]) -> Counter[Ports]:
    """Return the cycles that ports need, by the ports that can execute an operation."""
    out: Counter[Ports] = Counter()
    for cost in costs:
        for k, ports in enumerate(cost.ports):
            out[ports] += cost.cycles if k == 0 else 1  # type: ignore[assignment]
    return out


def _counts(words: Sequence[Word], costs: Sequence[Cost | None]) -> Row:
    kinds = Counter("other" if cost is None else cost.kind for cost in costs)
    return {
        "instructions": len(words),
        **{f"n_{kind}": kinds[kind] for kind in ("int", "fp", "simd", "branch")},
        "n_load": sum(word.loads for word in words),
        "n_store": sum(word.stores for word in words),
        "n_other": kinds["other"] + kinds["atomic"],
        "serialising": sum(word.is_barrier for word in words),
    }
