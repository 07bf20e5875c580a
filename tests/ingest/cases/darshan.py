"""The contract's case of Darshan: the text of darshan-parser 3.4, written by its documentation."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "darshan" / "ior.darshan.txt"


def _enlarge(folder: Path, times: int) -> Path:
    head, mark, body = SAMPLE.read_text().partition("<fs type>\n")
    (folder / "large.txt").write_text(head + mark + body * times)
    return folder / "large.txt"


CASE = Case(
    reader="darshan",
    sample=SAMPLE,
    golden=(
        (
            "SELECT rank, region, event, value, unit FROM pmu_samples ORDER BY rowid",
            [
                (None, "/home/user/out.dat", "POSIX_OPENS", 4.0, None),
                (None, "/home/user/out.dat", "POSIX_READS", 0.0, None),
                (None, "/home/user/out.dat", "POSIX_WRITES", 8.0, None),
                (None, "/home/user/out.dat", "POSIX_BYTES_WRITTEN", 8388608.0, "bytes"),
                (None, "/home/user/out.dat", "POSIX_F_WRITE_TIME", 0.75, "s"),
                (None, "/home/user/out.dat", "POSIX_F_META_TIME", 0.0625, "s"),
                (0, "<STDOUT>", "STDIO_OPENS", None, None),
                (0, "<STDOUT>", "STDIO_WRITES", 12.0, None),
                (0, "<STDOUT>", "STDIO_BYTES_WRITTEN", 612.0, "bytes"),
                (0, "<STDOUT>", "STDIO_F_WRITE_TIME", 0.000125, "s"),
            ],
        ),
        (
            "SELECT app, ranks, wall_seconds, CAST(started_at AS VARCHAR), tags FROM runs",
            [
                (
                    "ior",
                    2,
                    2.25,
                    "2026-01-01 00:00:00+00",
                    {"command": "./ior -a POSIX -b 4m", "job": "4242"},
                )
            ],
        ),
        (
            "SELECT left_out FROM sources",
            [("3 counters (no amount that adds up)",)],
        ),
    ),
    enlarge=_enlarge,
    others=(SAMPLE.with_name("perf.darshan.txt"),),
    cut_may_land=True,
)
