"""The contract's case of the reader exp-bbv.

The sample is valgrind 3.19's own: --interval-size=20000 over a statically linked program whose
second thread sums numbers while its third sorts 64 numbers by insertion, eight times.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "exp-bbv" / "pair.bb"
_COPIES = 40  # the list of blocks does not grow, so the vectors have to grow more


def enlarge(folder: Path, times: int) -> Path:
    """Repeat every thread's later intervals, as a longer run would."""
    for name in ("pair.bb", "pair.bb.2", "pair.bb.3"):
        text = (SAMPLE.parent / name).read_text(encoding="utf-8")
        first, *later = re.findall(r"^T.*\n", text, re.MULTILINE)
        copies = later * (times * _COPIES)
        notes = f"""

# Thread {name.removeprefix("pair.bb.") if name != "pair.bb" else 1}
#   Total intervals: {1 + len(copies)} (Interval Size 20000)
#   Total instructions: {20001 + 20000 * len(copies)}
#   Total reps: 0
#   Unique reps: 0
#   Total fldcw instructions: 0

"""
        (folder / name).write_text("".join([first, *copies]) + notes, encoding="utf-8")
    blocks = (SAMPLE.parent / "pair.pc").read_text(encoding="utf-8")
    (folder / "pair.pc").write_text(blocks, encoding="utf-8")
    return folder / "pair.bb"


CASE = Case(
    reader="exp-bbv",
    sample=SAMPLE,
    golden=(
        ("SELECT app, threads, tags['interval_size'] FROM runs", [(None, 3, "20000")]),
        (
            "SELECT launch, kernel, granularity, instructions, warp_instructions FROM bb_launches",
            [(0, None, "thread", 168650, None)],
        ),
        (
            "SELECT thread, interval, count(*), sum(instructions), count(visits), count(block) "
            "FROM bb_visits GROUP BY ALL ORDER BY ALL",
            [
                (1, 0, 36, 20001, 0, 0),
                (2, 0, 35, 20001, 0, 0),
                (2, 1, 4, 20000, 0, 0),
                (3, 0, 37, 20001, 0, 0),
                (3, 1, 8, 20000, 0, 0),
                (3, 2, 8, 20000, 0, 0),
            ],
        ),
        (
            "SELECT bb, instructions FROM bb_visits WHERE thread = 2 AND interval = 1 ORDER BY bb",
            [(1166, 453), (1167, 19094), (1168, 151), (1169, 302)],
        ),
        (
            "SELECT bb, pc_first, function, size, kernel FROM bb_blocks "
            "WHERE function IN ('sum', 'sort') ORDER BY bb LIMIT 4",
            [
                (1055, 4200173, "sum", None, None),
                (1106, 4200037, "sort", None, None),
                (1113, 4200053, "sort", None, None),
                (1114, 4200131, "sort", None, None),
            ],
        ),
        ("SELECT count(*), count(function) FROM bb_blocks", [(1281, 1258)]),
    ),
    enlarge=enlarge,
)
