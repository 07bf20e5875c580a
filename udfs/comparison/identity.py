"""Which function of a version is which of the one before, where it was moved or renamed.

A function that only one side has is matched with one that only the other has: by the names of file
and function where only the folder is another; by its name where it moved to another file or scope;
else by file and callers, or file alone, where the name is another. But for the first, what it costs
has to be similar, or its callers the same; and no other function may match.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from udfs.arrow import Column, contiguous

_MATCH = pa.struct([("before", pa.string()), ("after", pa.string()), ("is_renamed", pa.bool_())])
# sweep of heat.py(sweep), sweep (heat.py) and heat.c:sweep
_PLACES = (
    re.compile(r"(?P<file>[^()]*\.\w+)\((?P<name>.+)\)"),
    re.compile(r"(?P<name>.+) \((?P<file>[^()]*\.\w+)\)"),
    re.compile(r"(?P<file>[^():]*\.\w+):(?P<name>[^:].*)"),
)
_ARGUMENTS = re.compile(r"<[^<>]*>|\([^()]*\)(?: const)?$")
_SCOPE = re.compile(r"(?:(?P<scope>.*)(?:::|\.))?(?P<name>[^:.]+)")
_SIMILAR = 2.0  # times the cost, up to which two functions can be one


@dataclass(frozen=True, slots=True)
class _Function:
    """A function of one side: its full name, and what it is matched by."""

    full: str
    file: str
    scope: str
    name: str
    callers: frozenset[tuple[str, str]]
    cost: float

    @property
    def key(self) -> tuple[str, str, str]:
        """File, scope and name: what stays where only the folder is another."""
        return self.file, self.scope, self.name

    def is_like(self, other: _Function) -> bool:
        """Return whether what is known beside the names speaks for one function."""
        if self.callers and self.callers == other.callers:
            return True
        small, large = sorted((self.cost, other.cost))
        return large <= _SIMILAR * small


def match_functions(before: Column, after: Column) -> pa.ListArray:
    """Return which functions of one side only were moved or renamed on the other.

    Args:
        before: n lists of structs name, callers (list of names, NULL: unknown) and cost (any unit)
            of the functions that only this side has.
        after: the same for the other side.

    Returns:
        n lists of structs: before and after, the two names of one function, and is_renamed: whether
        more differs than the folder of its file.
    """
    lists = zip(contiguous(before).to_pylist(), contiguous(after).to_pylist(), strict=True)
    rows = [
        [
            {"before": one.full, "after": other.full, "is_renamed": one.key != other.key}
            for one, other in _matches(*(list(map(_function, side or ())) for side in sides))
        ]
        for sides in lists
    ]
    return pa.array(rows, pa.list_(_MATCH))


def _function(row: dict[str, Any]) -> _Function:
    callers = frozenset(_parts(caller)[::2] for caller in row["callers"] or ())
    return _Function(row["name"], *_parts(row["name"]), callers, row["cost"])


def _parts(full: str) -> tuple[str, str, str]:
    """Return file without folders, scope, and name without arguments, of a function."""
    found = next((m for pattern in _PLACES if (m := pattern.fullmatch(full))), None)
    file, name = (found["file"], found["name"]) if found else ("", full)
    if not name.startswith("<"):
        while (plain := _ARGUMENTS.sub("", name)) != name:
            name = plain
    scoped = _SCOPE.fullmatch(name)
    scope, name = (scoped["scope"] or "", scoped["name"]) if scoped else ("", name)
    return re.split(r"[/\\]", file)[-1], scope, name


def _matches(
    before: Sequence[_Function], after: Sequence[_Function]
) -> Iterator[tuple[_Function, _Function]]:
    """Yield the pairs of functions that are one, what is surest first."""
    for key, is_sure in _KEYS:
        pairs = list(_pairs(before, after, key, is_sure=is_sure))
        yield from pairs
        taken = {id(one) for pair in pairs for one in pair}
        before, after = ([one for one in side if id(one) not in taken] for side in (before, after))


# What two functions share that are one, None where that tells nothing; and whether that is enough.
_KEYS: tuple[tuple[Callable[[_Function], Hashable | None], bool], ...] = (
    (lambda one: one.key if one.file else None, True),
    (lambda one: None if one.name.startswith("<") else one.name, False),
    (lambda one: (one.file, one.callers) if one.callers else None, False),
    (lambda one: one.file or None, False),
)


def _pairs(
    before: Sequence[_Function],
    after: Sequence[_Function],
    key: Callable[[_Function], Hashable | None],
    *,
    is_sure: bool,
) -> Iterator[tuple[_Function, _Function]]:
    """Yield the pairs that alone have a key, not None, on both sides, and are alike."""
    sides = [defaultdict[Hashable, list[_Function]](list) for _ in range(2)]
    for side, functions in zip(sides, (before, after), strict=True):
        for one in functions:
            if (found := key(one)) is not None:
                side[found].append(one)
    for found, ones in sides[0].items():
        others = sides[1].get(found, [])
        if len(ones) == len(others) == 1 and (is_sure or ones[0].is_like(others[0])):
            yield ones[0], others[0]
