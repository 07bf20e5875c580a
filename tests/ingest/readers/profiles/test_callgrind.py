"""callgrind profiles: real ones against known facts, and ones written here."""

from __future__ import annotations

import pytest

from ingest.base import Head
from ingest.readers.profiles.callgrind.reader import Callgrind
from tests.helpers.support import land, rows, shared
from tests.ingest.cases.callgrind import SAMPLE
from warehouse.errors import InputError

READER = Callgrind()
HEAD = """\
# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 12
cmd:  ./turns 4
part: 1
thread: 1

desc: Trigger: Program termination

positions: instr line
events: Ir
summary: 35

"""
# A loop of four rounds, whose third instruction calls; then a return.
TURNS = """\
ob=(1) /bin/turns
fl=(1) turns.c
fn=(1) main
0x100 3 1
+4 +1 4
+2 * 4
cfn=(2) work
calls=4 0x200 20
* * 12
+5 * 4
+2 -1 4
jcnd=3/4 -9 +1
* *
+2 +2 1

fn=(2)
0x200 20 4
+1 * 4
+1 +1 4

totals: 30
"""
PROFILE = HEAD + TURNS
VISITS = "SELECT bb, visits, instructions FROM bb_visits ORDER BY ALL"
EDGES = "SELECT src, dst, count FROM bb_edges ORDER BY ALL"


def refused(con, path):
    with pytest.raises(InputError) as caught:
        land(con, path)
    assert rows(con, "SELECT count(*) FROM pmu_samples") == [(0,)]
    return caught.value


def test_blocks_of_a_loop_with_a_call(landed, warehouse):
    assert landed(PROFILE, VISITS) == [
        (0, 1, 1),
        (1, 4, 16),
        (2, 1, 1),
        (3, 4, 12),
    ]
    # Three rounds go back; the first comes from the beginning, and calls are not edges.
    assert rows(warehouse, EDGES) == [(0, 1, 1), (1, 1, 3), (1, 2, 1)]
    query = "SELECT bb, size, pc_first, pc_last, function, source_file, source_line FROM bb_blocks"
    assert rows(warehouse, f"{query} ORDER BY bb") == [
        (0, 1, 0x100, 0x100, "main", "turns.c", 3),
        (1, 4, 0x104, 0x10D, "main", "turns.c", 4),
        (2, 1, 0x10F, 0x10F, "main", "turns.c", 5),
        (3, 3, 0x200, 0x202, "work", "turns.c", 20),
    ]
    query = "SELECT region, event, value FROM pmu_samples ORDER BY ALL"
    assert rows(warehouse, query) == [
        ("main", "Ir", 18.0),
        ("work", "Ir", 12.0),
        ("work", "calls", 4.0),
    ]


def test_call_that_counts_code_left_out_has_no_more_visits(landed):
    text = PROFILE.replace("* * 12\n", "* * 12\n* * 4\n").replace("totals: 30", "totals: 34")
    assert landed(text, VISITS)[1] == (1, 4, 20)


def test_place_where_the_count_changes_begins_a_block(landed, warehouse):
    # Control came back from the call three times only.
    text = PROFILE.replace("+5 * 4\n+2 -1 4\njcnd=3/4", "+5 * 3\n+2 -1 3\njcnd=3/3")
    text = text.replace("+2 +2 1\n", "").replace("totals: 30", "totals: 27")
    assert landed(text, VISITS)[1:3] == [(1, 4, 8), (2, 3, 6)]
    assert rows(warehouse, EDGES) == [(0, 1, 1), (1, 2, 3), (2, 1, 3)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0x200 20 4", "512 20 4"),
        ("jcnd=3/4 -9 +1", "jcnd=3/4 0x104 4"),
        ("jcnd=3/4 -9 +1", "jcnd=3/4 -0x9 +1 "),
        ("calls=4 0x200 20", "calls=4 +250 +16"),
        ("fn=(1) main", "fn=main"),
        ("\n", "\r\n"),
        ("totals: 30\n", "totals: 30"),
    ],
)
def test_other_ways_to_write_the_same(old, new, landed, warehouse, another, tmp_path):
    tables = [f"SELECT * EXCLUDE (run_id, source_id) FROM {name} ORDER BY ALL"
              for name in READER.TABLES]  # fmt: skip
    landed(PROFILE, VISITS)
    assert old in PROFILE
    other = another()
    (tmp_path / "b.callgrind").write_bytes(PROFILE.replace(old, new).encode())
    land(other, tmp_path / "b.callgrind")
    assert [rows(other, query) for query in tables] == [rows(warehouse, query) for query in tables]


def test_profile_by_lines_has_costs_only(landed, warehouse):
    text = HEAD.replace("instr line", "line").replace("events: Ir", "events: Ir Dr")
    text += "fn=(1) main\n3 20 5\n+1 4\ncfn=(2) work\ncalls=2 -2\n* 30 1\n\ntotals: 24 5\n"
    query = "SELECT thread, region, event, value, inclusive FROM pmu_samples ORDER BY ALL"
    assert landed(text, query) == [
        (1, "main", "Dr", 5.0, 6.0),
        (1, "main", "Ir", 24.0, 54.0),
        (1, "work", "Dr", 0.0, 1.0),
        (1, "work", "Ir", 0.0, 30.0),
        (1, "work", "calls", 2.0, None),
    ]
    assert rows(warehouse, "SELECT count(*) FROM bb_blocks") == [(0,)]


def test_threads_not_kept_apart_have_no_number(landed, warehouse):
    text = PROFILE.replace("thread: 1\n", "")
    assert landed(text, "SELECT DISTINCT thread FROM bb_visits") == [(None,)]
    assert rows(warehouse, "SELECT app, threads FROM runs") == [("turns", None)]


def test_block_of_one_object_is_not_that_of_another(landed):
    other = TURNS.replace("ob=(1) /bin/turns", "ob=(2) /lib/turns.so")
    text = HEAD + TURNS.replace("totals: 30\n", "") + other.replace("totals: 30", "totals: 60")
    query = "SELECT count(*), count(DISTINCT pc_first) FROM bb_blocks"
    assert landed(text, query) == [(8, 4)]


def test_real_threads_have_the_counts_of_the_file(warehouse):
    (done,) = land(warehouse, shared("bb/valgrind/thr.callgrind-03.gz"))
    assert done.runs[0].startswith("thr-")
    assert rows(warehouse, "SELECT app, threads FROM runs") == [("thr", 6)]
    # The hash loop: 2 000 000 rounds, of which callgrind counts the first apart.
    query = """
        SELECT thread, size, visits, instructions FROM bb_visits JOIN bb_blocks USING (bb)
        WHERE function = 'hashloop' AND thread IN (2, 6) ORDER BY thread, bb
    """
    assert rows(warehouse, query) == [
        (2, 4, 1, 4),
        (2, 5, 2000000, 10000000),
        (2, 1, 1, 1),
        (6, 4, 1, 4),
        (6, 5, 1000000, 5000000),
        (6, 1, 1, 1),
    ]
    query = """
        SELECT src.pc_first - dst.pc_first, count FROM bb_edges AS e
        JOIN bb_blocks AS src ON src.bb = e.src JOIN bb_blocks AS dst ON dst.bb = e.dst
        WHERE src.function = 'hashloop' AND thread = 2 ORDER BY e.src, e.dst
    """
    assert rows(warehouse, query) == [(-11, 1), (0, 1999999), (-15, 1)]
    query = "SELECT sum(instructions) FROM bb_visits WHERE thread = 2"
    assert rows(warehouse, query) == [(10000288,)]


def test_what_goes_into_a_block_comes_out_of_it(warehouse):
    land(warehouse, shared("bb/valgrind/thr.callgrind-06.gz"))
    query = """
        WITH flow AS (
          SELECT bb, visits, function,
            (SELECT sum(count) FROM bb_edges AS e WHERE e.thread = 6 AND e.dst = bb) AS entered,
            (SELECT sum(count) FROM bb_edges AS e WHERE e.thread = 6 AND e.src = bb) AS gone
          FROM bb_visits JOIN bb_blocks USING (bb) WHERE thread = 6
        )
        SELECT count(*) FILTER (entered = visits), count(*) FILTER (gone = visits), count(*)
        FROM flow WHERE function = 'sortloop'
    """
    # All but the first block are entered, all but the last left, within the function.
    assert rows(warehouse, query) == [(10, 10, 11)]


@pytest.mark.parametrize(
    ("old", "new", "problem", "line"),
    [
        ("totals: 30", "totals: 31", "the costs add up to 30, the totals are 31", 35),
        ("totals: 30", "", "the line of totals at the end is missing", 35),
        ("+2 * 4", "+2 * x", "the cost line cannot be read", 20),
        ("+2 * 4", "+2", "the cost line cannot be read", 20),
        ("+2 * 4", "+2 * 4 4", "the cost line cannot be read", 20),
        ("+2 * 4", "+2 * +4", "the cost line cannot be read", 20),
        ("+2 * 4", "-999 * 4", "the cost line cannot be read", 20),
        ("+2 * 4", "+99999999999999999 * 4", "the cost line cannot be read", 20),
        ("0x200 20 4", "0xffffffffffffffff 20 4", "the cost line cannot be read", 31),
        ("cfn=(2) work", "cfn=(2)", "the number has no name, or another one", 21),
        ("fn=(2)\n0x", "fn=(2) walk\n0x", "the number has no name, or another one", 30),
        ("calls=4 0x200 20", "calls=x 0x200 20", "the line is none of a profile", 22),
        ("calls=4 0x200 20", "walks=4 0x200 20", "the line is none of a profile", 22),
        ("calls=4 0x200 20", "calls=4 -999 20", "the target is no address", 22),
        ("* * 12\n", "", "the costs add up to 26, the totals are 30", 34),
        ("* *\n+2 +2 1\n", "", "the place of a call or jump is missing", 27),
        ("jcnd=3/4", "jcnd=5/4", "more jumps are taken than executed, or one is missing", 26),
        ("jcnd=3/4", "jcnd=3", "more jumps are taken than executed, or one is missing", 26),
        ("ob=(1)", "part: 2\nob=(1)", "'part:' is a duplicate", 15),
        ("\nfn=(2)\n0x", "\npart: 2\nfn=(2)\n0x", "the line of totals at the end is missing", 29),
        ("events: Ir", "events:", "the header names no events", 15),
        ("positions: instr line", "positions: line instr", "the positions are 'line instr'", 15),
        ("thread: 1", "thread: one", "the thread is 'one'", 15),
        ("cmd:  ./turns", "cmd ./turns", "the line belongs to no header", 5),
    ],
)
def test_damage_is_reported(old, new, problem, line, warehouse, tmp_path):
    assert old in PROFILE
    (tmp_path / "a.callgrind").write_text(PROFILE.replace(old, new, 1), encoding="utf-8")
    error = refused(warehouse, tmp_path / "a.callgrind")
    assert (error.problem, error.where) == (problem, f"a.callgrind, line {line}")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ([("thread: 1", "thread: 3")], "the file is that of thread 3, not 2"),
        ([("pid: 12", "pid: 13"), ("thread: 1", "thread: 2")], "the profile is of another process"),
        ([("./turns", "./rounds"), ("thread: 1", "thread: 2")], "the profile is of another proce"),
        ([("instr line", "instr"), ("thread: 1", "thread: 2")], "events or positions differ from"),
    ],
)
def test_files_of_other_runs_are_reported(changes, problem, warehouse, tmp_path):
    (tmp_path / "a.callgrind-01").write_text(PROFILE, encoding="utf-8")
    text = HEAD + "totals: 0\n"
    for old, new in changes:
        text = text.replace(old, new)
    (tmp_path / "a.callgrind-02").write_text(text, encoding="utf-8")
    error = refused(warehouse, tmp_path / "a.callgrind-01")
    assert error.problem.startswith(problem)
    assert error.where == "a.callgrind-02, line 1"


def test_threads_belong_together_by_name(tmp_path):
    names = [
        "callgrind.out.7-01",
        "callgrind.out.7-02.gz",
        "callgrind.out.70-01",
        "callgrind.out.7",
        "callgrind.out.7.xz",
    ]
    for name in names:
        (tmp_path / name).touch()
    found = READER.parts(tmp_path / names[0])
    assert [part.name for part in found] == names[:2]
    assert READER.parts(tmp_path / names[1]) == found
    # A copy that is compressed is a file like another, and not left out.
    assert READER.parts(tmp_path / names[3]) == (tmp_path / names[3],)
    assert READER.parts(tmp_path / names[4]) == (tmp_path / names[4],)


def test_older_valgrind_writes_no_first_line(tmp_path):
    assert READER.sniff(
        Head(b"version: 1\ncreator: callgrind-3.8.0\n", tmp_path / "callgrind.out.1")
    )
    assert READER.sniff(Head(SAMPLE.read_bytes()[:30], SAMPLE))
