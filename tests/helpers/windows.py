"""Made-up windows of programs with one bottleneck each, as files, and their labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np

# Counts of a window of 10 000 cycles on a core that issues four a cycle.
KINDS = {
    "Balance": {"uops": 32000},
    "Mem": {"uops": 8000, "mem_reads": 300, "l3_misses": 300},
    "DTB": {"uops": 8000, "dtb_misses": 400},
    "ICache": {"uops": 9000, "l2i_accesses": 500, "l2i_misses": 300, "itb_misses": 80},
    "DMA": {"uops": 7000, "dma_ops": 200, "dma_bytes": 40000},
    "Other": {"uops": 6000, "mispredicts": 150},
}
_ALL = ("l1i_accesses", "mem_writes", *(name for counts in KINDS.values() for name in counts))
EVENTS = ("cycles", "issue_width", *dict.fromkeys(_ALL))


def windows(path: Path, programs: int = 4, samples: int = 10) -> Path:
    """Write windows of `programs` programs of every kind; counts vary by some per cent."""
    chance = np.random.default_rng(1)
    lines = ["run_id,sample,event,value"]
    for kind, usual in KINDS.items():
        for program in range(programs):
            for sample in range(samples):
                counts = dict.fromkeys(EVENTS, 0) | usual
                varied = {name: round(n * chance.normal(1, 0.04)) for name, n in counts.items()}
                varied |= {"cycles": 10000, "issue_width": 4, "l1i_accesses": 2500}
                run = f"{kind}{program} 64"
                lines += [f"{run},{sample},{name},{count}" for name, count in varied.items()]
    path.write_text("\n".join(lines) + "\n")
    return path


def labels(path: Path, programs: int = 4) -> Path:
    """Write a label for every program, in lower case."""
    known = [f"{kind}{i} 64,{kind.lower()}" for kind in KINDS for i in range(programs)]
    path.write_text("\n".join(["run_id,class", *known]) + "\n")
    return path
