"""The contract's case of the reader callgrind.

The sample is valgrind 3.19's own: --dump-instr=yes --collect-jumps=yes --separate-threads=yes over
a program without a C library, whose first thread adds up numbers while its second sorts 64 numbers
by insertion. The program's path was replaced.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "callgrind" / "pair.callgrind-01"


def enlarge(folder: Path, times: int) -> Path:
    """Let every thread run the program's code in many objects."""
    for name in ("pair.callgrind-01", "pair.callgrind-02"):
        text = (SAMPLE.parent / name).read_text(encoding="utf-8")
        start, end = text.index("\nob=") + 1, text.index("totals: ")
        total = int(re.findall(r"totals: (\d+)", text)[0])
        copies = [
            text[start:end].replace("ob=(1) /home/user/pair", f"ob=({number}) copy{number}")
            for number in range(1, times + 1)
        ]
        body = "".join(copies)
        (folder / name).write_text(f"{text[:start]}{body}totals: {total * times}\n")
    return folder / "pair.callgrind-01"


CASE = Case(
    reader="callgrind",
    sample=SAMPLE,
    golden=(
        ("SELECT app, threads, tags['recorder'] FROM runs", [("pair", 2, "callgrind-3.19.0")]),
        (
            "SELECT launch, kernel, granularity, instructions, warp_instructions FROM bb_launches",
            [(0, None, "thread", 12965, None)],
        ),
        (
            "SELECT thread, kernel, block, warp, interval, bb, visits, instructions FROM bb_visits "
            "WHERE bb BETWEEN 5 AND 15 ORDER BY ALL",
            [
                (1, None, None, None, None, 5, 1, 5),
                (1, None, None, None, None, 6, 500, 3500),
                (1, None, None, None, None, 7, 1, 2),
                (2, None, None, None, None, 8, 1, 2),
                (2, None, None, None, None, 9, 64, 768),
                (2, None, None, None, None, 10, 1, 2),
                (2, None, None, None, None, 11, 63, 378),
                (2, None, None, None, None, 12, 63, 252),
                (2, None, None, None, None, 13, 1035, 4140),
                (2, None, None, None, None, 14, 972, 3888),
                (2, None, None, None, None, 15, 1, 1),
            ],
        ),
        (
            "SELECT thread, src, dst, count FROM bb_edges WHERE src >= 5 ORDER BY ALL",
            [
                (1, 5, 6, 1),
                (1, 6, 6, 499),
                (1, 6, 7, 1),
                (2, 8, 9, 1),
                (2, 9, 9, 63),
                (2, 9, 10, 1),
                (2, 10, 12, 1),
                (2, 11, 12, 62),
                (2, 11, 15, 1),
                (2, 12, 13, 63),
                (2, 13, 11, 63),
                (2, 13, 14, 972),
                (2, 14, 13, 972),
            ],
        ),
        (
            "SELECT kernel, bb, size, barriers, pc_first, pc_last, function, source_file, "
            "source_line FROM bb_blocks WHERE bb IN (4, 5, 6) ORDER BY bb",
            [
                (
                    None,
                    4,
                    2,
                    None,
                    4198435,
                    4198439,
                    "0x0000000000401023 (pair)",
                    "/home/user/pair",
                    None,
                ),
                (None, 5, 5, None, 4198444, 4198456, "sum", "/home/user/pair.c", 9),
                (None, 6, 7, None, 4198461, 4198481, "sum", "/home/user/pair.c", 9),
            ],
        ),
        (
            "SELECT thread, event, value FROM pmu_samples WHERE region IN ('sum', 'sort') "
            "ORDER BY ALL",
            [(1, "Ir", 3507.0), (1, "calls", 1.0), (2, "Ir", 9431.0), (2, "calls", 1.0)],
        ),
    ),
    enlarge=enlarge,
)
