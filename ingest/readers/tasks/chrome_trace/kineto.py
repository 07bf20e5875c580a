"""Parts of a Chrome trace that only PyTorch's profiler (Kineto) writes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ingest.parsing.timelines.gpu_calls import waits
from ingest.parsing.timelines.slices import Role

# Categories, those of versions before 2.0 with them, in lower case.
DEVICE = frozenset({"kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"})
CALLS = frozenset(
    f"{maker}{layer}"
    for maker in ("", "cuda_", "hip_", "xpu_", "mtia_", "privateuse1_")
    for layer in ("runtime", "driver")
)
_SPANS = frozenset({"user_annotation", "python_function", "python function"})
_CLOCKS = frozenset({"gpu_user_annotation"})
# Flows that correlations state already, and those that state no time.
_LINKS = frozenset({"ac2g", "async_cpu_to_gpu", "async_gpu"})
ORDERS = frozenset({"fwdbwd", "forward_backward", "fwd_bwd"})
KNOWN_LINKS = _LINKS | ORDERS
# What is on a timeline and is no work there, and what it is called.
NOT_WORK = {
    "trace": ("span of the profiler", "spans of the profiler"),
    "overhead": ("interval of the profiler's own work", "intervals of the profiler's own work"),
    "cuda_sync": ("mark of a synchronisation", "marks of synchronisations"),
}


# Only Kineto has these: traces that a tool has passed on may have lost what else tells.
_ITS_OWN = frozenset({"cpu_op", "cuda_runtime", "gpu_memcpy", "gpu_user_annotation", "ac2g"})


def is_kineto(categories: Iterable[str | None]) -> bool:
    """Return whether events of these categories are of Kineto."""
    return not _ITS_OWN.isdisjoint(categories)


def _forms(names: frozenset[str]) -> frozenset[str]:
    """Return categories in the spellings of all versions."""
    return frozenset(form for name in names for form in (name, name.capitalize()))


ON_DEVICES = _forms(DEVICE)
WITH_CORRELATION = _forms(DEVICE | CALLS)
_STEP = re.compile(r"(ProfilerStep)#\d+")


def role(kind: str | None, name: str) -> Role | None:
    """Return what a slice of a Kineto trace is; None for what lands nowhere."""
    kind = (kind or "").lower()
    if kind in NOT_WORK:
        return None
    if kind in DEVICE:
        return Role.DEVICE
    if kind in _SPANS:
        return Role.SPAN
    if kind in _CLOCKS:
        return Role.CLOCK
    return Role.WAIT if kind in CALLS and waits(name) else Role.WORK


def plain_name(name: str) -> str:
    """Return a name without the number of the step, so that the steps have one."""
    match = _STEP.fullmatch(name)
    return match[1] if match else name
