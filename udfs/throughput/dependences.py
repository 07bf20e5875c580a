"""The function for SQL that finds the longest dependence chain of groups of instructions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from udfs.arrow import contiguous


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
    sizes = np.asarray(groups.value_lengths().fill_null(0))
    members = groups.flatten()
    counts = np.asarray(members.value_lengths().fill_null(0))
    distance = members.flatten().to_numpy(zero_copy_only=False)
    longest, most = int(sizes.max(initial=0)), int(counts.max(initial=0))
    if not longest:
        return pa.array(np.zeros(len(groups), np.int32), mask=np.asarray(groups.is_null()))
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
    return pa.array(depth.max(axis=1), mask=np.asarray(groups.is_null()))
