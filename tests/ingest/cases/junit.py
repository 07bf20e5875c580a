"""pytest 9.2: five tests, one of which failed and one was skipped; googletest 1.12, CTest 3.25."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "junit" / "pytest.xml"


def _enlarge(folder: Path, times: int) -> Path:
    head, suite, tests = SAMPLE.read_text().partition("<testcase")
    tests, end, tail = tests.partition("</testsuite>")
    (folder / "large.xml").write_text(head + (suite + tests) * times + end + tail)
    return folder / "large.xml"


CASE = Case(
    reader="junit",
    sample=SAMPLE,
    golden=(
        (
            "SELECT metric, repetition, value, unit, better FROM metrics ORDER BY rowid",
            [
                ("test_solver.test_step[5]", 0, 0.005, "s", "lower"),
                ("test_solver.test_step[10]", 0, 0.01, "s", "lower"),
                ("test_solver.TestMesh.test_read", 0, 0.002, "s", "lower"),
            ],
        ),
        (
            "SELECT left_out FROM sources",
            [("1 test (failed); 1 test (skipped or not run)",)],
        ),
        ("SELECT machine, started_at IS NOT NULL FROM runs", [("node1", True)]),
    ),
    others=(SAMPLE.with_name("googletest.xml"), SAMPLE.with_name("ctest.xml")),
    enlarge=_enlarge,
)
