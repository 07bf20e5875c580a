"""Functions for SQL on dependences: the longest chain of a group, the data flow of a segment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from udfs.arrow import contiguous, elements, is_known, lengths, returned


def longest_chain(distances: Any) -> pa.Int32Array:
    """Return the length of the longest dependence chain of each group of instructions.

    All groups are processed together, one instruction of each at a time.

    Args:
        distances: n lists of instructions in program order; each is a list of the distances back to
            its producers (1: the instruction before it), empty where it has none. A producer
            before the group's start does not count.

    Returns:
        n numbers of instructions; 0 for an empty group, NULL for a NULL one.
    """
    groups = contiguous(distances)
    sizes, members = lengths(groups), elements(groups)
    counts = lengths(members)
    distance = elements(members).to_numpy(zero_copy_only=False)
    longest, most = int(sizes.max(initial=0)), int(counts.max(initial=0))
    if not longest:
        return pa.array(np.zeros(len(groups), np.int32), mask=~is_known(groups))
    row = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    back = np.zeros((len(sizes), longest, max(most, 1)), np.int64)
    of = np.repeat(np.arange(len(row)), counts)
    which = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    back[row[of], place[of], which] = np.nan_to_num(distance)
    present = np.zeros((len(sizes), longest), bool)
    present[row, place] = True
    depth = np.zeros((len(sizes), longest), np.int32)
    rows = np.arange(len(sizes))[:, None]
    for k in range(longest):
        source = k - back[:, k]
        inside = (back[:, k] >= 1) & (source >= 0)
        before = np.where(inside, depth[rows, np.maximum(source, 0)], 0).max(axis=1)
        depth[:, k] = np.where(present[:, k], before + 1, 0)
    return pa.array(depth.max(axis=1), mask=~is_known(groups))


_WINDOWS = {"flow_unlimited": 0, "flow_64": 64, "flow_128": 128}


def data_flow(distances: Any, latencies: Any) -> pa.StructArray:
    """Return the cycles that the data flow of segments alone takes, in windows of some sizes.

    An instruction starts when its producers are done and, in a window of w instructions, the one w
    before it has retired; instructions retire in order. Nothing else limits (the data-flow limit
    of Wall, "Limits of instruction-level parallelism", ASPLOS 1991, with finite windows).

    Args:
        distances: n lists of instructions in program order; each is a list of the distances back to
            its producers, empty where it has none. Producers before the segment do not count.
        latencies: n lists of the cycles from an instruction's start to its result; NULL counts
            as 1.

    Returns:
        n structs of cycles: `flow_unlimited`, `flow_64`, `flow_128`; NULL where a list is NULL.
    """
    out: list[dict[str, float] | None] = []
    for segment, cycles in zip(contiguous(distances), contiguous(latencies), strict=True):
        if not (segment.is_valid and cycles.is_valid):
            out.append(None)
            continue
        each, waits = segment.as_py(), [1.0 if c is None else c for c in cycles.as_py()]
        out.append({name: _flow(each, waits, size) for name, size in _WINDOWS.items()})
    return pa.array(out, returned("data_flow"))


def _flow(distances: list[list[int] | None], latencies: list[float], window: int) -> float:
    """Return the cycles of one segment in a window of instructions; 0 for one without end."""
    done: list[float] = []
    retired: list[float] = []
    last = 0.0
    for place, (producers, latency) in enumerate(zip(distances, latencies, strict=True)):
        start = retired[place - window] if window and place >= window else 0.0
        for distance in producers or ():
            if 1 <= distance <= place and done[place - distance] > start:
                start = done[place - distance]
        done.append(start + latency)
        last = max(last, start + latency)
        retired.append(last)
    return last
