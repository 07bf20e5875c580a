"""Files, folders and options that `pwh ingest` must refuse, as a user meets it."""

from __future__ import annotations

import os
import socket
import sys

import pytest

import ingest.sniff
from apps import cli
from ingest.contract import HTML
from tests.ingest.copies import is_empty
from warehouse import connect

pytestmark = pytest.mark.usefixtures("new_warehouses_are_copies", "without_analyses")
TRACE = {
    "fragments": "fragment_id,worker_id,t_start,t_end\n1,w0,0,10\n",
    "workers": "worker_id,node_id\nw0,n0\n",
}
COUNTERS = b"rank,event,value\n0,cycles,100\n1,cycles,200\n2,cycles,300\n"


@pytest.fixture
def pwh(tmp_path, monkeypatch, capfd):
    """Run a command in an empty folder; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWH_DB", str(tmp_path / "w.duckdb"))

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pwh", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return stop.value.code or 0, out, err

    return run


def nothing_landed(tmp_path):
    path = tmp_path / "w.duckdb"
    if not path.exists():
        return True
    con = connect(path, read_only=True)
    try:
        return is_empty(con)
    finally:
        con.close()


def test_rejected_files_end_with_3(pwh, tmp_path):
    (tmp_path / "x.csv").write_bytes(COUNTERS + b"3,cycles,many\n")
    code, out, err = pwh("ingest", "x.csv")
    assert (code, out) == (3, "")
    assert err == ("pwh: rejected x.csv, line 5: 'many' in the column value\n  expected a number\n")
    assert nothing_landed(tmp_path)


def test_paths_that_are_no_files(pwh, tmp_path):
    (tmp_path / "loop").symlink_to("pool")
    (tmp_path / "pool").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("gone")
    os.mkfifo(tmp_path / "fifo")
    server = socket.socket(socket.AF_UNIX)
    server.bind("socket")
    server.close()
    messages = {
        "loop": "cannot be read: Too many levels of symbolic links",
        "dangling": "cannot be read: No such file or directory",
        "gone.csv": "cannot be read: No such file or directory",
        "gone*.csv": "no file matches this pattern",
        "fifo": "this is neither a file nor a folder",
        "socket": "this is neither a file nor a folder",
        "a" * 300: "cannot be read: File name too long",
    }
    for name, message in messages.items():
        for options in ((), ("--reader", "plain")):
            code, out, err = pwh("ingest", name, *options)
            assert (code, out) == (3, "")
            assert err.startswith(f"pwh: rejected {name}: {message}")
    assert nothing_landed(tmp_path)
    assert pwh("ingest", "")[0] == 2
    # Where there is a warehouse, it remembers that the link was rejected.
    (tmp_path / "x.csv").write_bytes(COUNTERS)
    assert pwh("ingest", "x.csv")[0] == 0
    assert pwh("ingest", "loop")[0] == 3


def test_a_pipe_is_no_warehouse(pwh, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for command in (("runs",), ("doctor",)):
        code, out, err = pwh("--db", "fifo", *command)
        assert code == 4 and "fifo is not a DuckDB file" in out + err


def test_a_file_that_may_not_be_read(pwh, tmp_path, monkeypatch):
    (tmp_path / "x.csv").write_bytes(COUNTERS)

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    # Whoever runs the tests as root may read everything.
    monkeypatch.setattr(ingest.sniff, "read_head", refuse)
    code, _, err = pwh("ingest", "x.csv")
    assert (code, err) == (3, "pwh: rejected x.csv: cannot be read: Permission denied\n")


def test_a_folder_of_junk(pwh, tmp_path):
    folder = tmp_path / "junk"
    (folder / "deep").mkdir(parents=True)
    (folder / "page.html").write_bytes(HTML)
    (folder / "deep" / "data.bin").write_bytes(bytes(range(256)))
    (folder / "empty").touch()
    (folder / "deep" / "up").symlink_to(folder)
    os.mkfifo(folder / "fifo")
    code, out, err = pwh("ingest", "junk")
    assert (code, out) == (3, "")
    assert err == (
        "pwh: no reader recognises any of the 4 files found\n"
        "  pwh readers lists the formats; ingest a single file to see why it is not read.\n"
    )
    assert nothing_landed(tmp_path)


def test_devices_and_files_of_the_kernel_are_skipped_in_folders(pwh, tmp_path):
    folder = tmp_path / "linked"
    folder.mkdir()
    (folder / "a.csv").write_bytes(COUNTERS)
    links = {"kmsg": "/proc/kmsg", "maps": "/proc/self/maps", "zero": "/dev/zero"}
    for name, target in links.items():
        (folder / name).symlink_to(target)
    (folder / "proc").symlink_to("/proc")
    code, out, err = pwh("ingest", "linked", "--list-skipped")
    assert code == 0 and out.startswith("landed   linked/a.csv")
    of_kernel = "this is a file of the kernel, as those in /proc"
    for name in links:
        why = "this is neither a file nor a folder" if name == "zero" else of_kernel
        assert f"skipped  linked/{name}  {why}\n" in out
        code, _, err = pwh("ingest", f"linked/{name}", "--reader", "plain")
        assert (code, err.splitlines()[0]) == (3, f"pwh: rejected linked/{name}: {why}")
    code, _, err = pwh("ingest", "/proc")
    assert (code, err) == (
        3,
        "pwh: rejected /proc: this is a folder of the kernel, as those in /proc\n"
        "  expected a folder of recordings\n",
    )


def test_a_part_of_a_recording_that_never_ends_is_not_read(pwh, tmp_path):
    for name, text in TRACE.items():
        (tmp_path / f"{name}.csv").write_text(text)
    (tmp_path / "recording.txt").symlink_to("/dev/zero")
    (tmp_path / "nodes.csv").symlink_to("/dev/zero")
    (tmp_path / "inputs.csv").symlink_to("/proc/kmsg")
    code, out, _ = pwh("ingest", "fragments.csv", "--dry-run")
    assert code == 0 and "nodes" not in out and "task_inputs" not in out


def test_a_file_without_a_line_break_at_its_end_lands_with_a_note(pwh, tmp_path):
    (tmp_path / "x.csv").write_bytes(COUNTERS.removesuffix(b"\n"))
    code, out, err = pwh("ingest", "x.csv")
    assert code == 0 and "pmu_samples 3" in out
    assert "left out: 1 line break (missing at the end: the last line is taken whole)" in out
    assert err == (
        "pwh: x.csv ends without a line break: its last line was taken for whole, but a value cut "
        "off there would look the same\n"
    )


def test_good_files_land_next_to_bad_ones(pwh, tmp_path):
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "a.csv").write_bytes(COUNTERS)
    (folder / "b.csv").write_bytes(COUNTERS + b"3,cycles,-4\n")
    (folder / "c.csv").write_bytes(COUNTERS + b"3,cycles,4\n")
    (folder / "page.csv").write_bytes(HTML)
    code, out, err = pwh("ingest", "mixed", "--keep-going")
    assert code == 3
    assert [line.split()[1] for line in out.splitlines() if "landed" in line] == [
        "mixed/a.csv",
        "mixed/c.csv",
    ]
    assert err == (
        "pwh: rejected mixed/b.csv, row 4 of pmu_samples: "
        "cycles is -4.0 and has no unit: it would be a count\n"
        "  expected a count from 0, or a metric with its unit\n"
        "pwh: skipped 1 file that no reader recognises (page.csv); --list-skipped says why\n"
    )


def test_empty_files_among_others_are_skipped(pwh, tmp_path):
    (tmp_path / "a.csv").touch()
    (tmp_path / "b.csv").write_bytes(COUNTERS)
    for files in (("a.csv", "b.csv"), ("*.csv",), ("a.csv", "b.csv", "--reader", "plain"), (".",)):
        code, out, err = pwh("ingest", *files, "--dry-run")
        assert (code, err) == (0, "pwh: skipped 1 empty file (a.csv)\n")
        assert "would land b.csv" in out
    code, _, err = pwh("ingest", "a.csv")
    assert (code, err) == (3, "pwh: rejected a.csv: the file is empty\n  expected a recording\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--ranks", "99999999999"), "a run with ranks = 99999999999 is implausible"),
        (("--problem-size", "nan"), "a run with problem_size = nan is implausible"),
        (("--problem-size", "-1"), "a run with problem_size = -1.0 is implausible"),
        (("--tag", "x"), "--tag 'x' is not of the form KEY=VALUE"),
        (("--reader", "nosuch"), "there is no reader 'nosuch'"),
    ],
)
def test_implausible_options(pwh, tmp_path, options, message):
    (tmp_path / "x.csv").write_bytes(COUNTERS)
    code, out, err = pwh("ingest", "x.csv", *options)
    assert (code, out) == (2, "")
    assert err.startswith(f"pwh: {message}")
    assert nothing_landed(tmp_path)


def test_a_folder_that_cannot_be_read_is_an_error(pwh, tmp_path, monkeypatch):
    def scandir(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    real = os.scandir
    (tmp_path / "open" / "closed").mkdir(parents=True)
    (tmp_path / "open" / "counters.csv").write_bytes(COUNTERS)
    monkeypatch.setattr(os, "scandir", scandir)
    code, out, err = pwh("ingest", "open", "--keep-going")
    assert code == 3 and out.startswith("landed ")
    assert "open/closed: the folder cannot be read: Permission denied" in err
