"""pwh ingest --watch: what arrives in a folder lands until a signal ends it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests.helpers.support import rows
from warehouse import connection


def test_what_arrives_lands_and_a_bad_file_does_not_stop_it(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    db = tmp_path / "w.duckdb"
    (folder / "notes.xyz").write_text("to do\n")
    (folder / "bad.csv").write_text("run_id,app,event,value\nr0,a,cycles,many\n")
    command = [sys.executable, "-m", "apps.cli", "--db", str(db), "ingest", "--watch", str(folder)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == f"pwh: watching {folder}; Ctrl-C ends\n"
        (folder / "part.csv").write_text("run_id,app,event,value\n")
        with (folder / "part.csv").open("a") as file:
            time.sleep(1)
            file.write("r1,a,cycles,7\n")
        until = time.monotonic() + 60
        while not _landed(db) and time.monotonic() < until:
            time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert _landed(db) == [("r1", 7.0)]
    assert err.count("rejected ") == 1 and "bad.csv" in err
    assert err.count("skipped 1 file that no reader recognises (notes.xyz)\n") == 1
    assert err.endswith("pwh: stopped\n")


def _landed(db):
    if not db.exists():
        return []
    with connection.connect(db, read_only=True, wait=60) as con:
        return rows(con, "SELECT run_id, value FROM pmu_samples")


@pytest.mark.parametrize(
    ("options", "message"),
    [(("--watch", "nope"), "is no folder"), (("--watch", "--dry-run", "."), "exclude each other")],
)
def test_usage(run, options, message):
    code, _, err = run("ingest", *options)
    assert (code, message in err) == (2, True)
