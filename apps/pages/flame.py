"""Flame graphs: stacks of functions merged into the tree that the browser draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from apps.queries.base import ask
from apps.queries.profile import Profile
from udfs.arrays import Floats, Integers
from warehouse.session import Connection

# Beyond that the smallest call paths are left out.
MOST_NODES = 100_000


@dataclass(frozen=True, slots=True)
class Tree:
    """Stacks merged from the root, which is node 0; every parent comes before its children.

    `parent` and `name` (an index of `names`, -1 for the root) have one value a node, as have the
    own costs `own` and `before`; `left_out` counts the call paths that are too small.
    """

    names: list[str]
    parent: Integers
    name: Integers
    own: Floats
    before: Floats
    left_out: int = 0

    def data(self) -> dict[str, Any]:
        """Return the tree as the component of flame.js takes it."""
        return {
            "names": self.names,
            "parent": self.parent.tolist(),
            "name": self.name.tolist(),
            "own": _short(self.own),
            "before": _short(self.before) if self.before.any() else None,
        }


def profile_tree(con: Connection, which: Profile) -> tuple[dict[str, Any], int]:
    """Return the tree of a profile for flame.js, and how many call paths are left out of it."""
    tree = merge_stacks(ask(con, "profile/stacks", **which.params).pl())
    return tree.data(), tree.left_out


def _short(costs: Floats) -> list[float]:
    """Return costs to six significant digits: there can be very many."""
    return [float(f"{cost:.6g}") for cost in costs.tolist()]


def merge_stacks(frame: pl.DataFrame, most: int = MOST_NODES) -> Tree:
    """Return the tree of stacks: columns stack (names from the root), own, own_before.

    Of more than `most` nodes the largest are kept, which include the callers of each; the costs of
    the others go to their callers.
    """
    lengths = frame["stack"].list.len().to_numpy().astype(np.int64)
    frames = frame["stack"].explode(empty_as_null=False).alias("name").to_frame()
    known = frames.unique().sort("name").with_row_index("code")
    codes = frames.join(known, on="name", maintain_order="left")["code"].to_numpy()
    names = known["name"].to_list()
    begins = np.concatenate(([0], np.cumsum(lengths)[:-1])) if len(lengths) else lengths
    node = np.zeros(len(lengths), np.int64)
    parents, called, levels = [np.array([-1])], [np.array([-1])], [slice(0, 1)]
    for depth in range(int(lengths.max(initial=0))):
        inside = lengths > depth
        keys = node[inside] * len(names) + codes[begins[inside] + depth].astype(np.int64)
        found, which = np.unique(keys, return_inverse=True)
        first = levels[-1].stop
        node[inside] = first + which
        parents.append(found // len(names))
        called.append(found % len(names))
        levels.append(slice(first, first + len(found)))
    parent, name = np.concatenate(parents), np.concatenate(called)
    own, before = (
        np.bincount(node, frame[column].to_numpy(), len(parent)).astype(np.float64)
        for column in ("own", "own_before")
    )
    tree = Tree(names, parent, name, own, before)
    return tree if len(parent) <= most else _largest(tree, levels, most)


def _largest(tree: Tree, levels: list[slice], most: int) -> Tree:
    own, before = tree.own.copy(), tree.before.copy()
    inclusive = np.maximum(_with_callees(own, tree, levels), _with_callees(before, tree, levels))
    inclusive[0] = np.inf
    keep = inclusive >= np.partition(inclusive, -most)[-most]
    # Of equally small ones none is kept, so that callers stay before what they call.
    if keep.sum() > most:
        keep = inclusive > np.partition(inclusive, -most)[-most]
    for level in reversed(levels[1:]):
        nodes = np.arange(level.start, level.stop)[~keep[level]]
        for costs in (own, before):
            np.add.at(costs, tree.parent[nodes], costs[nodes])
    place = np.cumsum(keep) - 1
    parent = np.where(tree.parent[keep] < 0, -1, place[tree.parent[keep]])
    left_out = int((~keep).sum())
    return Tree(tree.names, parent, tree.name[keep], own[keep], before[keep], left_out)


def _with_callees(own: Floats, tree: Tree, levels: list[slice]) -> Floats:
    """Return the cost with all callees of each node, added up from the deepest level on."""
    total = own.copy()
    for level in reversed(levels[1:]):
        np.add.at(total, tree.parent[level], total[level])
    return total
