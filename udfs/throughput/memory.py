"""Store-to-load forwarding within a block, and counts of its memory accesses.

The second pass represents the steady state; where addresses change between passes, the fourth.
"""

from __future__ import annotations

from collections.abc import Sequence

from udfs.throughput.emulation import Access, Forward, Tracker
from udfs.throughput.instructions import Instruction

# The counts that `accesses` returns, for one pass of a block.
ACCESS_COUNTS = (
    *("commit", "strided_loads", "strided_stores", "lines_loaded", "lines_stored"),
    *("split_loads", "split_stores", "page_splits", "forwards", "failed_forwards"),
    *("carried_forwards", "renamed_forwards", "page_aliases", "way_conflicts", "pages"),
)
_LINE, _PAGE, _CHUNK = 64, 4096, 32  # bytes; chunks are what two stores are written to at once
# Passes that are skipped, so that moving accesses have left their start, and stores their queue.
_SKIPPED = 64


def accesses(
    block: Sequence[Instruction], *, distinct: bool = False
) -> tuple[list[Forward], list[float]]:
    """Return loads (first memory operands) that a store feeds, and the ACCESS_COUNTS.

    Where registers are `distinct`, different ones point to different arrays.
    """
    tracker = Tracker(block)
    first, found = tracker.run_pass()
    before = tracker.registers.copy()
    made, found = tracker.run_pass()
    if made != first:
        # All registers start with one address: moving accesses collide at first, and never again.
        tracker.skip_passes(before, _SKIPPED)
        first, _ = tracker.run_pass()
        made, found = tracker.run_pass()
    if distinct:
        found = [forward for forward in found if forward.meets]
    moving, edges = [0.0] * 4, [0, 0, 0]
    if first != made:
        moving = _moving(first, made)
    for _, address, size, _ in made:
        if address % _LINE + size > _LINE:
            edges = _edges(made)
            break
    pages = {access[1] // _PAGE for access in made}
    counts = [
        _commit(first, made),
        *moving,
        *edges,
        len(found),
        sum(not f.whole for f in found),
        sum(f.carried for f in found),
        sum(f.renamed for f in found),
        *(_conflicts(made) if len(pages) > 1 else (0, 0)),
        len(pages) + edges[2],
    ]
    return found, counts


def _moving(first: list[Access], made: list[Access]) -> list[float]:
    """Return loads and stores that moved since the previous pass, and the lines they touch."""
    out = [0.0] * 4
    for old, new in zip(first, made, strict=True):
        if old.address != new.address:
            out[new.store] += 1
            out[2 + new.store] += min(abs(new.address - old.address), _LINE) / _LINE
    return out


def _edges(made: list[Access]) -> list[int]:
    """Return the numbers of loads and stores that cross a line, and of those that cross a page."""
    out = [0, 0, 0]
    for a in made:
        if a.address % _LINE + a.size > _LINE:
            out[a.store] += 1
            out[2] += a.address % _PAGE + a.size > _PAGE
    return out


def _commit(first: list[Access], made: list[Access]) -> float:
    """Return the cycles that stores need to be written to the cache.

    One store a cycle, or two consecutive ones into the same 32 bytes; vectors are written alone.
    """
    chunks: list[int] = []
    for k, (old, new) in enumerate(zip(first, made, strict=True)):
        if new.store:
            alone = new.vector or old.address != new.address
            chunks.append(-1 - k if alone else new.address // _CHUNK)
    cycles, run = 0.0, 0
    starts = [k for k in range(len(chunks)) if chunks[k] != chunks[k - 1]]
    if not starts:
        return len(chunks) / (1 if chunks and chunks[0] < 0 else 2)
    for k, start in enumerate(starts):
        end = starts[k + 1] if k + 1 < len(starts) else starts[0] + len(chunks)
        run = end - start
        cycles += (run + 1) // 2
    return cycles


def _conflicts(made: list[Access]) -> tuple[int, int]:
    """Return loads with a page offset stored to in another page, and lines with equal offsets."""
    lines: dict[int, set[int]] = {}
    stored: dict[int, set[int]] = {}
    for a in made:
        page, offset = divmod(a.address, _PAGE)
        lines.setdefault(offset // _LINE, set()).add(page)
        if a.store:
            for word in range(offset >> 2, (offset + max(a.size, 1) + 3) >> 2):
                stored.setdefault(word, set()).add(page)
    aliases = 0
    for a in made:
        page, offset = divmod(a.address, _PAGE)
        words = range(offset >> 2, (offset + max(a.size, 1) + 3) >> 2)
        aliases += not a.store and any(stored.get(word, {page}) - {page} for word in words)
    return aliases, sum(len(pages) - 1 for pages in lines.values())
