"""Source pages of Nsight Compute: a real one, and ones written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.base import Head
from ingest.readers import READERS
from tests.helpers.support import land, rows, shared
from tests.ingest.cases.ncu_source import COLUMNS, COPY, page
from warehouse.errors import InputError

LAUNCHES = "SELECT launch, kernel, instructions, warp_instructions FROM bb_launches ORDER BY ALL"


def test_real_page_has_the_facts(warehouse):
    land(warehouse, shared("bb/ncu/source_page_excerpt.csv"))
    query = "SELECT left(kernel, 25), instructions, warp_instructions FROM bb_launches"
    assert rows(warehouse, query) == [("void HET_RGNNMatmulNoScat", 3 * 116224, 3 * 3632)]
    assert rows(warehouse, "SELECT bb, opcode, count FROM bb_opcodes ORDER BY ALL") == [
        (None, "IMAD.MOV.U32", 2 * 116224),
        (None, "S2UR", 116224),
    ]
    assert rows(warehouse, "SELECT tags['incomplete'] FROM runs") == [
        ("launch 0: the page ends inside the code",)
    ]


def test_only_one_reader_takes_it(tmp_path):
    head = page().encode()
    assert [r.NAME for r in READERS if r.sniff(Head(head, tmp_path / "a.csv"))] == ["ncu-source"]


def test_older_versions_name_both_counts_alike(landed):
    text = page(code=COPY).replace('"Instructions Executed","Thread Ins', '"Samples","Ins', 1)
    assert landed(text, LAUNCHES) == [(0, "sum(float *, int)", 1440, 45)]


def test_what_is_printed_around_the_page_is_skipped(landed, warehouse):
    text = "==PROF== Connected to process 7\nresult 12\n" + page("a").replace(
        '"Address"', '"Invocations","1"\n"Address"', 1
    )
    text += "\n==PROF== Disconnected\n" + page("b", COPY)
    found = landed(text, "SELECT launch, kernel FROM bb_launches ORDER BY 1")
    assert found == [(0, "a"), (1, "b")]
    assert rows(warehouse, "SELECT tags FROM runs") == [({},)]


def test_name_with_quotes_and_thousands(landed):
    text = page('k<""x"">').replace('"256"', '"1,256"').replace('"8"', '"1,008"')
    found = landed(text, LAUNCHES)
    assert found == [(0, 'k<"x">', 4 * 1256 + 220, 4 * 1008 + 8)]


@pytest.mark.parametrize(
    ("old", "new", "problem", "where"),
    [
        (
            '"8","3","8","256","0"\n',
            '"8","3","8","256"\n',
            "the row has 7 fields, the hea",
            "line 3",
        ),
        ('"8","3","8","256"', '"8","3","8","257"', "8 warp instructions cannot be 257", "line 3"),
        ('"8","3","8","256"', '"8","3","8","-1"', "the count is '-1'", "line 3"),
        ('"8","3","8","256"', '"8.5","3","8","256"', "the count is '8.5'", "line 3"),
        ("      S2R R0", "int i = 0", "'int i = 0, SR_TID.X' is no machine", "line 3"),
        ('"Source"', '"Sauce"', "the table's columns are", "line 2"),
        ('"Thread Instructions Executed"', '"Threads"', "8 warp instr", None),
        ('0x7f1000000000"', "0x7f1000000000", "the line cannot be read", "line 3"),
    ],
)
def test_damage_is_reported(old, new, problem, where, landed, warehouse, tmp_path):
    assert old in page()
    text = page().replace(old, new, 1)
    if where is None:  # the second column of the name is used: all lanes but one are idle
        assert landed(text, LAUNCHES) == [(0, "sum(float *, int)", 40, 40)]
        return
    with pytest.raises(InputError) as caught:
        (tmp_path / "a.csv").write_text(text, encoding="utf-8")
        land(warehouse, tmp_path / "a.csv", reader="ncu-source")
    assert caught.value.problem.startswith(problem)
    assert caught.value.where == where


def test_kernel_without_instructions(landed):
    heading = ",".join(f'"{name}"' for name in COLUMNS)
    text = f'"Kernel Name","a"\n{heading}\n{page("b")}'
    with pytest.raises(InputError, match="the kernel 'a' has no instructions"):
        landed(text, LAUNCHES)


def test_a_table_that_is_printed_twice_is_one_launch(warehouse, tmp_path):
    sample = (Path(__file__).parents[3] / "samples/ncu-source/source_page.csv").read_text()
    first, second = (f'"Kernel Name"{p.rstrip()}\n\n' for p in sample.split('"Kernel Name"')[1:])
    (tmp_path / "p.csv").write_text(first + first + second + second)
    land(warehouse, tmp_path / "p.csv")
    assert rows(warehouse, "SELECT launch, kernel FROM bb_launches ORDER BY 1") == [
        (0, "sum(float *, int)"), (1, "copy(float *)"),
    ]  # fmt: skip
    assert rows(warehouse, "SELECT left_out FROM sources")[0][0].startswith("2 tables")
