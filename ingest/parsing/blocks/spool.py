"""Arrays put aside until the basic blocks are final."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ingest.parsing.lines import Chunk

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


def parsed(pieces: Iterable[Chunk], parse: Callable[[Chunk], _T]) -> Iterator[_T]:
    """Yield what `parse` makes of each piece, in order (numpy lets threads run at once)."""
    workers = max(1, min(3, (os.cpu_count() or 1) - 1))
    waiting: deque[Future[_T]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for piece in pieces:
            waiting.append(pool.submit(parse, piece))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
