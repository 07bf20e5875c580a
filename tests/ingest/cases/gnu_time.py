"""The contract's case of times of commands: GNU time 1.9, bash 5.2, and the program's output."""

from __future__ import annotations

from tests.ingest.case import SAMPLES, Case, repeated

SAMPLE = SAMPLES / "time" / "verbose.txt"


CASE = Case(
    reader="time",
    sample=SAMPLE,
    golden=(
        (
            "SELECT metric, value, unit, better FROM metrics WHERE value > 0 ORDER BY metric",
            [
                ("file_system_outputs", 8.0, None, "lower"),
                ("max_rss", 1536000.0, "bytes", "lower"),
                ("minor_page_faults", 98.0, None, "lower"),
                ("voluntary_context_switches", 1.0, None, "lower"),
            ],
        ),
        ("SELECT app, tags FROM runs", [("heat", {"command": "./heat"})]),
    ),
    enlarge=repeated(SAMPLE),
    others=(SAMPLE.with_name("default.txt"), SAMPLE.with_name("bash.txt")),
)
