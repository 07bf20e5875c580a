"""Slurm: lists of other columns, and damage."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows
from warehouse.errors import InputError


def test_wall_times_alone_are_enough(warehouse, tmp_path):
    path = tmp_path / "sacct.csv"
    path.write_text("JobIDRaw,JobName,NNodes,ElapsedRaw\n7,heat,1,100\n8,heat,2,55\n")
    land(warehouse, path)
    query = "SELECT app, nodes, wall_seconds FROM runs ORDER BY nodes"
    assert rows(warehouse, query) == [("heat", 1, 100), ("heat", 2, 55)]


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("7|00:01|COMPLETED|x\n", "there are 4 values"),
        ("7|soon|COMPLETED\n", "'soon' was found"),
        ("7|00:01:00|COMPLETED\n7|00:01:00|COMPLETED\n", "'7' is a duplicate"),
        ("7.batch|00:01:00|COMPLETED\n", "'7' is missing"),
        ("7|00:01:00|RUNNING\n", "no job has ended"),
    ],
)
def test_damage_is_found(warehouse, tmp_path, lines, problem):
    path = tmp_path / "sacct.txt"
    path.write_text("JobID|Elapsed|State\n" + lines)
    with pytest.raises(InputError) as error:
        land(warehouse, path)
    assert problem in str(error.value)
