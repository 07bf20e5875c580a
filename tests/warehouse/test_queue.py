"""The queue: writers in the order in which they came, past those that died, readers behind them."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse import queue
from warehouse.processes import process_text
from warehouse.queue import place, waiting_writers

ENV = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
WRITER = """
import sys, time
from pathlib import Path
from warehouse.queue import place
with place(Path(sys.argv[1]), writes=sys.argv[2] == "w") as own:
    print("in", flush=True)
    while own.before():
        time.sleep(0.01)
    print("turn", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def join(tmp_path):
    """Start a process with a place in the queue: join(), or join("r") for one that reads."""
    started = []

    def join(kind="w"):
        arguments = [sys.executable, "-c", WRITER, str(tmp_path / "w.duckdb"), kind]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        process = subprocess.Popen(arguments, env=ENV, **pipes)
        started.append(process)
        assert process.stdout.readline() == "in\n"
        return process

    yield join
    for process in started:
        process.kill()
        with process:
            pass


def end(process):
    """Let a process whose turn it is go."""
    assert process.stdout.readline() == "turn\n"
    process.communicate("\n")


def test_first_come_first_served(join, tmp_path):
    writers = [join() for _ in range(3)]
    with place(tmp_path / "w.duckdb", writes=True) as own:
        for number, writer in enumerate(writers):
            assert [one.pid for one in own.before()] == [one.pid for one in writers[number:]]
            end(writer)
        assert own.before() == []
    assert list(tmp_path.iterdir()) == []


def test_those_that_died_are_passed_over(join, tmp_path):
    first, second, third = (join() for _ in range(3))
    for victim in (second, first):
        os.kill(victim.pid, signal.SIGKILL)
        victim.wait()
    assert third.stdout.readline() == "turn\n"
    os.kill(third.pid, signal.SIGKILL)
    third.wait()
    assert [path.name for path in tmp_path.iterdir()] == [".w.duckdb.queue"]
    with place(tmp_path / "w.duckdb", writes=True) as own:
        assert own.before() == []
    assert list(tmp_path.iterdir()) == []


def test_many_at_once_all_have_their_turn(tmp_path):
    arguments = [sys.executable, "-c", WRITER, str(tmp_path / "w.duckdb")]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
    writers = [subprocess.Popen([*arguments, kind], env=ENV, **pipes) for kind in "wrwrww"]
    assert [writer.communicate()[0] for writer in writers] == ["in\nturn\n"] * 6
    assert list(tmp_path.iterdir()) == []


def test_without_a_file_next_to_it_there_is_no_queue(tmp_path):
    with place(tmp_path / "no folder" / "w.duckdb", writes=True) as own:
        assert own is None
    assert waiting_writers(tmp_path / "no folder" / "w.duckdb") == []
    (tmp_path / ".w.duckdb.queue").write_text("not a number\n7\n\xff\n", encoding="latin-1")
    with place(tmp_path / "w.duckdb", writes=True) as own:
        assert own.before() == []


def test_on_a_full_disk_there_is_no_queue(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with place(tmp_path / "w.duckdb", writes=True) as own:
        assert own is None
    assert list(tmp_path.iterdir()) == []


def test_readers_let_writers_pass(join, tmp_path):
    db = tmp_path / "w.duckdb"
    early, first, late, second = (join(kind) for kind in "rwrw")
    with place(db, writes=False) as reader:
        assert [one.pid for one in reader.before()] == [first.pid, second.pid]
        assert [one.pid for one in waiting_writers(db)] == [first.pid, second.pid]
        # The second waits for the first, and for no reader.
        end(first)
        end(second)
        assert reader.before() == []
        end(late)
        end(early)
    assert list(tmp_path.iterdir()) == []


def test_those_that_have_waited_long_have_their_turn(tmp_path, monkeypatch):
    db = tmp_path / "w.duckdb"
    with (
        place(db, writes=True) as first,
        place(db, writes=False) as reader,
        place(db, writes=True) as second,
    ):
        assert [len(one.before()) for one in (first, reader, second)] == [0, 2, 1]
        monkeypatch.setattr(queue, "_LETS_PASS", -1.0)
        assert [len(one.before()) for one in (first, reader, second)] == [0, 1, 2]


def test_who_cannot_delete_the_list_leaves_it_empty(tmp_path, monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "unlink", forbidden)
    with place(tmp_path / "w.duckdb", writes=False) as own:
        assert own.before() == []
    assert (tmp_path / ".w.duckdb.queue").read_text() == ""


def test_threads_have_places_of_their_own(tmp_path):
    with place(tmp_path / "w.duckdb", writes=True):
        with place(tmp_path / "w.duckdb", writes=True) as second:
            assert len(second.before()) == 1
        # The file that the second closed did not unlock the place of the first.
        assert len(waiting_writers(tmp_path / "w.duckdb")) == 1
    assert waiting_writers(tmp_path / "w.duckdb") == []


def test_one_that_was_stopped_keeps_nobody_waiting(join, tmp_path):
    writer = join()
    assert writer.stdout.readline() == "turn\n"
    with place(tmp_path / "w.duckdb", writes=True) as own:
        assert [one.pid for one in own.before()] == [writer.pid]
        os.kill(writer.pid, signal.SIGSTOP)
        os.waitpid(writer.pid, os.WUNTRACED)
        assert own.before() == []
        assert process_text(writer.pid, "python").endswith(" s, stopped")
        os.kill(writer.pid, signal.SIGCONT)
        os.waitpid(writer.pid, os.WCONTINUED)
        assert [one.pid for one in own.before()] == [writer.pid]


def test_a_link_to_a_warehouse_leads_to_its_queue(tmp_path):
    db, other = tmp_path / "w.duckdb", tmp_path / "folder" / "link.duckdb"
    db.touch(mode=0o640)
    other.parent.mkdir()
    other.symlink_to(db)
    with place(other, writes=True):
        assert len(waiting_writers(db)) == 1
        assert (tmp_path / ".w.duckdb.queue").stat().st_mode & 0o777 == 0o640
