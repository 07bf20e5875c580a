"""Outputs are whole or not there, and no output replaces a warehouse."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from apps.output.files import replacing
from tests.faults.outputs import OUTPUTS, contents, targets
from tests.helpers.support import land
from warehouse import connect
from warehouse.errors import UsageError


@pytest.fixture
def db(run, template, tmp_path):
    """Return a warehouse with one run, in the folder in which commands run."""
    path = tmp_path / "pwh.duckdb"
    path.write_bytes(template.read_bytes())
    (tmp_path / "x.csv").write_text("rank,sample,event,value\n0,0,cycles,7\n")
    with connect(path) as con:
        land(con, tmp_path / "x.csv", run_id="r1")
    return path


def test_no_output_replaces_a_warehouse(run, db, template, tmp_path, monkeypatch):
    monkeypatch.setenv("PWH_DB", str(db))
    paths = targets(db, template)
    before = contents(tmp_path)
    for words in OUTPUTS:
        code, out, err = run(*words, db)
        assert (code, out) == (2, ""), words
        assert f"cannot write {db}: it is a DuckDB file" in err, words
    for path in paths:
        assert run("runs", "-o", path)[0] == 2, path
    assert contents(tmp_path) == before


def test_a_log_is_not_replaced_under_another_name(run, tmp_path, template):
    db = tmp_path / "w.duckdb"
    db.write_bytes(template.read_bytes())
    con = connect(db)
    con.execute("CREATE TABLE mine AS SELECT 1 AS x")
    (tmp_path / "log.csv").hardlink_to(tmp_path / "w.duckdb.wal")
    with (
        pytest.raises(UsageError, match="log.csv: it is the write-ahead log"),
        replacing(tmp_path / "log.csv"),
    ):
        pass
    con.close()


def test_an_output_that_fails_leaves_what_was_there(db, tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("former")
    with pytest.raises(UsageError, match="No space left"), replacing(target) as draft:
        draft.write_text("half")
        raise OSError(28, "No space left on device")
    assert target.read_text() == "former"
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "new.txt") as draft:
        draft.write_text("half")
        raise KeyboardInterrupt
    assert {path.name for path in tmp_path.iterdir()} == {"out.txt", "pwh.duckdb", "x.csv"}


def test_a_warehouse_that_appears_meanwhile_stays(template, tmp_path):
    target = tmp_path / "out"
    with pytest.raises(UsageError, match="it is a DuckDB file"), replacing(target) as draft:
        draft.write_text("rows")
        target.write_bytes(template.read_bytes())
    assert target.read_bytes() == template.read_bytes()
    assert list(tmp_path.iterdir()) == [target]


def test_a_target_keeps_its_rights_and_links(run, db, tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("former")
    real.chmod(0o640)
    link.symlink_to(real.name)
    assert run("sql", "SELECT 1 AS x", "-o", link)[0] == 0
    assert (link.is_symlink(), real.read_text()) == (True, "x\n1\n")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        assert run("sql", "SELECT 1 AS x", "-o", "new.csv")[0] == 0
        assert run("runs", "-o", "new.txt")[0] == 0
    finally:
        os.umask(mask)
    for name in ("new.csv", "new.txt"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o640


@pytest.mark.parametrize("words", [("sql", "FROM runs", "-f", "csv"), ("runs", "-f", "csv")])
def test_pipes_and_devices_are_written_to_directly(run, db, tmp_path, words):
    printed = run(*words)
    assert run(*words, "-o", "/dev/null") == (0, "", "")
    assert run(*words, "-o", "/dev/stdout") == printed
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    assert run(*words, "-o", pipe)[0] == 0
    reader.join()
    assert (read, pipe.is_fifo()) == ([printed[1]], True)
    assert Path("/dev/null").is_char_device()


def test_a_name_that_is_too_long_is_a_message(run, db):
    code, _, err = run("runs", "-o", "x" * 256)
    assert (code, "File name too long" in err, "Traceback" in err) == (2, True, False)
    assert run("runs", "-o", "ä" * 120)[0] == 0
