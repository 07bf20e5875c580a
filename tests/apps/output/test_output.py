"""Tables: numbers to three digits, names that are shortened and still different; rows or words."""

from __future__ import annotations

import duckdb
import pytest

from apps.output.numbers import amount, amounts, interval
from apps.output.tables import heading, table, table_text, unit_in_name
from apps.output.text import short_names
from apps.output.writing import emit, emit_columns

LONG = "std::vector<std::pair<int, double>, std::allocator<std::pair<int, double>>>"


@pytest.mark.parametrize(
    "names",
    [
        [f"{LONG}::emplace_back<int>", f"{LONG}::emplace_back<long>"],
        ["a" * 50 + "1" + "b" * 50, "a" * 50 + "2" + "b" * 50],
        ["1" + "b" * 100, "2" + "b" * 100, "3" + "b" * 100],
        ["b" * 100 + "1", "b" * 100 + "2"],
        ["x", "y" * 40, "y" * 41],
    ],
)
def test_different_names_are_shortened_differently(names):
    found = short_names(names, 40)
    assert len(set(found)) == len(names)
    assert all(len(name) <= 40 for name in found)


def test_a_function_with_its_place_in_the_source_keeps_its_name():
    place = "[{/home/user/solver/source/exchange_of_halos.c} {112,1}-{187,1}]"
    one, other, inner = short_names([f"MPI_Allreduce() {place}", f"halo {place}", LONG], 40)
    assert one.startswith("MPI_Allreduce()…") and other.startswith("halo ")
    assert one.endswith("{112,1}-{187,1}]") and len(one) == len(other) == len(inner) == 40


def test_names_that_differ_in_too_many_places_stay_whole():
    names = [f"{a}{'x' * 60}{b}{'y' * 60}{c}" for a in "12" for b in "12" for c in "12"]
    assert len(set(short_names(names, 40))) == len(names)


def test_equal_names_are_shortened_alike():
    first, second = short_names([LONG] * 2, 40)
    assert first == second and len(first) == 40


def test_numbers_of_tables():
    rows = [(13889500.4, 1234567, 15973, "a"), (0.000281234, 7, 1, "b"), (None, None, None, "c")]
    assert table_text(["mean", "count", "thread", "name"], rows).splitlines()[2:] == [
        "13,889,500  1,234,567   15973  a",
        "  0.000281          7       1  b",
        "         -          -       -  c",
    ]
    exact = table_text(["mean", "count", "thread", "name"], rows, exact=True).splitlines()[2]
    assert exact == " 1.38895e+07  1234567   15973  a".strip()


def test_a_declared_table_has_headings_in_words_one_prefix_a_unit_and_shares_per_cent():
    shown = table("run_id wall_seconds longest share place", place=lambda row: f"rank {row['n']}")
    rows = [{"run_id": f"r{n}", "wall_seconds": n / 8, "share": n / 8, "n": n} for n in (1, 2, 3)]
    rows = [row | {"longest": 0.002} for row in rows]
    assert shown.text(rows, "Runs", most=2, without=("place",)).splitlines() == [
        "Runs",
        "run  wall (ms)  longest (ms)   share",
        "---  ---------  ------------  ------",
        "r1         125             2  12.5 %",
        "r2         250             2    25 %",
        "... and 1 more: --format csv gives all",
    ]
    assert shown.text(rows[:1], total=9, every="pwh runs").splitlines()[2:] == [
        "r1         125             2  12.5 %  rank 1",
        "... and 8 more: pwh runs",
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("seconds", "time (s)"),
        ("seconds_before", "before (s)"),
        ("allocated_bytes", "allocated (B)"),
        ("bytes_per_second", "bytes per second"),
        ("replay_percent", "replay (%)"),
    ],
)
def test_names_of_columns_state_their_units(name, shown):
    assert heading(name, unit_in_name(name)) == shown


def test_times_have_the_prefix_of_their_size():
    shown = [amount(v, "s") for v in (1.34e-8, 0.00099996, 0.0259, 12.5, 0.0, None)]
    assert shown == ["13.4 ns", "1 ms", "25.9 ms", "12.5 s", "0 s", "-"]
    assert amounts([0.00025, 0.0035], "s") == ["0.25 ms", "3.5 ms"]
    assert amounts([12_077_533_942, 2e9], "B/s") == ["12.1 GB/s", "2 GB/s"]
    assert [amount(0.002, "msec"), amount(15.6e6, "B"), amount(0.5, "1")] == [
        "0.002 ms",
        "15.6 MB",
        "0.5",
    ]


def test_a_row_of_a_table_has_its_values_in_one_unit_and_names_that_differ():
    names = ["metric", "before", "after", "unit", "p"]
    made = [f"metric:{LONG}::emplace<{kind}>/process_time/real_time" for kind in ("int", "long")]
    rows = [(made[0], 3.1e-5, 3.72e-5, "s", 0.5), (made[1], 4, 6, "1", 0.5)]
    lines = [
        line.rsplit(maxsplit=4) for line in table_text(names, rows, {"metric": 40}).splitlines()
    ]
    assert [line[1:] for line in lines[2:]] == [
        ["31", "37.2", "µs", "0.5"],
        ["4", "6", "-", "0.5"],
    ]
    assert len({line[0] for line in lines[2:]}) == 2


def test_of_an_interval_that_says_nothing_only_the_size_of_its_end_is_told():
    assert interval(0.9, 12) == "-10 % to 12 times"
    assert interval(0, 6.6e7) == "-100 % to over 1,000 times"
    assert interval(None, 1.5) == "? to +50 %"


@pytest.mark.parametrize(
    ("style", "written"), [("table", "in words\n"), ("csv", "a\n1\n"), ("jsonl", '{"a":1}\n')]
)
def test_words_answer_where_no_format_of_rows_is_chosen(style, written, tmp_path):
    con, target = duckdb.connect(), tmp_path / "answer"
    emit(con, con.sql("SELECT 1 AS a"), style, target, lambda: "in words")
    assert target.read_text() == written


def test_rows_of_no_warehouse_keep_what_is_unknown(tmp_path):
    target = tmp_path / "rows.csv"
    emit_columns("csv", target, check=["x, y", None], cycles=[1.5, None])
    assert target.read_text() == 'check,cycles\n"x, y",1.5\n,\n'
