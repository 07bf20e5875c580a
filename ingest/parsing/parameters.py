"""What the parameters of a scaling experiment are, by their names."""

from __future__ import annotations

from collections.abc import Sequence

_RANKS = ("p", "procs", "processes", "ranks", "nprocs", "np", "nranks", "n_procs", "mpi_ranks")
_PARALLEL = (*_RANKS, "threads", "cores", "nodes")
_SIZES = ("size", "problem_size", "problemsize", "n", "problem", "elements", "cells")


class Parameters:
    """What the parameters of an experiment are, by their names and order.

    `parallel` is the number of the parameter that the program is scaled by: the first in the
    order of `_PARALLEL` that there is, else the first that is no problem size, else the first.
    `named` is whether that is by its name, `counts_ranks` whether it can count processes. `size`,
    `threads` and `nodes` are the parameters of that meaning or None; a problem size without such
    a name is the first parameter that is nothing else.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        lower = [name.lower() for name in names]
        named = next((name for name in _PARALLEL if name in lower), None)
        sizes = [lower.index(name) for name in _SIZES if name in lower]
        others = [index for index in range(len(names)) if index not in sizes]
        self.named = named is not None
        self.parallel = lower.index(named) if named else (others or [0])[0]
        spare = [i for i in others if i != self.parallel and lower[i] not in _PARALLEL]
        self.size = next(iter([*sizes, *spare]), None)
        self.threads = lower.index("threads") if "threads" in lower else None
        self.nodes = lower.index("nodes") if "nodes" in lower else None
        self.counts_ranks = named in _RANKS if named else self.parallel not in sizes
