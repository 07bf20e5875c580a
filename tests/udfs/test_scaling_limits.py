"""The count beyond which a program gets slower, and the last efficient one, from its times."""

from __future__ import annotations

import pyarrow as pa
import pytest

from udfs.scaling import scaling_limits
from udfs.scaling.limits import Times, Turning, efficient_counts, turning_point

COUNTS = (2, 4, 8, 16, 32, 64, 128)


def times(law, measured=4, error=0.0):
    seconds = [law(p) for p in COUNTS]
    ends = ([one * (1 + side * error) for one in seconds] for side in (-1, 1))
    return Times(COUNTS, seconds, *ends, [i < measured for i in range(len(COUNTS))])


def u_shape(p):
    return 64 / p + p / 64  # least at 64


def test_between_predicted_counts_it_is_the_vertex_of_a_parabola():
    assert turning_point(times(u_shape), 40, 90) == Turning(64, 40, 90)
    about, *_ = turning_point(times(lambda p: 64 / p + p / 32), 40, 90)  # least at 45
    assert about == pytest.approx(45, abs=2)


def test_where_measured_times_turn_a_prediction_that_falls_does_not_hide_it():
    bump = dict(zip(COUNTS, (9, 6, 5, 7, 4, 3, 2), strict=True))
    assert turning_point(times(bump.get), 6, 12) == Turning(8, 6, 12, is_predicted=False)


@pytest.mark.parametrize(("low", "expected"), [(2, None), (16, Turning(128, 16, None))])
def test_without_an_upper_end_any_count_may_be_it_or_the_farthest(low, expected):
    assert turning_point(times(lambda p: 1 / p), low, None) == expected


def test_efficiency_is_against_the_smallest_count():
    # 64 / p + 1 is half as efficient as at 2 at 68
    amdahl = times(lambda p: 64 / p + 1, error=0.1)
    about, low, high = efficient_counts(amdahl, weak=False)
    assert about == pytest.approx(68, abs=3) and low < about < high
    assert efficient_counts(amdahl, weak=True).about == 128


def test_what_is_unknown_is_null():
    one = times(u_shape)
    columns = [pa.array([list(part)] * 2) for part in one]
    ends = pa.array([[40.0, 90.0], [None, None]])
    known, unknown = scaling_limits(*columns, ends, pa.array([False, False])).to_pylist()
    assert (known["turning"], known["is_predicted"]) == (64, True)
    assert set(unknown.values()) == {None}
