"""Calls of the programming interfaces of GPUs, by their names."""

from __future__ import annotations

import re

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
