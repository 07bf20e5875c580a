"""Refusals of functions: arguments that do not fit together, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


class ArgumentError(ValueError):
    """Arguments that a function refuses; its text is for whoever called it in SQL."""


def check_pairs(
    function: str, lists: Mapping[str, pa.ChunkedArray], *, takes_null: bool = False
) -> None:
    """Raise `ArgumentError` where lists whose elements belong together do not fit, in any row.

    Args:
        function: name of the function, for the message.
        lists: Arrow columns of lists by parameter name; each row has as many elements in one as in
            every other.
        takes_null: whether elements can be NULL.
    """
    from udfs.arrow import elements

    (first, column), *others = lists.items()
    counts, known = _counts(column)
    for name, other in others:
        theirs, also_known = _counts(other)
        if (differing := (counts != theirs) & known & also_known).any():
            row = differing.argmax()
            raise ArgumentError(
                f"{function}: {first} has {counts[row]} elements and {name} has {theirs[row]}, "
                "but they belong together"
            )
    for name, values in lists.items():
        if not takes_null and any(elements(chunk).null_count for chunk in values.chunks):
            raise ArgumentError(f"{function}: {name} contains NULL; leave such elements out of all")


def _counts(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the number of elements of each of n lists, and which lists are not NULL."""
    import numpy as np

    from udfs.arrow import is_known, lengths

    counts = [lengths(chunk) for chunk in column.chunks]
    known = [is_known(chunk) for chunk in column.chunks]
    return np.concatenate([np.zeros(0, np.int32), *counts]), np.concatenate(
        [np.zeros(0, bool), *known]
    )


def unfit(function: str, error: Exception) -> ArgumentError:
    """Return an error in words for arguments over which a function failed in its arrays."""
    return ArgumentError(f"{function}: these arguments do not fit together ({error})")
