"""gmon.out lands through gprof where the program that wrote it is next to it."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from ingest.walk import find
from tests.helpers.support import land, rows
from warehouse.errors import InputError

SOURCE = """
int work(int n) { return n < 2 ? n : work(n - 1) + work(n - 2); }
int main(void) { return work(20) == 0; }
"""
TOOLS = ("gcc", "gprof")


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    """A folder with a program, its gmon.out and another program."""
    if not all(map(shutil.which, TOOLS)):
        pytest.skip("needs gcc and gprof")
    folder = tmp_path_factory.mktemp("gmon")
    (folder / "fib.c").write_text(SOURCE)
    subprocess.run(["gcc", "-pg", "-O0", "-o", "fib", "fib.c"], cwd=folder, check=True)
    subprocess.run(["./fib"], cwd=folder, check=True)
    (folder / "other.c").write_text("int main(void) { return 0; }")
    subprocess.run(["gcc", "-o", "other", "other.c"], cwd=folder, check=True)
    return folder


def test_calls_and_program(profiled, warehouse):
    land(warehouse, profiled / "gmon.out")
    query = "SELECT app, calls FROM fn_timings JOIN runs USING (run_id) WHERE function = 'work'"
    assert rows(warehouse, query) == [("fib", 21891)]


@pytest.mark.parametrize("beside", ["other", None])
def test_without_its_program_it_is_named(profiled, tmp_path, beside):
    for name in ("gmon.out", beside):
        if name is not None:
            shutil.copy(profiled / name, tmp_path)
    (found,) = find([tmp_path / "gmon.out"])
    assert "gprof PROGRAM FILE" in found.error.hint


def test_one_that_is_cut_off_is_refused(profiled, tmp_path, warehouse):
    shutil.copy(profiled / "fib", tmp_path)
    data = (profiled / "gmon.out").read_bytes()
    (tmp_path / "gmon.out").write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="gprof makes nothing of it"):
        land(warehouse, tmp_path / "gmon.out")
