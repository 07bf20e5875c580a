"""Which rank of a distributed program a Kineto trace is of, and the traces of the others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ingest.recording import read_head
from warehouse.errors import InputError

_DISTRIBUTED = re.compile(rb'"distributedInfo"\s*:\s*\{([^{}\[\]]*)')
_NUMBER = re.compile(rb'"(rank|world_size)"\s*:\s*(\d{1,9})\b')
_SUFFIXES = (".json", ".json.gz", ".json.zst", ".json.xz", ".trace", ".trace.gz")


@dataclass(frozen=True, slots=True)
class Process:
    """The process of a program of several that a trace is of."""

    rank: int
    world_size: int


def process_of(facts: Mapping[str, Any]) -> Process | None:
    """Return which process a trace is of; None where it does not state it.

    Raises `InputError` where the numbers are impossible.
    """
    info = facts.get("distributedInfo")
    if not isinstance(info, dict) or "rank" not in info:
        return None
    rank, size = info["rank"], info.get("world_size")
    if size is None and isinstance(rank, int):
        size = rank + 1
    if not (isinstance(rank, int) and isinstance(size, int) and 0 <= rank < size < 1 << 31):
        raise InputError(
            f"rank is {rank!r} and world_size {size!r}",
            where="distributedInfo",
            expected="a rank from 0 to below world_size",
        )
    return Process(rank, size)


def ranks_beside(path: Path) -> tuple[Path, ...]:
    """Return the traces in the folder of `path` that are of other ranks of its run, and it.

    They are taken for one run where their world_size is the same, more than one, and no rank is
    there twice. The result is by rank, and (path,) where there are no others.
    """
    own = _process(path)
    if own is None or own.world_size < 2:
        return (path,)
    found: dict[int, list[Path]] = {}
    for other in sorted(path.parent.iterdir()):
        if other.name.endswith(_SUFFIXES) or other.name == path.name:
            process = _process(other)
            if process is not None and process.world_size == own.world_size:
                found.setdefault(process.rank, []).append(other)
    if any(len(files) > 1 for files in found.values()):
        return (path,)
    return tuple(path.parent / files[0].name for _, files in sorted(found.items()))


def _process(path: Path) -> Process | None:
    try:
        stat = path.stat()
        return _process_in(path, stat.st_mtime_ns, stat.st_size)
    except (OSError, InputError):
        return None


@lru_cache(8192)
def _process_in(path: Path, _modified: int, _size: int) -> Process | None:
    """Return which process a file is of, by its beginning; each is read once."""
    if not path.is_file():
        return None
    data = read_head(path)
    match = _DISTRIBUTED.search(data)
    if match is None or b'"traceEvents"' not in data:
        return None
    numbers = {name: int(number) for name, number in _NUMBER.findall(match[1])}
    if len(numbers) < 2 or numbers[b"rank"] >= numbers[b"world_size"]:
        return None
    return Process(numbers[b"rank"], numbers[b"world_size"])
