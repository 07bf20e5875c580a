"""Names of workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


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
