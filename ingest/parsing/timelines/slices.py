"""The slices of one process (rank): what a trace says ran where and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from udfs.arrays import Integers


def distinct(names: Sequence[str], numbers: Sequence[object]) -> list[str]:
    """Return the names, with its number behind each that several have."""
    count = Counter(names)
    taken: set[str] = set()
    found = []
    for name, number in zip(names, numbers, strict=True):
        own = name if count[name] == 1 else f"{name} {number}"
        while own in taken:
            own += "'"
        taken.add(own)
        found.append(own)
    return found


NONE = -1


class Role(IntEnum):
    """Kind of a slice on its worker."""

    WORK = 0  # a call on a thread
    SPAN = 1  # on a thread, what encloses calls: an annotation, a frame of Python
    WAIT = 2  # a call in which a thread waits for the GPU
    DEVICE = 3  # what a GPU executes in one of its streams
    CLOCK = 4  # elapsed time, during which no worker need have worked: an asynchronous operation


@dataclass(frozen=True, slots=True)
class Worker:
    """One thread or stream: its name, the number its system gave it, the node, and the device.

    `device` is that whose stream it is; None for a thread.
    """

    name: str
    node: str
    thread: int | None = None
    device: str | None = None


@dataclass(frozen=True, slots=True)
class Slices:
    """Slices as arrays: one entry each. Times in ns, `name` and `kind` number the lists below.

    `size` is how many bytes a copy or fill moves, `step` the number of the step that a span marks:
    NONE for nothing, and no array where a trace has neither.
    """

    worker: Integers
    name: Integers
    kind: Integers
    role: Integers
    start: Integers
    end: Integers
    size: Integers | None = None
    step: Integers | None = None


@dataclass(frozen=True, slots=True)
class Launches:
    """Which call launched what: positions of slices, and what names the launch in its process."""

    caller: Integers
    device: Integers
    number: Integers


@dataclass(frozen=True, slots=True)
class Arrows:
    """Dependences that a trace draws: from a worker at a time to a worker at a time, ns.

    `sent` is whether the trace says that something was sent, so that it was in transit between.
    """

    from_worker: Integers
    t_from: Integers
    to_worker: Integers
    t_to: Integers
    sent: npt.NDArray[np.bool_]


def _none() -> Integers:
    return np.zeros(0, np.int64)


def no_launches() -> Launches:
    """Return launches of a trace without any."""
    return Launches(_none(), _none(), _none())


def no_arrows() -> Arrows:
    """Return arrows of a trace without any."""
    return Arrows(_none(), _none(), _none(), _none(), np.zeros(0, bool))


@dataclass(frozen=True, slots=True)
class Timeline:
    """All of one process: `rank` is None where the trace does not number processes.

    `whole_lives` is whether a thread has slices from its first moment to its last, as where each
    function is traced; else threads are there all the time.
    """

    workers: list[Worker]
    names: list[str]
    kinds: list[str | None]
    slices: Slices
    launches: Launches = field(default_factory=no_launches)
    arrows: Arrows = field(default_factory=no_arrows)
    rank: int | None = None
    whole_lives: bool = False

    @property
    def begin(self) -> int:
        """The first start, ns."""
        return int(self.slices.start.min())

    @property
    def end(self) -> int:
        """The last end, ns."""
        return int(self.slices.end.max())


def encoded(texts: Sequence[str], numbers: Integers) -> pa.Array:
    """Return the texts by their numbers, each once in memory; null for NONE."""
    indices = pa.array(numbers, pa.int32(), mask=numbers < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string()))


def looked_up(values: Integers, places: Integers) -> Integers:
    """Return the values at places, NONE where the place is NONE."""
    return np.append(values, NONE)[places]
