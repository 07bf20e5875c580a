"""What functions refuse: arguments that do not fit together, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


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
    import pyarrow.compute as pc

    (first, column), *others = lists.items()
    lengths = pc.list_value_length(column)
    for name, other in others:
        differing = pc.indices_nonzero(pc.not_equal(lengths, pc.list_value_length(other)))
        if len(differing):
            row = differing[0].as_py()
            raise ArgumentError(
                f"{function}: {first} has {lengths[row]} elements and {name} has "
                f"{len(other[row])}, but they belong together"
            )
    for name, values in lists.items():
        if not takes_null and pc.list_flatten(values).null_count:
            raise ArgumentError(f"{function}: {name} contains NULL; leave such elements out of all")


def unfit(function: str, error: Exception) -> ArgumentError:
    """Return an error in words for arguments over which a function failed in its arrays."""
    return ArgumentError(f"{function}: these arguments do not fit together ({error})")
