"""Parts of a Chrome trace that XLA's profiler (of JAX and TensorFlow) writes.

A process is a device, and its threads are streams and lines that sum these up; the names of Python
functions begin with a dollar sign, and a span with a number of a step marks a step.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ingest.parsing.timelines.gpu_calls import waits
from ingest.parsing.timelines.slices import Role

# All of its slices have arguments and no category.
WITH_ARGUMENTS: frozenset[str | None] = frozenset((None,))
PYTHON = "python_function"
_DEVICE = re.compile(r"/device:(GPU|TPU):(\d+)\b.*")
_STREAM = re.compile(r"Stream #(\d+)\b.*")
_OPERATIONS = "XLA Ops"


def is_xla(stated: Mapping[str, Any]) -> bool:
    """Return whether a trace is XLA's, by what it states before its events."""
    metadata = stated.get("metadata")
    return isinstance(metadata, dict) and "highres-ticks" in metadata


def device_and_stream(process: str, thread: str) -> tuple[str, str | None] | None:
    """Return the device of a thread and its stream, None for a line that sums up others.

    None where it is a thread of the host.
    """
    device = _DEVICE.fullmatch(process)
    if device is None:
        return None
    stream = _STREAM.fullmatch(thread)
    if stream is not None:
        return f"{device[1]} {device[2]}", f"stream {stream[1]}"
    is_activity = device[1] == "TPU" and thread == _OPERATIONS
    return f"{device[1]} {device[2]}", _OPERATIONS if is_activity else None


def host_role(name: str, *, marks_step: bool) -> Role:
    """Return what a slice of a thread of the host is."""
    if marks_step or is_python(name):
        return Role.SPAN
    return Role.WAIT if waits(name) else Role.WORK


def is_python(name: str) -> bool:
    """Return whether a slice is a call of a Python function."""
    return name.startswith("$")
