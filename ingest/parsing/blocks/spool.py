"""Arrays put aside until the basic blocks are final."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

_IN_MEMORY = 64 << 20
_T = TypeVar("_T")


class Spool(Generic[_T]):
    """Batches of arrays in order, each with a word about it.

    Beyond 64 MiB the arrays lie in a temporary file; their descriptions stay in memory.
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        self._batches: list[tuple[_T, tuple[tuple[np.dtype[Any], int], ...]]] = []

    def put(self, about: _T, arrays: Sequence[NDArray[Any]]) -> None:
        """Put a batch aside."""
        self._batches.append((about, tuple((values.dtype, values.size) for values in arrays)))
        for values in arrays:
            self._file.write(values.tobytes())

    def batches(self) -> Iterator[tuple[_T, list[NDArray[Any]]]]:
        """Yield all batches in the order in which they were put."""
        self._file.seek(0)
        for about, kinds in self._batches:
            yield (
                about,
                [
                    np.frombuffer(self._file.read(size * kind.itemsize), kind)
                    for kind, size in kinds
                ],
            )

    def close(self) -> None:
        """Free the memory, or delete the file."""
        self._file.close()
