"""Timing tables: two CUDA kernels over blocks on an H100, which has 132 multiprocessors."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "timing-tables" / "h100_blocks.csv"


def _enlarge(folder: Path, times: int) -> Path:
    header, *rows = SAMPLE.read_text().splitlines(keepends=True)
    path = folder / "large.csv"
    path.write_text(header + "".join(rows) * times)
    return path


CASE = Case(
    reader="timing-tables",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT parallelism, repetition, seconds FROM fn_timings
            WHERE function = 'fma' AND parallelism IN (1, 528) ORDER BY ALL
            """,
            [
                (1, 0, 0.02089325),
                (1, 1, 0.02081021),
                (1, 2, 0.0208113),
                (528, 0, 0.00015395),
                (528, 1, 0.00015418),
                (528, 2, 0.00015299),
            ],
        ),
        (
            "SELECT count(*), count(ranks), count(threads), any_value(tags) FROM runs",
            [(11, 0, 0, {"scaled_by": "blocks", "parameter:blocks": "blocks"})],
        ),
    ),
    enlarge=_enlarge,
    cut_may_land=True,
)
