"""From the states of StarPU's workers to the intervals in which the runtime worked."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.readers.starpu.paje import RUNTIME_STATES, Paje

Ints = NDArray[np.int64]
_OTHER = -1


def runtime_intervals(paje: Paje, workers: pa.ChunkedArray, base: int) -> pa.Table:
    """Return the stretches of each worker in a state of the runtime, times from `base` on, ns.

    Setting a state replaces the one on top, pushing hides it and popping brings it back. A state
    that still lasts at the end of the trace has no known end and makes no row; neither does one
    that was over when the first task was submitted.
    """
    worker = pc.index_in(paje.states["worker"].combine_chunks(), workers.combine_chunks())
    known = pc.is_valid(worker)
    table = paje.states.filter(known)
    group = worker.filter(known).to_numpy().astype(np.int64)
    time = table["time"].to_numpy()
    order = np.lexsort((time, group))
    group, time = group[order], time[order]
    step = table["step"].to_numpy()[order].astype(np.int64)
    state = table["state"].combine_chunks().fill_null(_OTHER).to_numpy()[order]
    state = _in_force(group, step, state.astype(np.int64))
    end = np.append(time[1:], 0)
    goes_on = np.append(group[1:] == group[:-1], False)[: len(group)]
    keep = (state != _OTHER) & goes_on & (end[: len(time)] > np.maximum(time, base))
    return pa.table(
        {
            "worker": workers.take(pa.array(group[keep])),
            "t_start": pa.array(time[keep] - base),
            "t_end": pa.array(end[: len(time)][keep] - base),
            "state": pa.array(list(RUNTIME_STATES.values())).take(pa.array(state[keep])),
        }
    )


def _in_force(group: Ints, step: Ints, state: Ints) -> Ints:
    """Return the state after each event; the events of a group are together, by time."""
    depth = _depth(group, step)
    order = np.lexsort((depth, group))
    position = np.arange(len(order))
    setter = np.where(step[order] >= 0, position, -1)
    last = np.maximum.accumulate(setter) if len(order) else setter
    at = order[np.maximum(last, 0)]
    found = (last >= 0) & (group[at] == group[order]) & (depth[at] == depth[order])
    result = np.full(len(order), _OTHER)
    result[order] = np.where(found, state[at], _OTHER)
    return result


def _depth(group: Ints, step: Ints) -> Ints:
    """Return the height of the stack after each event; popping an empty one leaves it empty."""
    total: Ints = np.cumsum(step)
    if not len(total):
        return total
    first = np.append(True, group[1:] != group[:-1])
    start = np.flatnonzero(first)
    height: Ints = total - np.repeat(
        total[start] - step[start], np.diff(np.append(start, len(total)))
    )
    # Each group is moved below all of the one before, so that the running least starts anew.
    below = np.cumsum(first) * (2 * len(total) + 1)
    least = np.minimum.accumulate(height - below) + below
    height -= np.minimum(least, 0)
    return height
