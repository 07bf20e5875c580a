"""Formulas of metrics over the events of samples."""

from __future__ import annotations

import pyarrow as pa
import pytest

from udfs.arguments import ArgumentError
from udfs.bottleneck.formulas import evaluate_formulas


def evaluated(formulas, **events):
    names = [f"m{i}" for i in range(len(formulas))]
    keys = [key.replace("_", "-") for key in events]
    columns = (names, formulas, keys, keys, list(map(float, events.values())))
    return evaluate_formulas(*(pa.array([column]) for column in columns))[0].as_py()


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("a - b * 2", 5.0),
        ("( a - b ) * 2 / 4", 4.0),
        ("min(a, b) + max(a, b, 20)", 23.0),
        ("nearest(a / b, 2, 4, 8)", 4.0),
        ("a / 0", None),
        ("a + unknown", None),
    ],
)
def test_arithmetic_and_what_is_not_known(formula, expected):
    assert evaluated([formula], a=11, b=3) == [expected]


def test_events_with_hyphens_and_earlier_metrics():
    assert evaluated(["topdown-retiring / slots", "m0 * 2"], topdown_retiring=3, slots=12) == [
        0.25,
        0.5,
    ]


def test_samples_of_different_events_are_told_apart():
    columns = (
        [["m"], ["m"], ["m"]], [["a / b"], ["a / b"], None], [["a", "b"], ["a"], ["a"]],
        [["a", "b"], ["a"], ["a"]], [[1.0, 2.0], [1.0], [1.0]],
    )  # fmt: skip
    found = evaluate_formulas(*(pa.array(column) for column in columns))
    assert found.to_pylist() == [[0.5], [None], None]


@pytest.mark.parametrize("formula", ["a +", "a - - b", "a b", "( a", "a $ b", "min a"])
def test_a_formula_that_is_none_is_refused_with_its_text(formula):
    with pytest.raises(ArgumentError, match="the formula"):
        evaluated([formula], a=1, b=2)
