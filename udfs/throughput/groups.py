"""Groups of the features of segments, and segments combined from the parts of two others.

Derived features (the tightest bound, the ratios to it) are computed again from the combined parts.
The length is separated from the amounts per instruction (per micro-operation, where traces count
these), so that a long segment differs from a short one of the same kind in its length only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from udfs.arrays import Floats, Integers
from udfs.throughput.features import FEATURES, LOG_BEST, MIN_CYCLES
from udfs.throughput.memory import ACCESS_COUNTS
from udfs.throughput.traces import BOUNDS, DISTRIBUTIONS, TRACE_FEATURES
from udfs.throughput.x86_core import NAMES, core_of

GROUPS = (
    *("size and front end", "instruction mix", "dependence chains", "division and ports"),
    *("memory", "serialising instructions"),
)
_FRONT, _MIX, _CHAINS, _PORTS, _MEMORY, _SERIAL = GROUPS
_CODE_GROUPS: dict[str, tuple[str, ...]] = {
    _FRONT: ("log_width", "ratio_width", "n_instructions", "n_bytes", "n_macro", "n_long", "sync"),
    _CHAINS: (
        *("log_register_chain", "ratio_register_chain", "log_simulated", "ratio_simulated"),
        *(LOG_BEST, "n_latency", "n_merging"),
    ),
    _PORTS: (
        *(f"unit_{name}" for name in NAMES if name != "all"),
        *("log_units", "ratio_units", "n_divided_64", "n_divided_32"),
        *("op_div", "op_idiv", "op_divsd", "op_divss"),
    ),
    _MEMORY: (
        *("log_chain", "ratio_chain", "log_committed", "ratio_committed"),
        *("n_loads", "n_vector_loads", "n_indexed_loads"),
        *("n_stores", "n_vector_stores", "n_updates", "n_pushes", "n_pops", "op_push", "op_pop"),
        *ACCESS_COUNTS,
    ),
    _SERIAL: (
        *("unit_all", "n_locked", "n_repeated"),
        *(f"op_{name}" for name in ("mfence", "xchg", "xadd", "cmpxchg", "vzeroall")),
    ),
}
_TRACE_GROUPS: dict[str, tuple[str, ...]] = {
    _FRONT: ("log_bound", "log_uops", "width", "front_end", "taken", *DISTRIBUTIONS[40:]),
    _CHAINS: (
        *("critical_path", "chain_latency", "chain_length", "chain_spread", "rob"),
        *("flow_half", "flow_unlimited", *DISTRIBUTIONS[:40]),
    ),
    _PORTS: ("unit", "n_div", "n_fp_div"),
    _MEMORY: ("n_load", "n_store"),
    _SERIAL: ("drain", "serialising", "n_nonspeculative"),
}


@dataclass(frozen=True, slots=True)
class Form:
    """Structure of the features of one form of segments.

    `group` (m) is the place in GROUPS of each of the m features. `parts` converts features (n x m)
    to parts (n x m) that can be combined; `reference` returns for the parts of n segments and those
    of a typical one (m) the typical parts (n x m), unknown where the segment's are; `join` returns
    the features for parts. `size` is the part that is the logarithm of the length.
    """

    group: Integers
    size: int
    parts: Callable[[Floats], Floats]
    join: Callable[[Floats], Floats]
    reference: Callable[[Floats, Floats], Floats]

    def typical(self, x: Floats) -> Floats:
        """Return the features (m) of a typical segment: the medians of the parts of n segments.

        A part that none of them has is unknown (NaN).
        """
        parts = self.parts(x)
        found = np.full(parts.shape[1], np.nan)
        known = np.isfinite(parts).any(axis=0)
        found[known] = np.nanmedian(parts[:, known], axis=0)
        # Features have single precision: joining their parts has to reproduce them.
        for _ in range(3):
            typical = self.join(found[None]).astype(np.float32).astype(np.float64)
            found = self.parts(typical)[0]
        return np.asarray(typical[0])


def _numbered(names: tuple[str, ...], groups: Mapping[str, tuple[str, ...]]) -> Integers:
    """Return the group of each feature; features in no other group are of the instruction mix."""
    number = {name: GROUPS.index(group) for group, some in groups.items() for name in some}
    return np.array([number.get(name, GROUPS.index(_MIX)) for name in names])


# Blocks of machine code: logarithms of cycles come first, then ratios, instructions, other counts.
# The logarithms are parts per instruction, except: the simulated cycles are relative to the
# tightest bound; the chain through registers is a share of the latency of all instructions, which
# excludes that of divisions (a chain through one is long because of it); a chain through memory
# counts where it is longer than the other; the cycles of the units exclude operations that occupy
# the whole core.
_AT = {name: i for i, name in enumerate(FEATURES)}
_LIMITS = [_AT[f"log_{name}"] for name in ("width", "units", "committed", "chain")]
_RATIOS = [(_AT[n], _AT[n.replace("ratio", "log")]) for n in FEATURES if n.startswith("ratio_")]
_N, _ALL, _SIMULATED, _UNITS, _BEST, _LATENCY = (
    _AT[name]
    for name in ("n_instructions", "unit_all", "log_simulated", "log_units", LOG_BEST, "n_latency")
)
_LOGS, _DERIVED, _COUNTS = slice(0, _BEST), slice(_BEST, _N), slice(_N + 1, None)
_CHAIN, _REGISTERS = _AT["log_chain"], _AT["log_register_chain"]
# Used as the logarithm of 0 cycles in comparisons.
_NONE = -30.0
_DEMAND = [_AT[f"unit_{name}"] for name in NAMES]
# Approximate ratio of the latency of divisions and the time they occupy the divider (zen3).
_DIVIDERS, _PER_BUSY = [_AT["unit_idiv"], _AT["unit_fdiv"]], np.array([1.7, 2.6])


def _parts_of_code(x: Floats) -> Floats:
    parts = x.copy()
    size = np.log(x[:, _N])
    parts[:, _N] = size
    parts[:, _LOGS] -= size[:, None]
    parts[:, _DERIVED] = 0
    parts[:, _COUNTS] /= x[:, [_N]]
    serial = np.flatnonzero(x[:, _ALL] > 0)
    demand = x[serial][:, _DEMAND]
    demand[:, NAMES.index("all")] = 0
    if len(serial):
        other = np.maximum(core_of(None).unit_bound(demand), MIN_CYCLES)
        parts[serial, _UNITS] = np.log(other) - size[serial]
    parts[:, _SIMULATED] -= _tightest(parts)
    parts[parts[:, _CHAIN] <= parts[:, _REGISTERS], _CHAIN] = _NONE
    parts[:, _REGISTERS] -= _log(parts, _LATENCY)
    parts[:, _LATENCY] -= parts[:, _DIVIDERS] @ _PER_BUSY
    return parts


def _join_code(parts: Floats) -> Floats:
    x = parts.copy()
    x[:, _LATENCY] = np.maximum(parts[:, _LATENCY] + parts[:, _DIVIDERS] @ _PER_BUSY, 0)
    x[:, _REGISTERS] += _log(x, _LATENCY)
    x[:, _CHAIN] = np.maximum(x[:, _CHAIN], x[:, _REGISTERS])
    x[:, _SIMULATED] += _tightest(x)
    x[:, _UNITS] = np.maximum(parts[:, _UNITS], _log(parts, _ALL))
    size = parts[:, _N]
    x[:, _N] = np.exp(size)
    x[:, _COUNTS] *= x[:, [_N]]
    x[:, _LOGS] += size[:, None]
    best = x[:, [_SIMULATED, *_LIMITS[:-1]]].max(axis=1)
    x[:, _BEST] = best
    for ratio, log in _RATIOS:
        x[:, ratio] = x[:, log] - best
    return x


def _tightest(parts: Floats) -> Floats:
    return np.asarray(np.maximum(parts[:, _LIMITS].max(axis=1), _log(parts, _ALL)))


def _log(parts: Floats, count: int) -> Floats:
    """Return the logarithm of a count per instruction, of at least MIN_CYCLES a block."""
    size = parts[:, _N]
    return np.asarray(np.log(np.maximum(parts[:, count] * np.exp(size), MIN_CYCLES)) - size)


CODE_FORM = Form(
    _numbered(FEATURES, _CODE_GROUPS),
    _N,
    _parts_of_code,
    _join_code,
    lambda parts, typical: np.broadcast_to(typical, parts.shape),
)

# Traces: the tightest bound follows from the others.
_IN_TRACE = {name: i for i, name in enumerate(TRACE_FEATURES)}
_BOUND, _WIDTH, _DRAIN = (_IN_TRACE[name] for name in ("log_bound", "width", "drain"))
_BOUNDING = [_IN_TRACE[name] for name in BOUNDS]


def _parts_of_trace(x: Floats) -> Floats:
    """Return the features without the tightest bound, and drains without the width in them."""
    parts = x.copy()
    parts[:, _BOUND] = 0
    parts[:, _DRAIN] -= x[:, _WIDTH]
    return parts


def _join_trace(parts: Floats) -> Floats:
    x = parts.copy()
    x[:, _DRAIN] += parts[:, _WIDTH]
    x[:, _BOUND] = np.log(np.fmax.reduce(x[:, _BOUNDING], axis=1))
    return x


TRACE_FORM = Form(
    _numbered(TRACE_FEATURES, _TRACE_GROUPS),
    _IN_TRACE["log_uops"],
    _parts_of_trace,
    _join_trace,
    lambda parts, typical: np.where(np.isnan(parts), np.nan, typical),
)
