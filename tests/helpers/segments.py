"""Made-up segments of programs as a file, for the tests of fitting a throughput model."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def segments(path: Path, programs: int = 6, each: int = 20) -> Path:
    """Write segments of programs whose cycles follow from front end and chains."""
    random = np.random.default_rng(0)
    names = "program,insts,uops,cycles,n_int,n_load,cp_1,cp_2,cp_3,fe_0,fe_1,fe_2"
    lines = [names]
    for program in range(programs):
        share = random.uniform(0.1, 0.4)
        for _ in range(each):
            uops = int(random.integers(3000, 6000))
            loads = int(uops * share)
            chains = random.multinomial(uops // 40, [0.2, 0.3, 0.5])
            idle = int(random.integers(50, 500))
            cycles = int((uops / 2 + idle) * random.uniform(1.1, 1.15))
            fields = (uops - loads, loads, *chains, idle, 0, uops // 2)
            lines.append(f"p{program},{uops},{uops},{cycles},{','.join(map(str, fields))}")
    path.write_text("\n".join(lines) + "\n")
    return path
