"""The queue of writers: in the order in which they came, past those that died."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse.queue import place

ENV = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
WRITER = """
import sys, time
from pathlib import Path
from warehouse.queue import place
with place(Path(sys.argv[1])) as own:
    print("in", flush=True)
    while own.before():
        time.sleep(0.01)
    print("turn", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def join(tmp_path):
    """Start a process with a place in the queue: join()."""
    started = []

    def join():
        arguments = [sys.executable, "-c", WRITER, str(tmp_path / "w.duckdb")]
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
    with place(tmp_path / "w.duckdb") as own:
        for number, writer in enumerate(writers):
            assert own.before() == len(writers) - number
            end(writer)
        assert own.before() == 0
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
    with place(tmp_path / "w.duckdb") as own:
        assert own.before() == 0
    assert list(tmp_path.iterdir()) == []


def test_many_at_once_all_have_their_turn(tmp_path):
    arguments = [sys.executable, "-c", WRITER, str(tmp_path / "w.duckdb")]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
    writers = [subprocess.Popen(arguments, env=ENV, **pipes) for _ in range(6)]
    assert [writer.communicate()[0] for writer in writers] == ["in\nturn\n"] * 6
    assert list(tmp_path.iterdir()) == []


def test_without_a_file_next_to_it_there_is_no_queue(tmp_path):
    with place(tmp_path / "no folder" / "w.duckdb") as own:
        assert own is None
    (tmp_path / ".w.duckdb.queue").write_text("not a number\n7\n\xff\n", encoding="latin-1")
    with place(tmp_path / "w.duckdb") as own:
        assert own.before() == 0


def test_on_a_full_disk_there_is_no_queue(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with place(tmp_path / "w.duckdb") as own:
        assert own is None
    assert list(tmp_path.iterdir()) == []
