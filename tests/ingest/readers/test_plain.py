"""Plain tables: what their rows are of."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows

HEAD = "app,function,parallelism,seconds\n"


@pytest.mark.parametrize(
    ("lines", "repetitions"),
    [
        # as a timer in a loop writes them
        (["solve,1,10.5", "solve,1,10.6", "solve,2,5.5"], [0, 1, None]),
        (["solve,1,10.5", "io,1,2", "solve,1,10.6", "io,1,3"], [0, 0, 1, 1]),
        # two functions of one name
        (["solve,1,10.5", "io,1,2", "solve,1,10.6"], [None, None, None]),
    ],
)
def test_rows_of_equal_functions_are_repetitions(warehouse, tmp_path, lines, repetitions):
    path = tmp_path / "times.csv"
    path.write_text(HEAD + "".join(f"a,{line}\n" for line in lines))
    land(warehouse, path)
    found = rows(warehouse, "SELECT repetition FROM fn_timings ORDER BY rowid")
    assert [repetition for (repetition,) in found] == repetitions
    ((most,),) = rows(warehouse, "SELECT max(seconds) FROM scaling_points WHERE parallelism = 1")
    assert most == (10.55 if 1 in repetitions else 21.1)


def test_rows_of_several_kinds_are_no_repetitions(warehouse, tmp_path):
    path = tmp_path / "times.csv"
    path.write_text("function,kind,seconds\na,cpu,1\na,gpu,2\nb,cpu,3\nb,gpu,4\n")
    land(warehouse, path)
    assert rows(warehouse, "SELECT DISTINCT repetition FROM fn_timings") == [(None,)]
