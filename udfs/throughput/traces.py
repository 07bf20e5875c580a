"""Models of traced segments: their inputs, and training data with missing values.

The features are computed in SQL (sql/views/throughput_inputs.sql), per micro-operation. The first
is the logarithm of the tightest bound on cycles per micro-operation, above which models predict the
excess; the second is the logarithm of the micro-operations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TRACE_FEATURES = (
    "log_bound",
    "log_uops",
    "front_end",
    "critical_path",
    "chain_latency",
    "chain_length",
    "chain_spread",
    "unit",
    "rob",
    "flow_64",
    "flow_unlimited",
    "n_int",
    "n_mul",
    "n_div",
    "n_fp",
    "n_fp_div",
    "n_simd",
    "n_load",
    "n_store",
    "n_branch",
    "taken",
    "serialising",
    "n_nonspeculative",
)

# Features that traces may lack.
_FLOWS = ("flow_64", "flow_unlimited")
_FINE = ("front_end", "chain_latency", "taken", "n_nonspeculative", "n_mul", "n_div", "n_fp_div")
# As in the view segment_inputs.
_WINDOW, _LATENCY = 0.75, 1.4


def poorer_traces(x: Floats, width: Floats) -> tuple[Floats, Floats]:
    """Return segments as less detailed traces describe them, so that models learn to cope.

    Args:
        x: features of n segments in the order of TRACE_FEATURES.
        width: micro-operations a cycle that each segment's core can take (n).

    Returns:
        Features without data flow in a window, and features without that, the ideal front end,
        latencies and fine instruction classes (each n x m).
    """
    at = {name: i for i, name in enumerate(TRACE_FEATURES)}
    flowless = x.copy()
    flowless[:, [at[name] for name in _FLOWS]] = np.nan
    window = _WINDOW * 100 * x[:, at["rob"]]
    flowless[:, at["critical_path"]] = 40 * x[:, at["chain_latency"]] / window
    plain = flowless.copy()
    plain[:, [at[name] for name in _FINE]] = np.nan
    plain[:, at["critical_path"]] = 40 * _LATENCY * x[:, at["chain_length"]] / window
    for each in (flowless, plain):
        bounds = [
            1 / width,
            *(each[:, at[name]] for name in ("front_end", "critical_path", "unit")),
        ]
        each[:, at["log_bound"]] = np.log(np.fmax.reduce(bounds))
    return flowless, plain
