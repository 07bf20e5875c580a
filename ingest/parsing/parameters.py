"""Kinds of the parameters of a scaling experiment, by their names or as the user states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

SIZE, OTHER = "size", "other"
_WORDS: Final = {
    "processes": "p procs processes ranks nprocs np nranks n_procs num_procs mpi_ranks mpi tasks "
    "ntasks pes npes images workers cores ncores cpus gpus",
    "threads": "threads nthreads num_threads omp_threads omp_num_threads t",
    "nodes": "nodes nnodes num_nodes hosts",
    "blocks": "blocks nblocks num_blocks thread_blocks ctas grid grid_size",
    SIZE: "size problem_size problemsize n problem elements cells",
}
COUNTS: Final = ("processes", "threads", "nodes", "blocks")
"""Kinds that a program is scaled by, the preferred one first."""
KINDS: Final = (*COUNTS, SIZE, OTHER)
SCALED_BY, KIND_OF = "scaled_by", "parameter:"
"""Tags of a run: the parameter that it is scaled by, and the kind of each, such as parameter:n."""
_CORES: Final = ("cores", "ncores", "cpus", "gpus")
"""Counts of what processes and threads share: how many processes there were is not known."""
_KIND_OF: Final = {word: kind for kind, words in _WORDS.items() for word in words.split()}


class Parameters:
    """Kinds of the parameters of an experiment, by their names and order.

    `parallel` is the number of the parameter that the program is scaled by: the first count in the
    order of `COUNTS`, else the first that is no problem size, else the first; `kind` is its kind.
    `size`, `threads` and `nodes` are the parameters of that meaning or None; a problem size without
    such a name is the first parameter that is nothing else. `stated` are kinds by name that the
    user states.
    """

    def __init__(self, names: Sequence[str], stated: Mapping[str, str] | None = None) -> None:
        self.names = tuple(names)
        kinds = [(stated or {}).get(name) or _KIND_OF.get(name.lower(), OTHER) for name in names]
        order = [*COUNTS, OTHER, SIZE]
        self.parallel = min(range(len(kinds)), key=lambda index: order.index(kinds[index]))
        self.kind = kinds[self.parallel]
        kinds[self.parallel] = "" if self.kind == OTHER else self.kind
        self.size = _first(kinds, SIZE, OTHER)
        self.threads, self.nodes = _first(kinds, "threads"), _first(kinds, "nodes")

    @property
    def counts_ranks(self) -> bool:
        """Whether the program is scaled by its processes."""
        return self.kind == COUNTS[0] and self.names[self.parallel].lower() not in _CORES

    @property
    def tags(self) -> dict[str, str]:
        """The tags that state by what the program is scaled, where no count of a run does."""
        name = self.names[self.parallel]
        known = self.counts_ranks or self.kind in COUNTS[1:3]
        return {} if known else {SCALED_BY: name, f"{KIND_OF}{name}": self.kind}


def _first(kinds: Sequence[str], *wanted: str) -> int | None:
    return next((kinds.index(kind) for kind in wanted if kind in kinds), None)
