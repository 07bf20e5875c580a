"""Calls of the programming interfaces of GPUs, what GPUs execute, and steps, by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ingest.parsing.timelines.slices import NONE
from udfs.arrays import Integers

_WAITS = re.compile(
    r"(?:cuda|cu|hip|xpu|mtia)\w*?(?:Device|Stream|Event|Ctx|Context)Synchronize(?:_\w+)?"
    r"|hsa_signal_wait\w*"
)
_VERSION = re.compile(r"_v\d+$")


def waits(name: str) -> bool:
    """Return whether a call returns only when the GPU has done what it was given."""
    return _WAITS.fullmatch(name) is not None


def without_version(name: str) -> str:
    """Return a call's name without the version of its interface (cudaLaunchKernel_v7000)."""
    return _VERSION.sub("", name)


_KINDS = re.compile(r"(?:.*_)?(?:runtime|driver)(?:_api\w*)?|cuda|hip\w*|hsa\w*")
_NAMES = re.compile(r"(?:cuda|cu|hip|xpu|mtia)[A-Z]\w*\b.*|hsa_\w+")
_DOES = (
    ("sync", re.compile(r"synchronize|signal_wait", re.IGNORECASE)),
    ("copy", re.compile(r"memcpy|memory_\w*copy", re.IGNORECASE)),
    ("memory", re.compile(r"malloc|free|memory_\w*allocate", re.IGNORECASE)),
)
_COPIES = re.compile(r"\W*(?:(?:cuda|hip) ?)?(?:memcpy|mem(?:ory)?[ _]?copy|copy)", re.IGNORECASE)
_FILLS = re.compile(r"\W*(?:(?:cuda|hip) ?)?(?:memset|fill ?buffer)", re.IGNORECASE)
_COLLECTIVES = re.compile(r"(?:void )?(?:nccl|rccl|msccl|nvshmem)", re.IGNORECASE)
_OPERATOR = re.compile(r"(?:aten|prims?|c10d?|autograd|quantized|torch\w*)::")
_STEP = re.compile(
    r"(?:ProfilerStep#|(?:\w+[ _])?(?:step|iteration|iter|batch)[ _#:]*)(\d{1,9})", re.IGNORECASE
)
_STEPS = re.compile(r"(?:train(?:ing)?[ _])?(?:step|iteration|iter|batch)", re.IGNORECASE)


def call_does(kind: str | None, name: str) -> str | None:
    """Return what a call does: sync, copy, memory or launch (the others); None where it is none."""
    if kind == "mpi":
        return "sync"
    if not (_KINDS.fullmatch((kind or "").lower()) or _NAMES.fullmatch(name)):
        return None
    return next((does for does, names in _DOES if names.search(name)), "launch")


def executed(kind: str | None, name: str) -> str:
    """Return what a GPU executes: a kernel, a copy, a fill, or communication between GPUs."""
    kind = (kind or "").lower()
    if kind != "kernel":
        if "memcpy" in kind or "copy" in kind or _COPIES.match(name):
            return "copy"
        if "memset" in kind or _FILLS.match(name):
            return "fill"
    return "communication" if _COLLECTIVES.match(name) else "kernel"


def stages(name: str) -> bool:
    """Return whether a copy is from or to pageable memory: its call moves the bytes by itself."""
    return "pageable" in name.lower()


def number_of_step(name: str) -> int:
    """Return the number of the step that a span of this name marks, NONE where it marks none."""
    match = _STEP.fullmatch(name)
    return int(match[1]) if match else NONE


def step_numbers(
    names: Sequence[str], name: Integers, worker: Integers, start: Integers
) -> Integers:
    """Return the number of the step that each slice marks, NONE where it marks none.

    Those without a number, which a thread marks again and again, count from 0 on.
    """
    numbers = np.array([number_of_step(text) for text in names] or [NONE], np.int64)[name]
    bare = np.array([_STEPS.fullmatch(text) is not None for text in names] or [False])[name]
    marks = np.flatnonzero(bare)
    marks = marks[np.lexsort((start[marks], name[marks], worker[marks]))]
    place = worker[marks] * len(names) + name[marks]
    _, first, often = np.unique(place, return_index=True, return_counts=True)
    count = np.arange(len(marks)) - np.repeat(first, often)
    numbers[marks] = np.where(np.repeat(often, often) > 1, count, NONE)
    return numbers


def is_operator(name: str) -> bool:
    """Return whether a span is of an operator of PyTorch, as its ranges of NVTX name them."""
    return _OPERATOR.match(name) is not None


def without_arguments(name: str) -> str:
    """Return the name of an operator's range without what PyTorch appends (`, seq = 7`)."""
    return name.partition(", ")[0] if is_operator(name) else name


def is_of_module(name: str) -> bool:
    """Return whether a span is of a module of the program, as PyTorch names them."""
    return name.startswith("nn.Module: ")
