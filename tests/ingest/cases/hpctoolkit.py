"""HPCToolkit: databases as DTD and FORMATS.md describe them, of a made-up program."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case
from tests.ingest.hpctoolkit_files import STATEMENTS, experiment

SAMPLE = SAMPLES / "hpctoolkit" / "experiment.xml"


def _enlarge(folder: Path, times: int) -> Path:
    path = folder / "experiment.xml"
    path.write_text(experiment(dict.fromkeys(STATEMENTS, (1.0, 2.0)), 2 * times))
    return path


CASE = Case(
    reader="hpctoolkit",
    sample=SAMPLE,
    others=(SAMPLES / "hpctoolkit-4" / "meta.db",),
    golden=(
        (
            "SELECT app, ranks, threads, tags['recorder'] FROM runs",
            [("stencil", 2, 1, "HPCToolkit")],
        ),
        (
            "SELECT rank, callpath, seconds, inclusive_seconds FROM fn_timings ORDER BY rowid",
            [
                (0, "<program root>", 0.0, 3.875),
                (0, "<program root>->main", 0.5, 3.875),
                (0, "<program root>->main->relax", 1.25, 3.25),
                (0, "<program root>->main->relax->at<double>", 2.0, 2.0),
                (0, "<program root>->main->[libc.so.6]", 0.125, 0.125),
                (1, "<program root>", 0.0, 4.5),
                (1, "<program root>->main", 0.0, 4.5),
                (1, "<program root>->main->relax", 1.5, 1.5),
                (1, "<program root>->main->[libc.so.6]", 3.0, 3.0),
            ],
        ),
        (
            "SELECT rank, region, event, value, inclusive FROM pmu_samples "
            "WHERE region LIKE '%relax' ORDER BY rowid",
            [
                (0, "<program root>->main->relax", "PAPI_TOT_CYC", 125.0, 325.0),
                (1, "<program root>->main->relax", "PAPI_TOT_CYC", 150.0, 150.0),
            ],
        ),
    ),
    enlarge=_enlarge,
)
