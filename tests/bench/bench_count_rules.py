"""How often the rules for counts without shares of issue slots name the right class.

python -m tests.bench.bench_count_rules [PARQUET]

Of the windows whose cause was measured by making one component ideal (pmu_gem5_train.parquet,
label_causal): how many get a class, and how many of these the right one, by the counts at hand.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import warehouse
from tests.helpers.support import SHARED

COUNTS = {
    "all misses": ("MEMAPC", "DTBMPC", "L2ICAPC"),
    "all misses, and of instructions those of both levels": (
        *("MEMAPC", "DTBMPC", "L2ICAPC", "L2ICMPC"),
    ),
    "misses of the last cache": ("MEMAPC",),
    "mispredicted branches alone": (),
}
QUERY = """
    SELECT class, count(*), avg(CAST(class = label_causal AS INTEGER))
    FROM (
      SELECT
        label_causal,
        _count_class(
          map_from_entries(
            list_filter(
              [
                {'k': 'IPC', 'v': uops / cycles / issue_width},
                {'k': 'BRMPC', 'v': mispredicts / cycles},
                {'k': 'MEMAPC', 'v': mem_reads / cycles},
                {'k': 'DTBMPC', 'v': dtb_misses / cycles},
                {'k': 'L2ICAPC', 'v': l1i_misses / cycles},
                {'k': 'L2ICMPC', 'v': l2i_misses / cycles}
              ],
              lambda e: e.k IN ('IPC', 'BRMPC') OR list_contains($names, e.k)
            )
          ),
          1, ''
        ).class AS class
      FROM read_parquet($windows)
      WHERE label_causal <> 'DMA'
    )
    GROUP BY ROLLUP (class)
    ORDER BY class NULLS FIRST
"""


def main() -> None:
    """Print a line for each class and each choice of counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = SHARED / "uarch" / "pmu_gem5_train.parquet"
    parser.add_argument("windows", type=Path, nargs="?", default=default)
    windows = str(parser.parse_args().windows)
    con = warehouse.connect(":memory:")
    for title, names in COUNTS.items():
        print(title)
        for name, count, right in con.execute(
            QUERY, {"names": list(names), "windows": windows}
        ).fetchall():
            if name not in (None, "Unknown"):
                print(f"  {name:8} {count:5} {right:6.1%}")
            elif name == "Unknown":
                print(f"  {name:8} {count:5}")


if __name__ == "__main__":
    main()
