"""mpiP's reports, in full and concise: what lands, and what is refused."""

from __future__ import annotations

import pytest

from ingest.readers.profiles.mpip.reader import MpiP
from ingest.recording import Recording
from tests.helpers.support import land, rows, shared
from tests.ingest.cases.mpip import SAMPLE
from warehouse.errors import InputError

TEXT = SAMPLE.read_text(encoding="utf-8")
RULE = "-" * 75


def report(*sections, header=""):
    """Write a report; sections are a title and lines."""
    text = f"@ mpiP\n@ Command : ./heat 9 \n@ Version                  : 3.4.1\n{header}\n"
    for title, lines in (*sections, ("End of Report", "")):
        text += f"{RULE}\n@--- {title} {'-' * max(69 - len(title), 0)}\n{RULE}\n{lines}"
    return text


def without(text, part):
    return "\n".join(line for line in text.split("\n") if part not in line)


TASKS = (
    "MPI Time (seconds)",
    "Task    AppTime    MPITime     MPI%\n   0          2        0.5    25.00\n"
    "   1          2          1    50.00\n   *          4        1.5    37.50\n",
)
SITES = (
    "Callsites: 2",
    " ID Lev File/Address     Line Parent_Funct            MPI_Call\n"
    "  1   0 0x4005d0              [unknown]               Barrier\n"
    "  2   0 my file.c          12 heat::sum(double, int)  Allreduce\n"
    "  2   1 main.c              3 main                    \n",
)
CALLS = (
    "Callsite Time statistics (all, milliseconds): 3",
    "Name              Site Rank  Count      Max     Mean      Min   App%   MPI%\n"
    "Allreduce            2    1      4      300      250      200  50.00 100.00\n"
    "Allreduce            2    *      4      300      250      200  25.00  66.67\n\n"
    "Barrier              1    0      2      300      250      200  25.00 100.00\n"
    "Barrier              1    *      2      300      250      200  12.50  33.33\n",
)


TIMES = """
    SELECT rank, function, callpath, seconds, inclusive_seconds, calls
    FROM fn_timings ORDER BY rank, function
"""


def test_call_sites_with_their_stacks(landed, warehouse):
    assert landed(report(TASKS, SITES, CALLS), TIMES) == [
        (0, "MPI_Barrier", "0x4005d0->MPI_Barrier", 0.5, 0.5, 2),
        (0, "outside MPI", None, 1.5, 2.0, None),
        (
            1,
            "MPI_Allreduce",
            "main (main.c)->heat::sum(double, int) (my file.c)->MPI_Allreduce",
            1.0,
            1.0,
            4,
        ),
        (1, "outside MPI", None, 1.0, 2.0, None),
    ]
    facts = "SELECT app, ranks, nodes, wall_seconds FROM runs"
    assert rows(warehouse, facts) == [("heat", 2, None, 2.0)]


def test_a_report_without_stacks(landed):
    """MPIP="-k 0" counts by MPI call only."""
    found = landed(report(TASKS, CALLS), TIMES)
    assert [(row[1], row[2]) for row in found if row[1] != "outside MPI"] == [
        ("MPI_Barrier", None),
        ("MPI_Allreduce", None),
    ]


def test_a_concise_report_gives_means_over_ranks(landed, warehouse):
    tasks = (
        "Task Time Statistics (seconds)",
        "                     AppTime           MPITime   MPI%   App Task   MPI Task\n"
        "Max                 2.500000          1.000000                 1          0\n"
        "Mean                2.000000          0.750000\n"
        "Min                 1.500000          0.500000                 0          1\n"
        "Stddev              0.500000          0.250000\n"
        "Aggregate           8.000000          3.000000  37.50\n",
    )
    calls = (
        "Callsite Time statistics (all callsites, milliseconds): 2",
        "Name              Site   Tasks       Max      Mean       Min MaxRnk MinRnk\n"
        "Allreduce            2       4       700       600       500      1      0\n"
        "Barrier              1       2       400       300       200      0      1\n",
    )
    assert landed(report(tasks, SITES, calls), TIMES) == [
        (
            None,
            "MPI_Allreduce",
            "main (main.c)->heat::sum(double, int) (my file.c)->MPI_Allreduce",
            0.6,
            0.6,
            None,
        ),
        (None, "MPI_Barrier", "0x4005d0->MPI_Barrier", 0.15, 0.15, None),
        (None, "outside MPI", None, 1.25, 2.0, None),
    ]
    assert rows(warehouse, "SELECT ranks, wall_seconds FROM runs") == [(4, 2.5)]


def test_calls_below_the_threshold_may_be_missing(landed, warehouse):
    """MPIP="-t 30" leaves out rows of ranks, not those of all ranks."""
    lines = without(CALLS[1], "Barrier              1    0")
    text = report(TASKS, SITES, (CALLS[0], lines), header="@ MPIP env var : -t 30\n")
    assert [row[1] for row in landed(text, TIMES)] == [
        "outside MPI",
        "MPI_Allreduce",
        "outside MPI",
    ]
    assert rows(warehouse, "SELECT tags['mpip_options'] FROM runs") == [("-t 30",)]


def test_a_program_that_calls_no_mpi_function_is_all_outside(landed):
    idle = "Task    AppTime    MPITime     MPI%\n   0          2          0     0.00\n"
    tasks = (TASKS[0], idle + "   *          2          0     0.00\n")
    text = report(tasks, ("Callsites: 0", ""), (CALLS[0], CALLS[1].split("\n")[0] + "\n"))
    assert landed(text, TIMES) == [(0, "outside MPI", None, 2.0, 2.0, None)]


def test_real_reports_are_a_scaling_set(warehouse):
    land(warehouse, shared("scaling/local_mpi/mpip"))
    sql = """
        SELECT app, ranks, count(DISTINCT callpath || site),
            round(100 * (1 - sum(seconds) FILTER (function = 'outside MPI')
                / sum(inclusive_seconds) FILTER (function = 'outside MPI')), 1)
        FROM (
            SELECT *, row_number() OVER (PARTITION BY run_id, rank, callpath) AS site
            FROM fn_timings
        )
        JOIN runs USING (run_id)
        WHERE parallelism = ranks
        GROUP BY ALL ORDER BY ranks
    """
    # mpiP itself states 1.07, 29.98, 65.88 and 63.90 %, of times that it prints with three digits.
    assert rows(warehouse, sql) == [
        ("mini", 1, 10, 1.1),
        ("mini", 2, 11, 29.9),
        ("mini", 4, 11, 65.9),
        ("mini", 8, 11, 63.9),
    ]
    sums = """
        SELECT max(abs(own - app) / app)
        FROM (
            SELECT sum(seconds) AS own, max(inclusive_seconds) AS app
            FROM fn_timings GROUP BY run_id, rank
        )
    """
    ((worst,),) = rows(warehouse, sums)
    assert worst < 0.005


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (TEXT.split("@--- End of Report")[0], "the report has no end"),
        (report(SITES, CALLS), "the report has no section 'MPI Time (seconds)'"),
        (report(TASKS, SITES), "the report has no section 'Callsite Time statistics (all, mil"),
        (report(TASKS, TASKS, CALLS), "'MPI Time (seconds)' is a duplicate"),
        (without(TEXT, "   1      0.613"), "1 tasks are listed"),
        (without(TEXT, "   *       1.23"), "task 1 was found"),
        (report((TASKS[0], ""), SITES, CALLS), "'MPI Time (seconds)' has no rows"),
        (
            report(("Task Time Statistics (seconds)", ""), CALLS),
            "'Task Time Statistics (seconds)' h",
        ),
        (TEXT.replace("0.613      0.168", "0.713      0.168"), "the AppTime of the tasks does not"),
        (TEXT.replace("0.613      0.168", "0.613      -0.16"), "was found in 'MPI Time (seconds)'"),
        (TEXT.replace("0.613      0.168", "0.613      0.668"), "the MPITime of the tasks does not"),
        (without(TEXT, "MPI Task Assignment      : 1"), "2 tasks are listed"),
        (TEXT.replace("Callsites: 6", "Callsites: 7"), "6 call sites are listed"),
        (without(TEXT, "  2   0 stencil.c"), "'  2   1 stencil.c             74 main"),
        (without(TEXT, "Reduce               6 "), "call site 6 has no times"),
        (
            TEXT.replace("Bcast                1", "Bcast                9"),
            "call site 9 is not listed",
        ),
        (without(TEXT, "Waitall              4    1"), "the ranks called Waitall 4 100 times"),
        (TEXT.replace("1     20      4.9", "2     20      4.9"), "rank 2"),
        (TEXT.replace("2.97     1.42", "2.97     0.42"), "the call sites of rank 0 take 0.06"),
        (TEXT.replace("2.97     1.42", "2.97     nan"), "the mean time nan"),
        (TEXT.replace("2.97     1.42", "2.97     1x2"), "the mean time 1x2 is not a number"),
        (TEXT.replace("0    100     2.97", "0    1" + "0" * 30 + "     2.97"), "the count 1000"),
    ],
)
def test_what_is_refused(tmp_path, text, problem):
    path = tmp_path / "x.mpiP"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(MpiP().read(Recording((path,))))
    assert problem in caught.value.problem
