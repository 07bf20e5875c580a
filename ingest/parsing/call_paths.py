"""Call paths of profiles, and what a path takes itself out of what it takes with its callees."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from udfs.arrays import Floats, Integers

ARROW = "->"
UNKNOWN = "[unknown]"
_ARROW_IN_NAME = re.compile(r"(?<!operator)->")
# A frame as valgrind prints it: its address, its function, and where that is.
_VALGRIND = re.compile(r"0x[0-9A-Fa-f]+: (.+?)(?: \((?:in )?[^()]*\))?")
_NOT_SHOWN = re.compile(r"[\x00-\x1f\x7f]+")


def frame_name(text: str) -> str:
    """Return the name of a function as it can be part of a call path, whose separator is ->."""
    name = _NOT_SHOWN.sub(" ", text).strip()
    return _ARROW_IN_NAME.sub("\u2192", name) if ARROW in name else name or UNKNOWN


def valgrind_function(frame: str) -> str | None:
    """Return the function of a frame as valgrind prints it; None where the text is none."""
    found = _VALGRIND.fullmatch(frame)
    return frame_name(found[1]) if found else None


class CallPaths:
    """Numbers call paths in the order in which they are met, each after the one above it.

    `names` has the last function of each path, `above` the number of the path that it was
    called from, -1 if there is none.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.above: list[int] = []
        self._codes: dict[tuple[int, str], int] = {}

    def code(self, path: Sequence[str]) -> int:
        """Return the number of a path; -1 for the empty one."""
        code = -1
        for name in path:
            code = self.below(code, name)
        return code

    def below(self, code: int, name: str) -> int:
        """Return the number of the path that goes on from path `code` with `name`."""
        found = self._codes.setdefault((code, name), len(self.names))
        if found == len(self.names):
            self.names.append(name)
            self.above.append(code)
        return found

    def joined(self) -> list[str]:
        """Return all paths as text, functions joined with ->."""
        texts: list[str] = []
        for name, above in zip(self.names, self.above, strict=True):
            texts.append(name if above < 0 else texts[above] + ARROW + name)
        return texts


def rows_above(path: Integers, place: Integers, above: Integers) -> Integers:
    """Return, for rows of path and place, the row of the nearest path above at the same place.

    `path` and `place` have one entry a row, no pair twice; a path of -1 is above nothing.
    `above` is the path above each path, as `CallPaths.above`. -1 where no row is above: tools
    leave out paths in which nothing was measured.
    """
    places = int(place.max(initial=0)) + 1
    key = path * places + place
    order = np.argsort(key)
    ordered = key[order]
    found = np.full(len(path), -1, dtype=np.int64)
    # A further -1 at the end is what is above path -1.
    above = np.append(above, -1)
    wanted = above[path]
    searched = np.flatnonzero(wanted >= 0)
    while len(searched):
        sought = wanted[searched] * places + place[searched]
        at = np.minimum(np.searchsorted(ordered, sought), len(ordered) - 1)
        hit = ordered[at] == sought
        found[searched[hit]] = order[at[hit]]
        searched = searched[~hit]
        wanted[searched] = above[wanted[searched]]
        searched = searched[wanted[searched] >= 0]
    return found


def own_part(inclusive: npt.NDArray[Any], above: Integers, slack: float = 0.0) -> Floats:
    """Return what each row takes without the rows right below it.

    `inclusive` has a row per call path (and may have a column per location), `above` the row
    above each, -1 for none. Rounding can leave a little less than nothing: down to -`slack` per
    value taken part in it comes to 0. What is further below 0 is implausible and becomes NaN: the
    tool lost or double counted something.
    """
    total = inclusive.astype(np.int64 if _fits(inclusive) else np.float64)
    inner = above >= 0
    own = total.copy()
    np.subtract.at(own, above[inner], total[inner])
    parts = 1.0 + np.bincount(above[inner], minlength=len(total))
    result = own.astype(np.float64)
    below = result < 0
    rounded = result >= -slack * (parts if result.ndim == 1 else parts[:, None])
    result[below & rounded] = 0.0
    result[below & ~rounded] = np.nan
    return result


def _fits(values: npt.NDArray[Any]) -> bool:
    """Return whether whole numbers stay exact in 64 bits with a sign, not in a double."""
    return values.dtype.kind in "iu" and (not values.size or int(values.max()) < 1 << 63)


BELOW_ZERO = "below_zero"  # the tag of a run in which own values could not be computed


def below_zero(name: str, own: Floats) -> str | None:
    """Return how many own values `own_part` could not compute; None where it computed all."""
    unknown = int(np.count_nonzero(np.isnan(own)))
    return f"{name}: {unknown} of {own.size} own values, left unknown" if unknown else None
