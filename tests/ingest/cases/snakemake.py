"""Snakemake 9.27: a rule with --benchmark-extended, and three repetitions of a short one."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "snakemake" / "c.7.tsv"


def _enlarge(folder: Path, times: int) -> Path:
    head, row = SAMPLE.read_text().splitlines(keepends=True)
    (folder / "large.tsv").write_text(head + row * times)
    return folder / "large.tsv"


CASE = Case(
    reader="snakemake",
    sample=SAMPLE,
    others=(SAMPLE.with_name("b.tsv"),),
    golden=(
        (
            "SELECT app, threads, wall_seconds, tags['wildcards'] FROM runs",
            [("c", 2, 1.89, "{'n': '7'}")],
        ),
        (
            "SELECT metric, round(value, 2), unit FROM metrics "
            "WHERE metric IN ('max_rss', 'io_out', 'cpu_time') ORDER BY metric",
            [
                ("cpu_time", 0.37, "s"),
                ("io_out", 52439285.76, "bytes"),
                ("max_rss", 451097395.2, "bytes"),
            ],
        ),
        ("SELECT left_out FROM sources", [("1 mean load (it begins with 0; cpu_time lands)",)]),
    ),
    enlarge=_enlarge,
    cut_may_land=True,
)
