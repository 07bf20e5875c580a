"""Where lanes come back that a divergent branch sent elsewhere.

A warp whose lanes part does the one side, then the other. Where the second side only falls into
the place at which the first side, or lanes without any, had been sent to, no PC of the warp shows
of a jump. The lanes do: the next line that names a lane after a branch that it took, and that
others did not, is where it jumped to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.parsing.blocks.cursor import Integers, Mask

Masks = NDArray[np.uint32]
_LANES = 32


class Joins:
    """Follows lanes from piece to piece of a trace."""

    def __init__(self) -> None:
        self._away = 0
        self._last = (-1, 0)

    def find(self, slot: Integers, mask: Masks, control: Mask, begins: Mask) -> Integers:
        """Return the slots that lanes were sent to by branches that others did not take.

        All are over the lines of a piece: `control` flags instructions that may branch, `begins`
        the first line of each warp.
        """
        if not slot.size:
            return slot
        if not begins[0] and int(slot[0]) == self._last[0] + 1:
            self._away |= self._last[1]
        elif begins[0]:
            self._away = 0
        parts = np.zeros(slot.size, np.bool_)
        parts[:-1] = (slot[1:] == slot[:-1] + 1) & ~begins[1:]
        parts &= control & (mask != 0)
        found = slot[:0]
        warp: Integers = np.cumsum(begins)
        if self._away or parts.any():
            mine: Mask = np.isin(warp, warp[parts])
            mine = mine | (warp == warp[0]) & (self._away != 0)
            found = self._follow(
                slot[mine], mask[mine], parts[mine], warp[mine], int(warp[0]), int(warp[-1])
            )
        elif warp[-1] != warp[0]:
            self._away = 0
        self._last = (int(slot[-1]), int(mask[-1]) if control[-1] else 0)
        return found

    def _follow(
        self, slot: Integers, mask: Masks, parts: Mask, warp: Integers, first: int, last: int
    ) -> Integers:
        # A line before the others is for the lanes that are away already.
        mask = np.append(np.uint32(self._away), mask)
        parts, slot = np.append(True, parts), np.append(-1, slot)
        warp = np.append(first, warp)
        bits = np.unpackbits(mask.astype("<u4").view(np.uint8), bitorder="little")
        lane, line = np.nonzero(bits.reshape(-1, _LANES).T)
        goes_on = np.zeros(lane.size, np.bool_)
        goes_on[:-1] = (lane[1:] == lane[:-1]) & (warp[line[1:]] == warp[line[:-1]])
        away = parts[line] & ~goes_on & (warp[line] == last)
        self._away = int(np.bitwise_or.reduce(np.uint32(1) << lane[away].astype(np.uint32)))
        back = np.flatnonzero(parts[line] & goes_on) + 1
        return np.unique(slot[line[back]])
