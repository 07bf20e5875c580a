"""How DuckDB is to read long CSV files."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ingest.parsing.plain_csv import source

HEADER = "event,value\n"
TYPES = {"event": "VARCHAR", "value": "DOUBLE"}
LONG = "x" * 17_000_000


def landed(tmp_path: Path, text: str) -> duckdb.Connection:
    """Insert the rows of a CSV file into the table t of a new database."""
    file = tmp_path / "counters.csv"
    file.write_text(text, encoding="utf-8", newline="")
    # One thread alone stores rows otherwise.
    con = duckdb.connect(tmp_path / "test.duckdb", config={"threads": 2})
    con.execute("CREATE TABLE t (event VARCHAR, value DOUBLE)")
    clause, params = source(text[:1000].encode(), file, ("event", "value"), TYPES, left_out=False)
    con.execute(f"INSERT INTO t SELECT * {clause}", params)
    return con


def test_line_breaks_in_quotes_are_read_in_long_files(tmp_path):
    rows = "".join(f'"a,1\nb,{i}",{i}\n' for i in range(150_000))
    with landed(tmp_path, HEADER + rows) as con:
        found = con.execute(
            "SELECT count(*), sum(value), count(DISTINCT event), min(event[:3]) FROM t"
        ).fetchone()
    assert found == (150_000, 150_000 * 149_999 / 2, 150_000, "a,1")


@pytest.mark.parametrize("after", [3, 200_000])
@pytest.mark.parametrize("before", ["a,1\n", '"a\nb",1\n'])
def test_a_quote_that_is_never_closed_is_refused(refusal, before, after):
    text = HEADER + before * 300_000 + '"a,5\n' + "a,1\n" * after
    assert "a quote is never closed" in refusal(text.encode())


def test_a_file_whose_lines_end_in_several_ways_is_told_so(refusal):
    message = refusal((HEADER + "a,1\r\n").encode())
    assert "its lines end in several ways" in message and "dos2unix" in message


def test_rows_of_long_files_fill_row_groups(tmp_path):
    # A piece of DuckDB's own choice has a little more such rows than a row group.
    row = "event of which the name is about as long as this sentence is,1\n"
    with landed(tmp_path, HEADER + row * 400_000) as con:
        sizes = con.execute(
            "SELECT sum(count) FROM pragma_storage_info('t') "
            "WHERE column_name = 'value' AND segment_type = 'DOUBLE' GROUP BY row_group_id"
        ).fetchall()
    assert sum(size for (size,) in sizes) == 400_000
    assert len(sizes) <= 4


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (HEADER + "a,1\n" * 9 + LONG + ",1\n", "the last line is too long"),
        (HEADER + "a,1\n" * 9 + LONG + ",1\n" + "a,1\n" * 300_000, "a line is too long"),
    ],
)
def test_lines_longer_than_what_duckdb_reads_are_refused(refusal, text, problem):
    message = refusal(text.encode())
    assert problem in message
    assert "expected lines of at most 2 MB" in message
