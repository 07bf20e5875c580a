"""Names of apps and counts from names of files and folders only."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.parsing.app_names import app_and_count, folder_app, program_name


@pytest.mark.parametrize(
    ("command", "name"),
    [("/opt/bin/mdrun -s in.tpr", "mdrun"), ("./a.out", "a.out"), ("  ", None), ("/", None)],
)
def test_program_name(command, name):
    assert program_name(command) == name


@pytest.mark.parametrize("count", ["16", "p16", "np_16", "n4", "16ranks", "procs-8", "x/../2"])
def test_a_folder_named_by_count_belongs_to_the_one_around_it(tmp_path, count):
    assert folder_app(tmp_path / "heat" / count) == "heat"


@pytest.mark.parametrize("folder", ["heat2d", "v2", "run1", "gcc13", "2d"])
def test_other_folders_with_digits_are_names(tmp_path, folder):
    assert folder_app(tmp_path / folder) == folder


@pytest.mark.parametrize(
    ("name", "app", "count"),
    [
        ("mini_p2.gprof.txt", "mini", 2),
        ("heat.p64.r1", "heat", 64),
        ("lu-np8", "lu", 8),
        ("p4.txt", "runs", 4),
        ("help2.txt", "runs", None),
        ("heat_p0.txt", "runs", None),
        ("gprof.txt", "runs", None),
    ],
)
def test_app_and_count(name, app, count):
    assert app_and_count(Path("/runs") / name, name) == (app, count)
