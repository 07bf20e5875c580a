"""Pieces of a long text, taken apart by several threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from ingest.parsing.lines import Chunk

_T = TypeVar("_T")


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
