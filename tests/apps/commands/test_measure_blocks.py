"""`pwh measure-blocks`: the rows, which pwh ingests, and what is refused."""

from __future__ import annotations

import csv

import pytest

from tests.apps.recording.test_measured_blocks import needs_machine


@needs_machine
def test_rows_land_as_measured_blocks(run, tmp_path):
    (tmp_path / "own.csv").write_text("hex,name\n4801c8,chain\n0x4801c84801c8,two\n48f7f1,fault\n")
    out = tmp_path / "measured.csv"
    code, _, err = run("measure-blocks", tmp_path / "own.csv", "-o", out)
    assert code == 0
    if "other programs had" in err:
        pytest.skip("other programs use the core: cycles are not those of an idle one")
    assert "2 blocks measured, 1 without a value" in err
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [row["problem"] for row in rows] == ["", "", "SIGFPE"]
    assert run("ingest", out, "--machine", "mine")[0] == 0
    query = "SELECT round(cycles) FROM segments WHERE cycles IS NOT NULL ORDER BY segment"
    assert run("sql", query, "--format", "csv")[1].splitlines()[1:] == ["1.0", "2.0"]


def test_files_that_have_no_blocks_are_refused(run, tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    code, _, err = run("measure-blocks", tmp_path / "other.csv")
    assert code == 3
    assert "the file has no column hex" in err
    code, _, err = run("measure-blocks", tmp_path / "absent.csv")
    assert code == 2
    (tmp_path / "text").write_text("no program")
    code, _, err = run("measure-blocks", "--from", tmp_path / "text")
    assert code == 5
    assert "there is no x86-64 machine code to take blocks from" in err
