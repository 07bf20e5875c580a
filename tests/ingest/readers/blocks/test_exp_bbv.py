"""Basic-block vectors: valgrind's own files, and short ones that show one thing each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.base import Head
from ingest.load import load
from ingest.parsed import Options
from ingest.readers.blocks.exp_bbv.reader import ExpBbv, is_pc_file
from ingest.recording import Recording, read_head
from tests.helpers.support import rows, shared
from tests.ingest.case import SAMPLES
from warehouse.errors import InputError

READER = ExpBbv()
SAMPLE = SAMPLES / "exp-bbv" / "pair.bb"
NOTES = """

# Thread {thread}
#   Total intervals: {intervals} (Interval Size 10)
#   Total instructions: {instructions}
#   Total reps: 0
#   Unique reps: {reps}
#   Total fldcw instructions: 0

"""
VECTORS = "T:1:8   :2:3   \nT:2:9   :3:1   \n"
BLOCKS = "F:1:401000:main\nF:2:401010:\nF:3:40102a:std::sort<int>(int*, int)\n"
ROWS = "SELECT thread, interval, bb, visits, instructions FROM bb_visits ORDER BY ALL"


def notes(*, thread=1, intervals=2, instructions=None, reps=0):
    instructions = 10 * intervals + 5 if instructions is None else instructions
    return NOTES.format(thread=thread, intervals=intervals, instructions=instructions, reps=reps)


def land(con, path):
    return load(con, Recording(READER.parts(path)), READER, Options())


def landed(con, folder, files, query):
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
        assert READER.sniff(Head(text.encode(), folder / name))
    land(con, folder / next(iter(files)))
    return rows(con, query)


def refused(con, folder, files):
    for name, text in files.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        land(con, folder / next(iter(files)))
    assert rows(con, "SELECT count(*) FROM bb_visits") == [(0,)]
    return caught.value


def test_one_row_is_a_block_in_an_interval_of_a_thread(warehouse, tmp_path):
    files = {"p.bb": VECTORS + notes(), "p.bb.7": "T:3:11   \n" + notes(thread=7, intervals=1)}
    assert landed(warehouse, tmp_path, files, ROWS) == [
        (1, 0, 1, None, 8),
        (1, 0, 2, None, 3),
        (1, 1, 2, None, 9),
        (1, 1, 3, None, 1),
        (7, 0, 3, None, 11),
    ]
    assert rows(warehouse, "SELECT threads, tags FROM runs") == [(2, {"interval_size": "10"})]
    assert rows(warehouse, "SELECT launch, kernel, granularity, instructions FROM bb_launches") == [
        (0, None, "thread", 25 + 15)
    ]


def test_list_of_blocks_gives_addresses_and_functions(warehouse, tmp_path):
    files = {"p.bb": VECTORS + notes(), "p.pc": BLOCKS}
    query = "SELECT kernel, bb, size, pc_first, function FROM bb_blocks ORDER BY bb"
    assert landed(warehouse, tmp_path, files, query) == [
        (None, 1, None, 0x401000, "main"),
        (None, 2, None, 0x401010, None),
        (None, 3, None, 0x40102A, "std::sort<int>(int*, int)"),
    ]


def test_what_a_file_contains_counts_more_than_its_name(tmp_path):
    contents = {"a.pc": VECTORS, "b.bb": BLOCKS, "c.pc": BLOCKS, "d.bb": VECTORS, "e.pc": "G:1\n"}
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
    lists = [name for name in contents if is_pc_file(tmp_path / name)]
    assert lists == ["b.bb", "c.pc", "e.pc"]


def test_gem5_writes_one_blank_and_no_notes(warehouse, tmp_path):
    text = "T:1:20 :2:30 \nT:1:44 :3:17 \n"
    assert landed(warehouse, tmp_path, {"simpoint.bb": text}, ROWS) == [
        (1, 0, 1, None, 20),
        (1, 0, 2, None, 30),
        (1, 1, 1, None, 44),
        (1, 1, 3, None, 17),
    ]
    assert rows(warehouse, "SELECT instructions FROM bb_launches") == [(None,)]


def test_thread_shorter_than_an_interval_has_no_rows(warehouse, tmp_path):
    short = notes(thread=2, intervals=0, instructions=9)
    query = "SELECT DISTINCT thread FROM bb_visits"
    assert landed(warehouse, tmp_path, {"p.bb": VECTORS + notes(), "p.bb.2": short}, query) == [
        (1,)
    ]
    assert rows(warehouse, "SELECT threads FROM runs") == [(2,)]
    assert rows(warehouse, "SELECT instructions FROM bb_launches") == [(25 + 9,)]


def test_repeated_string_instructions_shift_an_interval(warehouse, tmp_path):
    text = "T:1:12   \nT:1:9   \n" + notes(reps=1)
    assert landed(warehouse, tmp_path, {"p.bb": text}, "SELECT sum(instructions) FROM bb_visits")


@pytest.mark.parametrize(
    ("names", "given", "expected"),
    [
        (["p.bb", "p.bb.2", "p.bb.10", "p.pc", "q.bb"], "p.pc", "p.bb p.bb.2 p.bb.10 p.pc"),
        (["bb.out.77", "bb.out.77.2", "pc.out.77"], "pc.out.77", "bb.out.77 bb.out.77.2 pc.out.77"),
        (["bb.out.77", "bb.out.78"], "bb.out.77", "bb.out.77"),
        (["bb.out", "bb.out.2", "bb.out.901", "pc.out"], "bb.out.2", "bb.out bb.out.2 pc.out"),
        (["bb.out.77", "bb.out.77.2", "bb.out.78.2"], "bb.out.78.2", "bb.out.78.2"),
        (["p.bb.gz", "p.bb.2.zst", "p.pc.xz"], "p.bb.2.zst", "p.bb.gz p.bb.2.zst p.pc.xz"),
        (["vectors", "vectors.2", "vectors.pc"], "vectors.2", "vectors vectors.2 vectors.pc"),
        (["run.2024"], "run.2024", "run.2024"),
    ],
)
def test_files_of_one_program_belong_together(names, given, expected, tmp_path):
    for name in names:
        (tmp_path / name).write_text(VECTORS, encoding="utf-8")
    assert " ".join(part.name for part in READER.parts(tmp_path / given)) == expected
    for part in expected.split():
        assert READER.parts(tmp_path / part) == READER.parts(tmp_path / given)


@pytest.mark.parametrize("program", ["thr", "xz4", "gzip"])
def test_real_vectors_are_those_of_the_facts(program, warehouse):
    facts = json.loads(shared("bb/facts/valgrind_bbv.json").read_text())[program]
    path = shared(f"bb/valgrind/{program}.bb.gz")
    assert READER.sniff(Head(read_head(path), path))
    land(warehouse, path)
    assert rows(
        warehouse,
        "SELECT thread, max(interval) + 1, sum(instructions), "
        "sum(instructions) FILTER (interval = 0), count(DISTINCT bb), min(bb), max(bb) "
        "FROM bb_visits GROUP BY thread ORDER BY thread",
    ) == [
        (
            fact["thread"],
            fact["intervals"],
            fact["sum_of_counts"],
            fact["first_interval_sum"],
            fact["distinct_blocks"],
            fact["min_bb"],
            fact["max_bb"],
        )
        for fact in facts["files"].values()
    ]
    for fact in facts["files"].values():
        assert [[bb, count] for bb, count in rows(
            warehouse,
            "SELECT bb, sum(instructions) AS n FROM bb_visits WHERE thread = ? "
            "GROUP BY bb ORDER BY n DESC, bb LIMIT 3",
            fact["thread"],
        )] == fact["top3"]  # fmt: skip
    assert rows(warehouse, "SELECT count(*), count(function) FROM bb_blocks") == [
        (facts["pc_file"]["blocks"], facts["pc_file"]["named"])
    ]
    total = sum(fact["total_instructions_reported"] for fact in facts["files"].values())
    assert rows(warehouse, "SELECT instructions FROM bb_launches") == [(total,)]


def test_real_file_with_counts_only_is_refused(warehouse):
    with pytest.raises(InputError) as caught:
        land(warehouse, shared("bb/valgrind/gzip_instr_count_only.bb"))
    assert caught.value.problem == "there are no vectors"
    assert caught.value.hint == "Record without --instr-count-only=yes."


@pytest.mark.parametrize(
    ("text", "problem", "where"),
    [
        (VECTORS[:-6] + notes(), "this is not a whole vector", "p.bb, line 2"),
        (VECTORS[:-6], "this is not a whole vector", "p.bb, line 2"),
        (VECTORS, "valgrind's closing notes are missing", "p.bb, line 2"),
        (VECTORS + notes()[:50], "valgrind's closing notes lack 'Interval Size'", "p.bb, line 6"),
        (VECTORS + "\n# Thread 1\n", "valgrind's closing notes lack 'Total intervals'", "line 4"),
        (VECTORS + notes(thread=2), "the file is that of thread 2, not 1", "p.bb, line 11"),
        (VECTORS + notes(instructions=20), "more than the 20 of the thread", "p.bb, line 11"),
        (VECTORS + notes(intervals=4, instructions=45), "there are 2 of 4 intervals", "line 11"),
        ("T:1:8   :2:6   \n" + notes(intervals=1), "but 14..14", "p.bb, line 10"),
        ("T:1:8   :1:3   \n" + notes(intervals=1), "block 1 comes twice", "p.bb, line 1"),
        ("T:0:11   \n" + notes(intervals=1), "block 0 is not the number", "p.bb, line 1"),
        ("T:4294967296:11   \n" + notes(), "block 4294967296 is not the number", "p.bb, line 1"),
        ("T:1:-3   :2:3   \n" + notes(), "this is not a whole vector", "p.bb, line 1"),
        ("T:1:99999999999999999999   \n", "this is not a whole vector", "p.bb, line 1"),
        ("T:1:8   :2   \n" + notes(), "this is not a whole vector", "p.bb, line 1"),
        (notes(intervals=0, instructions=7), "there are no vectors", "p.bb, line 9"),
        (b"T:1:8   \xff\n", "not a whole vector", "p.bb, line 1"),
        ("\n\n\n", "valgrind's closing notes are missing", "p.bb, line 3"),
        ("", "the file is empty", "p.bb"),
    ],
)
def test_damaged_vectors(text, problem, where, warehouse, tmp_path):
    error = refused(warehouse, tmp_path, {"p.bb": text})
    assert problem in error.problem
    assert where in (error.where or "")


@pytest.mark.parametrize(
    ("blocks", "problem", "where"),
    [
        (BLOCKS[:-1], "this is not a whole line of the list of blocks", "p.pc, line 3"),
        (BLOCKS.replace("F:2:", "F:x:"), "this is not a whole line", "p.pc, line 2"),
        (BLOCKS.replace("F:2:", "F:1:"), "the block has no number of its own", "p.pc, line 2"),
        (BLOCKS.replace("F:2:401010:\n", ""), "a block is missing", "p.pc, line 2"),
        (BLOCKS.replace("401010", "f" * 16), "the address is beyond 63 bits", "p.pc, line 2"),
        (BLOCKS.replace("401010", "400ff0"), "does not come after the one before", "p.pc, line 2"),
        (BLOCKS[:28], "block 3 is not the number of a block of the list", "p.bb, line 2"),
        ("F:2:401000:a\nF:1:401010:b\nF:3:401020:c\n", "block 2 is not where", "p.bb, line 1"),
        ("", "the file is empty", "p.pc"),
    ],
)
def test_damaged_list_of_blocks(blocks, problem, where, warehouse, tmp_path):
    error = refused(warehouse, tmp_path, {"p.bb": VECTORS + notes(), "p.pc": blocks})
    assert problem in error.problem
    assert error.where == where


def test_list_of_blocks_alone_is_refused(warehouse, tmp_path):
    error = refused(warehouse, tmp_path, {"p.pc": BLOCKS})
    assert error.problem == "this lists blocks, but the vectors are not next to it"


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"T",
        b"T:x:1 ",
        b"Time:12:30 \n",
        b"# Thread 1\nnothing else\n",
        b"F:name:value\n",
        b"F:1:zz:main\n",
        b"F:1:401000:main\nG:2\n",
        b"<!DOCTYPE html>\n",
        b"T,a\n1,2\n",
        b"\x00\xff" * 50,
    ],
)
def test_others_are_not_recognised(head):
    assert not READER.sniff(Head(head, Path("p.bb")))
