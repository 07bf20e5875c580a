"""Loop-carried dependence chains of a block that repeats, exactly, by the latencies of a core.

The block is a graph of operations, whose edges have a latency and cross zero or one passes. The
cycles that its dependences alone need for a pass are the largest ratio of latency to passes over
all cycles of the graph: the recurrence-constrained initiation interval (Rau, "Iterative modulo
scheduling", MICRO 1994), computed with Karp's theorem ("A characterization of the minimum cycle
mean in a digraph", Discrete Mathematics 1978).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

WINDOW = 40  # instructions of a window of chains
# Windows that are counted.
_WINDOWS = 3
_NEVER = float("-inf")


class Operation(NamedTuple):
    """An operation of a block: the registers it reads and writes, and its latency.

    Its `accumulator` (empty where there is none) is needed later than the `sources`: from an
    operation of the same `group`, `accumulate` cycles after that one's start. `instruction` is its
    position in the block.
    """

    instruction: int
    sources: tuple[str, ...]
    accumulator: str
    targets: tuple[str, ...]
    latency: float
    accumulate: float
    group: int


def recurrence(block: Sequence[Operation]) -> float:
    """Return the cycles of a pass of a block that its loop-carried dependences alone need."""
    edges = _edges(block)
    carried = sorted({producer for into in edges for producer, _, crosses in into if crosses})
    if not carried:
        return 0.0
    place = {producer: k for k, producer in enumerate(carried)}
    # Longest paths from the carried operations of the pass before to the start of each operation.
    start: list[list[float]] = []
    for into in edges:
        longest = [_NEVER] * len(carried)
        for producer, latency, crosses in into:
            if crosses:
                k = place[producer]
                longest[k] = max(longest[k], latency)
            else:
                before = start[producer]
                longest = [max(a, b + latency) for a, b in zip(longest, before, strict=True)]
        start.append(longest)
    return _largest_cycle_mean([start[producer] for producer in carried])


def _edges(block: Sequence[Operation]) -> list[list[tuple[int, float, bool]]]:
    """Return for each operation its producers, the latencies, and whether a pass is crossed."""
    writer = {target: k for k, operation in enumerate(block) for target in operation.targets}
    here: set[str] = set()
    edges = []
    for operation in block:
        into = []
        for register in operation.sources:
            if (producer := writer.get(register)) is not None:
                into.append((producer, block[producer].latency, register not in here))
        register = operation.accumulator
        if (producer := writer.get(register)) is not None:
            is_forwarded = block[producer].group == operation.group
            latency = operation.accumulate if is_forwarded else block[producer].latency
            into.append((producer, latency, register not in here))
        edges.append(into)
        for target in operation.targets:
            writer[target] = len(edges) - 1
            here.add(target)
    return edges


def _largest_cycle_mean(weights: Sequence[Sequence[float]]) -> float:
    """Return the largest mean weight of a cycle; 0 where there is none.

    Args:
        weights: n x n, of the edge from column to row; -inf where there is none.
    """
    n = len(weights)
    into = [[(u, w) for u, w in enumerate(row) if w > _NEVER] for row in weights]
    walks = [[0.0] * n]
    for _ in range(n):
        last = walks[-1]
        walks.append([max((last[u] + w for u, w in row), default=_NEVER) for row in into])
    return max(
        (
            min((walks[n][v] - walks[k][v]) / (n - k) for k in range(n) if walks[k][v] > _NEVER)
            for v in range(n)
            if walks[n][v] > _NEVER
        ),
        default=0.0,
    )


def critical_paths(block: Sequence[Operation]) -> list[int]:
    """Return the histogram of chain lengths 1 .. 40 over windows of 40 instructions.

    The block is unrolled to three windows; chains start anew in each. Every operation counts 1.
    """
    steps: list[list[tuple[tuple[str, ...], tuple[str, ...]]]] = []
    for operation in block:
        if operation.instruction == len(steps):
            steps.append([])
        read = (*operation.sources, operation.accumulator)
        steps[-1].append((read, operation.targets))
    longest: dict[int, int] = {}
    out = [0] * WINDOW
    for begin in range(0, _WINDOWS * WINDOW, WINDOW):
        first = begin % len(steps)
        if first not in longest:
            longest[first] = _longest_chain(steps, first)
        out[min(longest[first], WINDOW) - 1] += 1
    return out


def _longest_chain(
    steps: Sequence[Sequence[tuple[tuple[str, ...], tuple[str, ...]]]], first: int
) -> int:
    """Return the longest chain of operations in a window of a repeated block from a step on."""
    depth: dict[str, int] = {}
    longest = 0
    for k in range(first, first + WINDOW):
        for read, written in steps[k % len(steps)]:
            chain = 0
            for register in read:
                before = depth.get(register, 0)
                chain = max(chain, before)
            chain += 1
            for register in written:
                depth[register] = chain
            longest = max(longest, chain)
    return longest
