"""Models of traced segments: their inputs, and training data with missing values.

The features are computed in SQL (sql/views/throughput_inputs.sql), per micro-operation. The first
is the logarithm of the tightest bound on cycles per micro-operation, above which models predict the
excess; the second is the logarithm of the micro-operations. The last are distributions: shares of
the groups of 40 whose longest chain has 1 to 40 micro-operations, and of the cycles in which an
ideal front end issues 0 to 4.
"""

from __future__ import annotations

import numpy as np

from udfs.arrays import Floats

TRACE_FEATURES = (
    *("log_bound", "log_uops", "width", "front_end", "critical_path", "chain_latency"),
    *("chain_length", "chain_spread", "unit", "drain", "rob", "flow_half", "flow_unlimited"),
    *("n_int", "n_mul", "n_div", "n_fp", "n_fp_div", "n_simd", "n_load", "n_store", "n_branch"),
    *("taken", "serialising", "n_nonspeculative"),
    *(f"chain_{length}" for length in range(1, 41)),
    *(f"front_{issued}" for issued in range(5)),
)
DISTRIBUTIONS = TRACE_FEATURES[-45:]

# The bounds, of which log_bound is the logarithm of the largest.
BOUNDS = ("width", "critical_path", "unit", "drain")
# Features that traces may lack.
_FLOWS = ("flow_half", "flow_unlimited")
_FINE = (
    *("front_end", "chain_latency", "taken", "n_nonspeculative", "n_mul", "n_div", "n_fp_div"),
    *DISTRIBUTIONS[-5:],
)
# Operations in a group whose chain is counted.
_GROUP = 40


def poorer_traces(x: Floats) -> tuple[Floats, Floats]:
    """Return segments as less detailed traces describe them, so that models learn to cope.

    Args:
        x: features of n segments in the order of TRACE_FEATURES.

    Returns:
        Features without data flow in a window, and features without that, the ideal front end,
        latencies and fine instruction classes (each n x m).
    """
    at = {name: i for i, name in enumerate(TRACE_FEATURES)}
    flowless = x.copy()
    flowless[:, [at[name] for name in _FLOWS]] = np.nan
    # As in the view segment_inputs.
    reach = (100 * x[:, at["rob"]] + _GROUP) / _GROUP
    flowless[:, at["critical_path"]] = x[:, at["chain_latency"]] / reach
    plain = flowless.copy()
    plain[:, [at[name] for name in _FINE]] = np.nan
    plain[:, at["critical_path"]] = x[:, at["chain_length"]] / reach
    bounds = [at[name] for name in BOUNDS]
    for each in (flowless, plain):
        each[:, at["log_bound"]] = np.log(np.fmax.reduce(each[:, bounds], axis=1))
    return flowless, plain
