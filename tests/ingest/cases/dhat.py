"""The contract's case of DHAT: valgrind 3.19 over a program that allocates and frees."""

from __future__ import annotations

import json
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "dhat" / "dhat.out.4242"


def _enlarge(folder: Path, times: int) -> Path:
    document = json.loads(SAMPLE.read_text())
    point, frames = document["pps"][0], document["ftbl"]
    for number in range(2 * times):
        document["pps"].append({**point, "fs": [len(frames), *point["fs"]]})
        frames.append(f"0x1092D0: grow{number} (heat.c:10)")
    path = folder / "large.json"
    path.write_text(json.dumps(document))
    return path


CASE = Case(
    reader="dhat",
    sample=SAMPLE,
    golden=(
        (
            "SELECT event, value FROM pmu_samples WHERE region = 'main->grow' ORDER BY rowid",
            [
                ("allocated bytes", 100000),
                ("allocated blocks", 1000),
                ("peak bytes", 50000),
                ("peak blocks", 500),
                ("end bytes", 50000),
                ("end blocks", 500),
                ("read bytes", 0),
                ("written bytes", 100000),
            ],
        ),
        # as valgrind prints them: Total, At t-gmax, At t-end, Reads, Writes
        (
            "SELECT event, value FROM counter_summary WHERE unit = 'bytes' ORDER BY event",
            [
                ("allocated bytes", 104096),
                ("end bytes", 50000),
                ("peak bytes", 54096),
                ("read bytes", 12),
                ("written bytes", 100012),
            ],
        ),
        ("SELECT metric, value, better FROM metrics", [("peak_heap", 54096, "lower")]),
        ("SELECT app FROM runs", [("heat",)]),
    ),
    enlarge=_enlarge,
)
