"""Content of a Dask cluster dump, and how its values are understood; times in s of the epoch."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from warehouse.errors import InputError

_HASH = re.compile(r"[0-9a-f]{8,}")
# 2001 and 2286: nothing was recorded outside.
_TIMES = (1e9, 1e10)


@dataclass(slots=True)
class Known:
    """A task that the scheduler still knew when the dump was made."""

    prefix: str
    bytes: int | None
    needs: list[str]
    holders: list[str]


@dataclass(slots=True)
class Execution:
    """One computation of one key, as the worker stamped it (with its guess at the offset).

    `turned` is when the worker turned to it, without the guess.
    """

    key: str
    start: float
    stop: float
    bytes: int | None
    failed: bool
    stimulus: str
    turned: float | None = None


@dataclass(slots=True)
class Incoming:
    """One transfer of several keys to this worker (stamps with the guess)."""

    source: str
    start: float
    stop: float
    sizes: dict[str, int | None]


@dataclass(slots=True)
class Log:
    """Content of a worker's state log, without the guess.

    By key and stimulus: when the worker turned to the task, and when its result was in memory.
    By sender and keys: when each transfer was requested and had come, in order.
    """

    rows: int = 0
    began: dict[tuple[str, str], float] = field(default_factory=dict)
    in_memory: dict[tuple[str, str], float] = field(default_factory=dict)
    received: dict[tuple[str, frozenset[str]], list[tuple[float, float]]] = field(
        default_factory=lambda: defaultdict(list)
    )


@dataclass(slots=True)
class Worker:
    """One worker process; `outgoing` has (time, guess) of what it sent."""

    address: str
    threads: int = 1
    log: Log = field(default_factory=Log)
    log_length: int = 1000
    executions: list[Execution] = field(default_factory=list)
    incoming: list[Incoming] = field(default_factory=list)
    outgoing: list[tuple[float, float]] = field(default_factory=list)


@dataclass(slots=True)
class State:
    """The whole dump."""

    scheduler: str = ""
    names: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, Known] = field(default_factory=dict)
    submitted: dict[str, float] = field(default_factory=dict)
    workers: dict[str, Worker] = field(default_factory=dict)
    silent: list[str] = field(default_factory=list)
    version: str | None = None


def key_in_map(text: Any, where: str) -> str:
    """Return a key that is used as the key of a map, where tuples were printed as lists."""
    if isinstance(text, str) and re.match(r"\[['\"(]", text) and text.endswith("]"):
        inner = text[1:-1]
        return f"({inner})" if "," in inner else f"({inner},)"
    return key_of(text, where)


def key_of(value: Any, where: str) -> str:
    """Return a key as Dask prints it; tuples come out of a dump as lists."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return repr(_tuple(value))
    if isinstance(value, (int, float, bytes)) and not isinstance(value, bool):
        return repr(value)
    raise _wrong("a task's key", value, where, "text or a tuple")


def _tuple(value: Any) -> Any:
    return tuple(_tuple(item) for item in value) if isinstance(value, (list, tuple)) else value


def prefix_of(key: str) -> str:
    """Return the part of a key that names the function: up to a number or hash, as Dask does."""
    text = re.sub(r"^\('?(.*?)'?(?:,.*)?\)$", r"\1", key, flags=re.DOTALL)
    first, *rest = text.split("-")
    plain = takewhile(lambda word: word.isalpha() and not _HASH.fullmatch(word), rest)
    return "-".join([first, *plain])


def moment(value: Any, what: str, where: str) -> float:
    """Return a time of the epoch, in s; raises `InputError` for anything else."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high = _TIMES
        if low < value < high:
            return float(value)
    raise _wrong(what, value, where, "a time in seconds since 1970")


def size(value: Any, where: str) -> int | None:
    """Return a size in bytes; Dask writes -1 where it does not know."""
    if value is None or value == -1:
        return None
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and math.isfinite(value) and 0 <= value < 2**63:
        return int(value)
    raise _wrong("nbytes", value, where, "a size in bytes")


def _wrong(what: str, value: Any, where: str, expected: str) -> InputError:
    return InputError(f"{what} is {str(value)[:60]!r}", where=where, expected=expected)
