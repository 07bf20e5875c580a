"""`pwh sql` and files: none but what is named, and never one of a warehouse."""

from __future__ import annotations

import pytest

from tests.faults.outputs import contents
from tests.helpers.support import land
from warehouse import connect


@pytest.fixture
def db(run, template, tmp_path):
    """Return a warehouse with one run, in the folder in which commands run."""
    path = tmp_path / "pwh.duckdb"
    path.write_bytes(template.read_bytes())
    (tmp_path / "x.csv").write_text("rank,sample,event,value\n0,0,cycles,7\n")
    with connect(path) as con:
        land(con, tmp_path / "x.csv", run_id="r1")
    return path


@pytest.mark.parametrize("options", [(), ("--files",), ("--write",)])
def test_sql_writes_to_no_warehouse(run, db, tmp_path, options):
    before = contents(tmp_path)
    for sql in ("COPY runs TO 'pwh.duckdb'", "COPY runs TO 'pwh.duckdb.wal'"):
        assert run("sql", *options, sql)[0] == 2
    assert contents(tmp_path) == before


def test_sql_reads_and_writes_files_where_it_may(run, db, tmp_path):
    code, _, err = run("sql", "FROM 'x.csv'")
    assert (code, err.splitlines()[-1]) == (2, "  To read and write other files: --files.")
    code, _, err = run("sql", "COPY runs TO 'runs.csv'")
    assert (code, "--files lets SQL read and write files" in err) == (2, True)
    for option in ("--files", "--write"):
        assert run("sql", option, "SELECT value FROM 'x.csv'", "-f", "csv")[1] == "value\n7\n"
        assert run("sql", option, f"COPY (SELECT run_id FROM runs) TO '{option}.csv'")[0] == 0
        assert (tmp_path / f"{option}.csv").read_text() == "run_id\nr1\n"
        parts = f"COPY (SELECT 1 AS a, 2 AS b) TO 'parts{option}' (FORMAT csv, PARTITION_BY a)"
        assert run("sql", option, parts)[0] == 0


def test_sql_without_files_does_all_else(run, db):
    for sql, out in (
        ("SET VARIABLE a = 3; SET threads = 1; SELECT getvariable('a') AS a", "a\n3\n"),
        ("CREATE TEMP TABLE t AS FROM range(2); FROM t", "range\n0\n1\n"),
        ("EXPLAIN SELECT 'x' SIMILAR TO 'y' AS copy", None),
        ("SELECT count(*) AS n FROM change_points", "n\n0\n"),
    ):
        code, found, err = run("sql", sql, "-f", "csv")
        assert (code, err, found) == (0, "", found if out is None else out)
    for name in ("a.csv.gz", "a.parquet", "a.json"):
        assert run("sql", "FROM runs", "-o", name)[0] == 0
    assert run("sql", "--files", "SELECT count(*) AS n FROM 'a.*'", "-f", "csv")[0] == 2
    assert (
        run("sql", "--files", "SELECT count(*) AS n FROM 'a.parquet'", "-f", "csv")[1] == "n\n1\n"
    )
    # What does not fit into memory goes next to the warehouse, as before.
    big = "SET memory_limit = '60MB'; SET threads = 1; CREATE TEMP TABLE t AS "
    big += "SELECT range AS a, hash(range) AS b FROM range(8000000); SELECT count(*) AS n FROM t"
    assert run("sql", big, "-f", "csv") == (0, "n\n8000000\n", "")
