"""Tables: numbers to three digits, and names that are shortened and still different."""

from __future__ import annotations

import pytest

from apps.output import short_names, table_text

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
