"""Costs of functions, with and without callees: what valgrind and others write."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows
from tests.ingest.case import SAMPLES
from warehouse.errors import InputError

CALLS = SAMPLES / "callgrind-calls"
COSTS = "SELECT region, value, inclusive FROM pmu_samples WHERE event = $event ORDER BY ALL"
# As the manual has it, "Extended Example".
MANUAL = """\
# callgrind format
events: Instructions

fl=file1.c
fn=main
16 20
cfn=func1
calls=1 50
16 400
cfi=file2.c
cfn=func2
calls=3 20
16 400

fn=func1
51 100
cfi=file2.c
cfn=func2
calls=2 20
51 300

fl=file2.c
fn=func2
20 700
"""
XDEBUG = """\
version: 1
creator: xdebug 3.1.6 (PHP 8.1.2)
cmd: /home/user/index.php
part: 1
positions: line

events: Time_(10ns) Memory_(bytes)

fl=(1) php:internal
fn=(1) php::strlen
4 12 0

fl=(2) /home/user/index.php
fn=(2) {main}
1 90 -32
cfl=(1)
cfn=(1)
calls=1 0 0
4 12 0

summary: 102 -32

"""
LSPROF = """\
events: Ticks
summary: 61
fi=/home/user/a.py
fn=walk a.py:3
3 20
cfn=walk a.py:3
cfi=/home/user/a.py
calls=5 3
3 19
cfn=<len>
cfi=~
calls=9 0
3 4

fi=~
fn=<len>
0  4

fi=/home/user/a.py
fn=<module> a.py:1
1 37
cfn=walk a.py:3
cfi=/home/user/a.py
calls=1 3
1 24

"""
# A cycle of two functions that callgrind did not keep apart by level (--separate-recs=1).
CYCLE = """\
events: Ir
fn=main
1 10
cfn=even
calls=1 2
1 90
fn=even
2 40
cfn=odd
calls=4 3
2 170
fn=odd
3 50
cfn=even
calls=4 2
3 150
"""


def landed(con, folder, text, event, name="a.callgrind"):
    (folder / name).write_text(text, encoding="utf-8")
    (done,) = land(con, folder / name)
    return con.execute(COSTS, {"event": event}).fetchall(), done.left_out


def test_default_output_of_valgrind(warehouse):
    # The figures of callgrind_annotate for what is outermost; recursion is not counted twice.
    land(warehouse, CALLS / "calls.callgrind")
    assert warehouse.execute(COSTS, {"event": "Ir"}).fetchall() == [
        ("(below main)", 18.0, 3775.0),
        ("even", 117.0, 226.0),
        ("fib", 2827.0, 2827.0),
        ("odd", 122.0, 226.0),
        ("square", 582.0, 582.0),
        ("squares", 109.0, 649.0),
    ]
    query = "SELECT region, value FROM pmu_samples WHERE event = 'calls' ORDER BY ALL"
    assert rows(warehouse, query)[1] == ("fib", 177.0)
    assert rows(warehouse, "SELECT app, threads FROM runs") == [("calls", None)]


def test_output_of_cachegrind_has_no_calls(warehouse, tmp_path):
    path = CALLS / "calls.cachegrind"
    land(warehouse, path)
    assert warehouse.execute(COSTS, {"event": "Dr"}).fetchall()[0] == ("even", 36.0, None)
    (tmp_path / "b").write_text(path.read_text().rpartition("summary")[0])
    with pytest.raises(InputError, match="totals at the end is missing"):
        land(warehouse, tmp_path / "b")


@pytest.mark.parametrize(
    ("text", "event", "expected"),
    [
        (MANUAL, "Instructions", [("func1", 100, 400), ("func2", 700, 700), ("main", 20, 820)]),
        (XDEBUG, "Time", [("php::strlen", 120, 120), ("{main}", 900, 1020)]),
        (XDEBUG, "Memory", [("{main}", -32, -32)]),
        (LSPROF, "Ticks", [("<len>", 4, 4), ("<module> a.py:1", 37, 61), ("walk a.py:3", 20, 24)]),
        (CYCLE, "Ir", [("even", 40, 90), ("main", 10, 100), ("odd", 50, None)]),
    ],
)
def test_other_writers(text, event, expected, warehouse, tmp_path):
    assert landed(warehouse, tmp_path, text, event) == (expected, None)


def test_arrows_in_names_part_no_call_path(warehouse, tmp_path):
    # Methods of PHP have one: those of two classes were added up, without their callees.
    text = "events: Ir\nfn=A->run\n3 5\ncfn=B->run\ncalls=2 9\n4 8\nfn=B->run\n9 8\n"
    landed(warehouse, tmp_path, text, "Ir")
    query = "SELECT function, own, inclusive FROM function_totals ORDER BY function"
    assert rows(warehouse, query) == [("A\u2192run", 5.0, 13.0), ("B\u2192run", 8.0, 8.0)]


def test_differences_are_no_costs(warehouse, tmp_path):
    text = (
        "desc: Files compared:   a; b\ncmd:  ./a; ./a\nevents:  Ir\nfl=a.c\nfn=f\n3 8\nsummary: 8\n"
    )
    with pytest.raises(InputError, match="the differences of two profiles"):
        landed(warehouse, tmp_path, text, "Ir")


def test_units_are_no_part_of_an_event(warehouse, tmp_path):
    landed(warehouse, tmp_path, XDEBUG, "Time")
    query = "SELECT DISTINCT event, unit FROM pmu_samples ORDER BY event"
    assert rows(warehouse, query) == [("Memory", "bytes"), ("Time", "ns"), ("calls", None)]


def test_trailing_zeros_may_be_left_out(warehouse, tmp_path):
    text = "events: Ir Dr\nfn=a\n1 5\n2 3 2\nfn=b\n7 4\ntotals: 12 2\n"
    assert landed(warehouse, tmp_path, text, "Ir")[0] == [("a", 8.0, None), ("b", 4.0, None)]
    assert warehouse.execute(COSTS, {"event": "Dr"}).fetchall() == [("a", 2.0, None)]


def test_lines_that_are_less_than_the_summary_are_noted(warehouse, tmp_path):
    text = MANUAL.replace("events: Instructions", "events: Instructions\nsummary: 900")
    note = "80 Instructions (of the summary that are not in the lines of the profile)"
    assert landed(warehouse, tmp_path, text, "Instructions")[1] == note
    assert rows(warehouse, "SELECT left_out FROM sources") == [(note,)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (XDEBUG.partition("fl=(2)")[0], "totals at the end is missing"),
        # stackprof --callgrind has no lines of C functions.
        (MANUAL + "totals: 900\n", "the costs add up to 820, the totals are 900"),
    ],
)
def test_what_other_writers_left_out_is_no_damage_of_valgrind(text, problem, warehouse, tmp_path):
    with pytest.raises(InputError, match=problem) as caught:
        landed(warehouse, tmp_path, text, "Time")
    assert "its writer left lines out" in caught.value.hint


def test_profile_without_cost_is_empty(warehouse, tmp_path):
    for text in (MANUAL[:40] + "\nsummary: 0\n\n\ntotals: 0\n", "events: Ir\nfn=a\n1 0\n"):
        with pytest.raises(InputError, match="the profile is empty"):
            landed(warehouse, tmp_path, text, "Ir")


def test_functions_of_one_name(warehouse, tmp_path):
    # a's helper calls b's: what both cost together is not the sum. Two that are apart add up.
    text = (
        "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=helper\ncalls=1 9\n2 30\ncfn=init\ncalls=1 3\n3 5\n"
        "cfi=b.c\ncfn=init\ncalls=1 3\n3 6\nfn=helper\n9 10\ncfi=b.c\ncfn=helper\ncalls=2 4\n9 20\n"
        "fn=init\n3 5\nfl=b.c\nfn=helper\n4 20\nfn=init\n3 6\n"
    )
    assert landed(warehouse, tmp_path, text, "Ir")[0] == [
        ("helper", 30.0, None),
        ("init", 11.0, 11.0),
        ("main", 1.0, 42.0),
    ]


def test_callers_kept_apart_are_a_call_path(warehouse, tmp_path):
    text = (
        "creator: callgrind-3.19.0\nevents: Ir\nob=/usr/lib/libx.so\n"
        "fn=f'2'main\n1 4\nfn=f'main\n1 2\n"
        "cfn=f'2'main\ncalls=1 1\n1 4\nfn=main\n2 1\n"
        "cfn=f'main\ncalls=1 1\n2 6\nfn=0x0000000000401000\n0 3\n"
        "fn=<impl Iterator<'_>>::next\n5 1\nfn=std::operator<< <char>'main\n6 1\n"
        "totals: 12\n"
    )
    assert landed(warehouse, tmp_path, text, "Ir")[0] == [
        ("0x0000000000401000 (libx.so)", 3.0, 3.0),
        ("<impl Iterator<'_>>::next", 1.0, 1.0),
        ("main", 1.0, 7.0),
        ("main->f", 6.0, 6.0),
        ("main->std::operator<< <char>", 1.0, 1.0),
    ]


def test_a_quote_in_a_name_of_another_tool_begins_no_caller(warehouse, tmp_path):
    text = (
        "creator: xdebug 3.2.0\nevents: Time_(10ns)\nfn=require::/o'neil/w.php\n1 2\nsummary: 2\n"
    )
    assert landed(warehouse, tmp_path, text, "Time")[0] == [("require::/o'neil/w.php", 20.0, None)]


def test_parts_of_a_program_are_its_samples(warehouse, tmp_path):
    whole = (CALLS / "calls.callgrind").read_text()
    head = whole[: whole.index("\nob=")]
    for name, part, cost in (
        ("c.out.1", 1, 5),
        ("c.out.2", 2, 7),
        ("c.out", 3, 9),
        ("c.out.9", 1, 1),
    ):
        text = head.replace("part: 1", f"part: {part}").replace("3775", str(cost))
        (tmp_path / name).write_text(f"{text}\nfn=main\n1 {cost}\n\ntotals: {cost}")
    assert len(land(warehouse, tmp_path)) == 2
    query = "SELECT run_id[:5], sample, value FROM pmu_samples ORDER BY value"
    assert [row[1:] for row in rows(warehouse, query)] == [(None, 1), (0, 5), (1, 7), (2, 9)]


def test_a_part_that_is_missing_is_noted(warehouse, tmp_path):
    text = (CALLS / "calls.callgrind").read_text().replace("part: 1", "part: 3")
    note = "2 parts (dumped before these, not in the folder)"
    assert landed(warehouse, tmp_path, text, "Ir")[1] == note


def test_parts_in_one_file(warehouse, tmp_path):
    whole = (CALLS / "calls.callgrind").read_text()
    second = "part: 2\nthread: 1\n\nevents: Ir\n\nfn=(2)\n2 8\n\ntotals: 8\n"
    text = f"{whole.replace('part: 1', 'part: 1' + chr(10) + 'thread: 1')}\n\n{second}"
    (tmp_path / "a.callgrind").write_text(text)
    land(warehouse, tmp_path / "a.callgrind")
    query = """
        SELECT thread, sample, value, inclusive FROM pmu_samples
        WHERE region = 'fib' AND event = 'Ir' ORDER BY ALL
    """
    assert rows(warehouse, query) == [(1, 0, 2827.0, 2827.0), (1, 1, 8.0, 8.0)]


def test_a_cost_that_one_thread_does_not_know_is_unknown(warehouse, tmp_path):
    # The cycle of the first part leaves odd unknown; in the second it stands alone.
    text = CYCLE.replace("events", "part: 1\nthread: 1\nevents")
    text += "\npart: 1\nthread: 2\nevents: Ir\nfn=odd\n3 5\nfn=even\n4 7\n"
    landed(warehouse, tmp_path, text, "Ir")
    query = "SELECT function, own, inclusive FROM call_tree ORDER BY function"
    assert rows(warehouse, query) == [("even", 47, 97), ("main", 10, 100), ("odd", 55, None)]


YAPPI = """version: 1
creator: yappi
pid: 7
cmd:  a.py
part: 1

events: Ticks

fl=(0) a.py
fl=(1) a.py

fn=(0) main a.py:4
fn=(1) work a.py:2

fl=(0)
fn=(0)
4 31
cfl=(1)
cfn=(1)
calls=3 0
0 7722

fl=(1)
fn=(1)
2 7722"""


def test_yappi_counts_microseconds_and_never_ends_its_last_line(warehouse, tmp_path):
    (tmp_path / "a").write_text(YAPPI)
    land(warehouse, tmp_path / "a")
    query = "SELECT function, cost, inclusive, unit FROM function_costs ORDER BY ALL"
    assert rows(warehouse, query) == [
        ("main a.py:4", 31, 7753, "us"),
        ("work a.py:2", 7722, 7722, "us"),
    ]


@pytest.mark.parametrize(
    ("end", "problem"),
    [("4 31\n", "the costs of work a.py:2 are missing"), ("cfn=(1)\n", "the calls of a called")],
)
def test_profiles_of_yappi_that_were_cut_are_refused(warehouse, tmp_path, end, problem):
    (tmp_path / "a").write_text(YAPPI[: YAPPI.index(end) + len(end)])
    with pytest.raises(InputError, match=problem):
        land(warehouse, tmp_path / "a")


def test_samples_of_a_call_are_no_number_of_calls(warehouse, tmp_path):
    # google-pprof --callgrind
    text = "events: Hits\n\nfl=a.c\nfn=main\ncfn=work\ncalls=58 7\n11 58\n\nfn=work\n7 58\n"
    (tmp_path / "callgrind.out.1").write_text(text)
    (done,) = land(warehouse, tmp_path / "callgrind.out.1")
    query = "SELECT region, event, value, inclusive FROM pmu_samples ORDER BY ALL"
    assert rows(warehouse, query) == [("main", "Hits", 0, 58), ("work", "Hits", 58, 58)]
    assert done.left_out == "1 number of calls (it is that of samples)"


def test_averages_of_lines_do_not_land(warehouse, tmp_path):
    path = tmp_path / "cachegrind.out.w"
    path.write_text(
        "# callgrind format\nversion: 1\ncreator: pprofile\nevent: usphit :microseconds/hit\n"
        "events: hits microseconds usphit\nfl=w.py\nfn=f:3\n3 4 40 10\n4 2 60 30\n"
    )
    (landed,) = land(warehouse, path)
    assert landed.left_out == "1 event usphit (an average: those of lines do not add up)"
    assert rows(warehouse, "SELECT event, value FROM pmu_samples ORDER BY ALL") == [
        ("hits", 6.0),
        ("microseconds", 100.0),
    ]
