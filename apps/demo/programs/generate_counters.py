"""Hardware counters of six versions of a stencil, GENERATED: no machine has counted them.

    python generate_counters.py > stencil_counters.csv

Virtual machines seldom have hardware counters, so these stand in for them; they are ingested with
the tag generated=true. The known change: from version 2.3 on a row of the grid is 4096 bytes long,
so the rows above and below fall into the same cache sets and the misses of the first-level cache
rise sixfold.
"""

from __future__ import annotations

import random
import sys

VERSIONS = ("2.0", "2.1", "2.2", "2.3", "2.4", "2.5")
CHANGED = "2.3"
SAMPLES = 20
NANOSECONDS = 100_000_000
CYCLES = 300_000_000
# Events per cycle before the change and after it.
RATES = {
    "instructions": (2.1, 1.2),
    "L1-dcache-load-misses": (0.006, 0.036),
    "LLC-load-misses": (0.0004, 0.0005),
    "branch-misses": (0.0012, 0.0007),
}

if __name__ == "__main__":
    noise = random.Random(1)  # noqa: S311
    sys.stdout.write("app,version,sample,t_start,t_end,event,value\n")
    for version in VERSIONS:
        for sample in range(SAMPLES):
            cycles = CYCLES * noise.gauss(1, 0.004)
            counts = {"cycles": cycles}
            for event, rates in RATES.items():
                counts[event] = cycles * rates[version >= CHANGED] * noise.gauss(1, 0.02)
            for event, count in counts.items():
                begin = sample * NANOSECONDS
                row = (version, sample, begin, begin + NANOSECONDS, event, round(count))
                sys.stdout.write(",".join(map(str, ("stencil", *row))) + "\n")
