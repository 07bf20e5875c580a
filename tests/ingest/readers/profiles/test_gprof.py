"""gprof's text: what lands, with and without the call graph, and what is refused."""

from __future__ import annotations

import pytest

from ingest.readers.profiles.gprof import Gprof
from ingest.recording import Recording
from tests.helpers.support import land, rows, shared
from tests.ingest.cases.gprof import SAMPLE
from warehouse.errors import InputError

TEXT = SAMPLE.read_text(encoding="utf-8")
FLAT_ONLY = TEXT.split("\f")[0]
TIMES = "SELECT function, seconds, inclusive_seconds, calls FROM fn_timings ORDER BY rowid"
HEAD = """\
Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total
 time   seconds   seconds    calls  ms/call  ms/call  name
"""


def test_a_flat_profile_alone_has_no_times_with_callees(landed, warehouse):
    """Calls are without the recursive ones, which only the call graph counts."""
    assert landed(FLAT_ONLY, TIMES) == [
        ("relax", 0.46, None, 2000),
        ("residual", 0.26, None, 334),
        ("coarsen", 0.01, None, 3000),
        ("refine", 0.0, None, 4000),
        ("exchange", 0.0, None, 1000),
        ("step", 0.0, None, 1000),
    ]
    ((stated,),) = rows(warehouse, "SELECT tags['calls'] FROM runs")
    assert stated == "without recursive ones, which only the call graph has"


def test_functions_of_a_cycle_have_no_time_with_callees(warehouse):
    land(warehouse, SAMPLE)
    sql = "SELECT function FROM fn_timings WHERE inclusive_seconds IS NULL ORDER BY 1"
    assert rows(warehouse, sql) == [("coarsen",), ("refine",)]


def test_functions_without_calls_and_names_with_blanks(landed):
    table = (
        " 66.67      0.02     0.02                             main\n"
        " 33.33      0.03     0.01       60     0.17     0.17  heat::step(int, double*)\n"
    )
    assert landed(HEAD + table + "\n %         the percentage of the\n", TIMES) == [
        ("main", 0.02, None, None),
        ("heat::step(int, double*)", 0.01, None, 60),
    ]


def test_arrows_in_names_part_no_call_path(landed):
    table = " 99.99      0.02     0.02        1    20.00    20.00  auto f<A>(A) -> int\n"
    totals = "SELECT function, own FROM function_totals"
    assert landed(HEAD + table + "\n", totals) == [("auto f<A>(A) \u2192 int", 0.02)]


def test_the_table_of_sprof_has_no_times_of_calls_with_callees(landed):
    table = (
        " 66.67      0.02     0.02        3     6.67           sort\n"
        "  0.00      0.02     0.00        1     0.00           gethostname\n"
    )
    assert landed(HEAD + table + "\n", TIMES) == [
        ("sort", 0.02, None, 3),
        ("gethostname", 0.0, None, 1),
    ]


def test_two_functions_of_one_name_keep_their_own_times(landed):
    table = (
        " 66.67      0.02     0.02       10     2.00     2.00  init\n"
        " 33.33      0.03     0.01       60     0.17     0.17  init\n"
    )
    graph = (
        "\n\t\t\tCall graph\n\n\nindex % time    self  children    called     name\n"
        "[1]     66.7    0.02    0.00      10         init [1]\n"
        "[2]     33.3    0.01    0.00      60         init [2]\n"
        "\nIndex by function name\n\n   [1] init   [2] init\n"
    )
    assert landed(HEAD + table + graph, TIMES) == [
        ("init", 0.02, None, 10),
        ("init", 0.01, None, 60),
    ]


def test_no_time_accumulated(landed, warehouse):
    head = HEAD.replace("seconds.\n", "seconds.\n no time accumulated\n\n", 1)
    table = "  0.00      0.00     0.00       60     0.00     0.00  f\n"
    assert landed(head + table, TIMES) == [("f", None, None, 60)]
    left_out = "1 time of a function (no sample was taken)"
    assert rows(warehouse, "SELECT left_out FROM sources") == [(left_out,)]


def test_cycles_are_no_seconds(landed, warehouse):
    text = TEXT.replace("0.01 seconds", "0.001 K-cycles").replace(
        "seconds   seconds", "K-cycles K-cycles"
    )
    assert landed(text, TIMES) == []
    sql = "SELECT function, unit, cost, inclusive FROM function_costs WHERE cost > 0 ORDER BY cost"
    assert rows(warehouse, sql) == [
        ("coarsen", "cycles", 10.0, None),
        ("residual", "cycles", 260.0, 260.0),
        ("relax", "cycles", 460.0, 460.0),
    ]


def test_app_and_count_come_from_the_file_name_or_not_at_all(landed, warehouse, tmp_path):
    landed(FLAT_ONLY, TIMES, "heat_p16.txt")
    landed(TEXT, TIMES, "gprof.txt")
    sql = "SELECT app = $1, app, ranks, tags['ranks_from'] FROM runs ORDER BY ranks"
    assert rows(warehouse, sql, tmp_path.name) == [
        (False, "heat", 16, "file name"),
        (True, tmp_path.name, None, None),
    ]


def test_real_profiles_are_a_scaling_set(warehouse):
    land(warehouse, shared("scaling/local_mpi/gprof"))
    sql = """
        SELECT app, ranks, function, round(seconds, 2), round(inclusive_seconds, 2), calls
        FROM fn_timings JOIN runs USING (run_id)
        WHERE parallelism = ranks AND function IN ('main', 'stencil') ORDER BY ALL
    """
    assert rows(warehouse, sql) == [
        ("mini", 2, "main", 0.03, 1.14, None),
        ("mini", 2, "stencil", 1.09, 1.09, 60),
        ("mini", 4, "main", 0.01, 1.02, None),
        ("mini", 4, "stencil", 1.01, 1.01, 120),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (TEXT.split("\f")[1], "there is no flat profile"),
        ("Flat profile:\n", "'Flat profile:' was found"),
        (TEXT.replace("0.01 seconds.", "1 cycles."), "' time   seconds   seconds"),
        (TEXT.replace("     334   779.59", "     x34   779.59"), "' 35.67      0.72"),
        (TEXT.replace(" 35.67      0.72     0.26", " 35.67      0.72     0.16"), "' 35.67"),
        ("\n".join(line for line in TEXT.split("\n") if " 35.67" not in line), "'  1.37"),
        (TEXT.split("\nIndex by")[0], "'the end of the file' was found"),
        (TEXT.replace("[4]     35.6    0.26", "[4]     35.6    0.2x"), "'[4]     35.6"),
        (FLAT_ONLY.split("  1.37")[0].rsplit("\n", 2)[0] + "\n", "'the end of the file'"),
        (FLAT_ONLY.partition("name")[0] + "name", "the last line has no end"),
        (FLAT_ONLY + "\n" + TEXT, "another flat profile begins"),
    ],
)
def test_what_is_refused(tmp_path, text, problem):
    path = tmp_path / "x.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(Gprof().read(Recording((path,))))
    assert problem in caught.value.problem
