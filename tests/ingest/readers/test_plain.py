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


@pytest.mark.parametrize(
    ("lines", "seconds"), [("f;1,5", [1.5]), ("f;0,500\ng;2,750\nh;1e-3", [0.5, 2.75, 1e-3])]
)
def test_decimal_commas_where_nothing_else_is_meant(warehouse, tmp_path, lines, seconds):
    path = tmp_path / "times.csv"
    path.write_text(f"function;seconds\n{lines}\n")
    land(warehouse, path)
    found = rows(warehouse, "SELECT seconds FROM fn_timings ORDER BY rowid")
    assert found == [(value,) for value in seconds]


@pytest.mark.parametrize(
    ("lines", "refused"),
    [("f;1,500\ng;2,750", "1,500"), ("f;1,5\ng;2.75", "1,5"), ("f;1.234,5", "1.234,5")],
)
def test_numbers_that_may_mean_two_things_are_refused(refusal, lines, refused):
    message = refusal(f"function;seconds\n{lines}\n".encode())
    assert f"'{refused}' in the column seconds" in message
