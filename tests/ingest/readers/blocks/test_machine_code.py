"""The reader of machine code: BHive's lines, tables with a column hex, and what is refused."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.base import Head
from ingest.readers.blocks.machine_code import MachineCode
from ingest.recording import read_head
from tests.helpers.support import land, rows, shared
from warehouse.errors import InputError

READER = MachineCode()
SEGMENTS = "SELECT segment, cycles, hex FROM segments ORDER BY segment"


def written(folder: Path, content: str | bytes, name: str = "blocks.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def sniffed(path: Path) -> bool:
    return READER.sniff(Head(read_head(path), path))


def refusal(warehouse, path: Path) -> str:
    with pytest.raises(InputError) as error:
        land(warehouse, path, reader="machine-code")
    assert rows(warehouse, "SELECT count(*) FROM segments") == [(0,)]
    return str(error.value).removeprefix(f"{path}").lstrip(", ")


def test_header_form_keeps_order_and_ignores_further_columns(warehouse, tmp_path):
    path = written(tmp_path, "n_instr;Hex;cycles_per_100\n2;4801D8;150\n1;90;\n1;c3;NaN\n")
    land(warehouse, path, reader="machine-code")
    assert rows(warehouse, SEGMENTS) == [(0, 1.5, "4801d8"), (1, None, "90"), (2, None, "c3")]


def test_lines_that_end_with_a_carriage_return_alone(warehouse, tmp_path):
    (tmp_path / "b.csv").write_bytes(b"hex,cycles\r4801d8,1.0\r90,0.25\r")
    land(warehouse, tmp_path / "b.csv")
    query = "SELECT hex, cycles FROM segments ORDER BY segment"
    assert rows(warehouse, query) == [("4801d8", 1.0), ("90", 0.25)]


def test_cycles_without_further_name_are_those_of_one_pass(warehouse, tmp_path):
    land(warehouse, written(tmp_path, "hex,cycles\n4801d8,1.5\n"), reader="machine-code")
    assert rows(warehouse, SEGMENTS) == [(0, 1.5, "4801d8")]


def test_index_of_a_frame_has_no_name(warehouse, tmp_path):
    land(warehouse, written(tmp_path, ",hex,cycles_per_100\n7,90,25\n"), reader="machine-code")
    assert rows(warehouse, SEGMENTS) == [(0, 0.25, "90")]


def test_comments_above_the_header(warehouse, tmp_path):
    land(warehouse, written(tmp_path, "# of the solver\nhex,cycles\n90,NULL\n"))
    assert rows(warehouse, SEGMENTS) == [(0, None, "90")]


def test_code_alone_lands_unmeasured(warehouse, tmp_path):
    land(warehouse, written(tmp_path, "hex\r\n4801d8\r\n90\r\n"), reader="machine-code")
    assert rows(warehouse, SEGMENTS) == [(0, None, "4801d8"), (1, None, "90")]


def test_parquet(warehouse, tmp_path):
    table = pa.table({"app": ["x", "y"], "hex": ["90", "C3"], "cycles_per_100": [25, None]})
    pq.write_table(table, tmp_path / "blocks.parquet")
    land(warehouse, tmp_path / "blocks.parquet", reader="machine-code")
    assert rows(warehouse, SEGMENTS) == [(0, 0.25, "90"), (1, None, "c3")]


def test_measured_blocks_of_zen3(warehouse):
    path = shared("uarch/bb_tput_zen3_train.parquet")
    assert sniffed(path)
    land(warehouse, path, reader="machine-code")
    assert rows(
        warehouse,
        """
        SELECT count(*), count(DISTINCT hex), count(DISTINCT segment), max(segment),
          round(min(cycles), 3), round(median(cycles), 3), round(max(cycles), 1)
        FROM segments
        """,
    ) == [(27222, 27222, 27222, 27221, 0.310, 1.017, 298.5)]
    expected = rows(
        warehouse,
        "SELECT hex, cycles_per_iter FROM read_parquet(?) LIMIT 3",
        str(path),
    )
    got = rows(warehouse, "SELECT hex, cycles FROM segments ORDER BY segment LIMIT 3")
    assert [(code, pytest.approx(cycles)) for code, cycles in got] == expected


def test_features_of_blocks_land_as_code_alone(warehouse, tmp_path):
    table = pq.read_table(shared("uarch/bb_tput_zen3_train_features.parquet"))
    pq.write_table(table.slice(0, 2000), tmp_path / "features.parquet")
    land(warehouse, tmp_path / "features.parquet", reader="machine-code")
    assert rows(warehouse, "SELECT count(*), count(cycles), count(n_int) FROM segments") == [
        (2000, 0, 2000)
    ]


@pytest.mark.parametrize(
    ("content", "recognised"),
    [
        ("4801d8,100.000000\n90c3,25\n", True),
        ("4801d8,100.000000", True),
        ("hex\n90\n", True),
        ("name\thex\tcycles_per_100\n", True),
        ("4801d8,100.0\n48zz,1.0\n90c3,25.0\n", True),
        ("thread,segment,hex,cycles\n0,0,90,1\n", False),
        ("10,20\n3040,50.5\n", False),
        ("text\tdata\tbss\tdec\thex\tfilename\n24579\t172\t37\t24788\t60d4\ta.out\n", False),
        ("app,event,value\nx,cycles,1\n", False),
        ("".join(f"40{pc:02x}f0,12\n" for pc in range(20)), False),
        ("<!DOCTYPE html>\n<html>hex</html>\n", False),
        ("\n\n", False),
        (b"hex\0\n90\n", False),
        ("hex,value\n".encode("utf-16"), True),
    ],
)
def test_recognises_its_own_and_nothing_else(tmp_path, content, recognised):
    assert sniffed(written(tmp_path, content)) is recognised


def test_table_of_segments_is_left_to_the_plain_reader():
    assert not sniffed(shared("uarch/seg_gem5_train.parquet"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "hex\n4801d8\n4801d\n",
            "row 2 of segments: the machine code 4801d has an odd number (5) of digits\n"
            "  expected two hexadecimal digits a byte",
        ),
        (
            "4801d8,100.0\n48g1,100.0\n",
            "row 2 of segments: the machine code 48g1 contains g, which is no hexadecimal digit\n"
            "  expected two hexadecimal digits a byte",
        ),
        (
            "hex,cycles_per_100\n,100\n",
            "row 1 of segments: the machine code is empty\n"
            "  expected two hexadecimal digits a byte",
        ),
        (
            "hex,cycles_per_100\n90,-100\n",
            "row 1 of segments: the block takes -1.0 cycles\n"
            "  expected cycles above 0, or none where not measured",
        ),
        (
            "hex,cycles_per_100\n90,inf\n",
            "row 1 of segments: the block takes inf cycles\n"
            "  expected cycles above 0, or none where not measured",
        ),
        (
            "hex,cycles_per_100\n90,100\n91,many\n",
            "line 3: 'many' in the column cycles_per_100\n  expected a number",
        ),
        (
            "hex,cycles_per_100\n90\n",
            "line 2: 1 columns\n  expected 2, as in the first line",
        ),
        (
            "hex,hex\n90,90\n",
            "line 1: the column 'hex' is a duplicate",
        ),
        (
            "4801d8,100.0\n90,25.",
            "the last line has no end, so the file may have been cut off\n"
            "  expected a whole last line, or a line break behind it\n"
            "  Copy it again; if it is whole, add the line break.",
        ),
        (
            "4801d8,3\n90c3,1\nc3,1\n",
            "lines 1 to 3: most blocks would take less than 8 cycles per 100 iterations\n"
            "  expected cycles per 100 iterations, as in BHive's throughput files\n"
            "  BHive's files of sources contain frequencies: put a header line hex,frequency above "
            "them to land the code alone.",
        ),
        (
            "code,cycles\n90,1\n",
            "line 1: 'code,cycles' is neither a header nor a block\n"
            "  expected a header line with the column hex, or lines such as 4801d8,100.000000",
        ),
        (
            b"hex,name\n9\xff,add\n",
            "line 2: byte 0xff is not text\n  expected UTF-8 text\n"
            "  Is it the right file? Convert other encodings with iconv.",
        ),
        (
            b"hex;name;cycles\n90\xdd\n",
            "line 2: byte 0xdd is not text\n  expected UTF-8 text\n"
            "  Is it the right file? Convert other encodings with iconv.",
        ),
        (
            "hex\n",
            "the file contains no measurements\n  expected at least one row of data",
        ),
    ],
)
def test_message_names_what_is_wrong(warehouse, tmp_path, content, message):
    assert refusal(warehouse, written(tmp_path, content)).lstrip(": ") == message


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            {"hex": pa.array([b"\x90"])},
            "the column hex is of type BLOB\n  expected text: the bytes of a block in hexadecimal",
        ),
        (
            {"hex": pa.array([90], pa.int8())},
            "the column hex is of type TINYINT\n"
            "  expected text: the bytes of a block in hexadecimal",
        ),
        (
            {"hex": ["90"], "cycles_per_100": ["1"]},
            "the column cycles_per_100 is of type VARCHAR\n  expected numbers",
        ),
        (
            {"hex": ["90", None]},
            "row 2 of segments: the machine code is empty\n"
            "  expected two hexadecimal digits a byte",
        ),
        (
            {"code": ["90"]},
            "the file has no column hex\n  expected blocks of machine code in hex",
        ),
    ],
)
def test_message_names_what_is_wrong_with_parquet(warehouse, tmp_path, table, message):
    pq.write_table(pa.table(table), tmp_path / "blocks.parquet")
    assert refusal(warehouse, tmp_path / "blocks.parquet").lstrip(": ") == message


def test_check_of_plain_segments_names_the_first_row(warehouse, tmp_path):
    path = written(tmp_path, "thread,segment,cycles,n_load\n0,0,10,1\n0,1,10,-1\n0,2,-1,1\n")
    with pytest.raises(InputError, match=r"row 2 of segments: -1 in the column n_load"):
        land(warehouse, path, reader="plain")
