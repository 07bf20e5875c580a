"""mpiP: the times of tests/samples/mpi/stencil_p2_r0.csv in the form of an mpiP 3.5 report."""

from __future__ import annotations

import re
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "mpip" / "stencil.2.4242.1.mpiP"


def _enlarge(folder: Path, times: int) -> Path:
    """Repeat the call sites under other numbers; the time in MPI grows with them."""
    text = SAMPLE.read_text(encoding="utf-8")
    factor = times + 1

    def renumbered(block: str, site: str, copy: int) -> str:
        return re.sub(
            site, lambda found: f"{found[1]}{int(found[2]) + 6 * copy:4d} ", block, flags=re.M
        )

    def repeated(block: str, site: str) -> str:
        return "\n".join(renumbered(block, site, copy) for copy in range(factor))

    sites = re.search(r"MPI_Call\n((?: +\d+ +\d+ stencil.*\n)+)", text)[1]
    stats = re.search(r"App%   MPI%\n(Allreduce  [^-]+)", text)[1]
    text = text.replace(sites, repeated(sites, r"^( *)(\d+) ").replace("\n\n", "\n"))
    text = text.replace(stats, repeated(stats, r"^([A-Z]\w+ +)(\d+) "))
    text = text.replace("Callsites: 6", f"Callsites: {6 * factor}")
    for task, app, mpi in ((" 0", 0.613, 0.168), (" 1", 0.613, 0.246), (" *", 1.226, 0.414)):
        row = f"  {task} {app * factor:10.3f} {mpi * factor:10.3f}    33.00"
        text = re.sub(rf"^  {re.escape(task)} .*$", row, text, count=1, flags=re.M)
    path = folder / "large.mpiP"
    path.write_text(text, encoding="utf-8")
    return path


CASE = Case(
    reader="mpip",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT rank, function, callpath, round(seconds, 7), round(inclusive_seconds, 7), calls
            FROM fn_timings WHERE rank = 0 ORDER BY seconds DESC
            """,
            [
                (0, "outside MPI", None, 0.445, 0.613, None),
                (
                    0,
                    "MPI_Waitall",
                    "main (stencil.c:74)->exchange (stencil.c:29)->MPI_Waitall",
                    0.142,
                    0.142,
                    100,
                ),
                (
                    0,
                    "MPI_Allreduce",
                    "main (stencil.c:77)->residual (stencil.c)->MPI_Allreduce",
                    0.0256,
                    0.0256,
                    20,
                ),
                (
                    0,
                    "MPI_Irecv",
                    "main (stencil.c:74)->exchange (stencil.c:26)->MPI_Irecv",
                    0.000445,
                    0.000445,
                    100,
                ),
                (
                    0,
                    "MPI_Isend",
                    "main (stencil.c:74)->exchange (stencil.c:27)->MPI_Isend",
                    0.000245,
                    0.000245,
                    100,
                ),
                (0, "MPI_Reduce", "main (stencil.c:82)->MPI_Reduce", 5.82e-05, 5.82e-05, 1),
                (0, "MPI_Bcast", "main (stencil.c:66)->MPI_Bcast", 1.49e-05, 1.49e-05, 1),
            ],
        ),
        (
            "SELECT rank, count(*), sum(calls) FROM fn_timings GROUP BY 1 ORDER BY 1",
            [(0, 7, 322), (1, 7, 322)],
        ),
        (
            """
            SELECT app, ranks, nodes, wall_seconds, epoch(started_at),
                tags['command'], tags['mpip_version'], min(parallelism), max(parallelism)
            FROM runs JOIN fn_timings USING (run_id) GROUP BY ALL
            """,
            [
                (
                    "stencil",
                    2,
                    1,
                    0.613,
                    1795237382.0,
                    "./stencil 2048 0 stencil_p2_r0.csv",
                    "3.5.0",
                    2,
                    2,
                )
            ],
        ),
    ),
    enlarge=_enlarge,
)
