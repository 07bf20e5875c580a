"""Standard input of programs that run several times."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os, sys
from pathlib import Path
from apps.recording.process import execute
from apps.recording.standard_input import StandardInput, open_missing
open_missing()
given = StandardInput(2, Path("kept"))
for _ in range(2):
    with given.descriptor() as stdin:
        execute(sys.argv[1:], os.environ, stdin, lambda pid: None)
"""


@pytest.fixture
def twice(tmp_path):
    """Run a command twice in a process of its own, whose standard input is given."""

    def twice(*command, **given):
        call = [sys.executable, "-c", SCRIPT, *command]
        done = subprocess.run(
            call,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
            check=True,
            timeout=60,
            **given,
        )
        return done.stdout

    return twice


def test_a_pipe_is_kept_for_the_next_run(twice):
    data = os.urandom(300_000)
    assert twice("cat", input=data) == data * 2


def test_a_pipe_that_nobody_reads_to_its_end(twice):
    assert twice("head", "-c", "2", input=b"ab" * 200_000) == b"abab"


def test_a_pipe_that_stays_open(twice):
    read_end, write_end = os.pipe()
    os.write(write_end, b"x")
    assert twice("true", stdin=read_end) == b""
    os.close(read_end)
    os.close(write_end)


def test_a_file_is_rewound_to_where_it_was(twice, tmp_path):
    (tmp_path / "file").write_text("line\nrest\n")
    with (tmp_path / "file").open() as file:
        os.lseek(file.fileno(), 5, os.SEEK_SET)
        assert twice("cat", stdin=file) == b"rest\n" * 2


def test_closed_standard_descriptors(twice):
    # The shell that the call goes through closes them.
    assert twice("sh", "-c", "cat; echo done", preexec_fn=lambda: os.close(0)) == b"done\n" * 2


EARLY = """
import os, sys, threading
from pathlib import Path
from apps.recording.standard_input import StandardInput
with StandardInput(2, Path(sys.argv[1])).descriptor() as end:
    [one.join() for one in threading.enumerate() if one is not threading.current_thread()]
    print(os.read(end, 9))
"""


def test_what_is_sent_at_once_is_there_though_all_is_copied_before_a_program_starts(tmp_path):
    command = [sys.executable, "-c", EARLY, str(tmp_path / "kept")]
    assert subprocess.run(command, input=b"x", capture_output=True).stdout == b"b'x'\n"
