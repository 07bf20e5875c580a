"""The function for SQL that models measurements at hand: any order, repetitions as they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from udfs.arguments import ArgumentError
from udfs.arrays import Floats
from udfs.flags import Flag, flag, flag_lists
from udfs.scaling.columns import lists
from udfs.scaling.models import scaling_model


def scaling_fit(counts: pa.ListArray, seconds: pa.ListArray) -> pa.StructArray:
    """Model how measured times change with the parallelism, as the view `scaling_models` does.

    Of equal counts the median counts, and the noise is that of medians (see `noise_of_medians`).
    Times that are not above 0 are left out, with a flag.

    Args:
        counts: processes or threads of each measurement, in any order, several times where a
            measurement was repeated.
        seconds: the times, one a count.

    Returns:
        Structs as those of `scaling_model`, for a function that computes.

    Raises:
        ArgumentError: a count is not a number of at least 1.
    """
    series = [_series(*row) for row in zip(lists(counts), lists(seconds), strict=True)]
    size = len(series)
    found = scaling_model(
        pa.array(["computation"] * size),
        pa.array([p for p, *_ in series], pa.list_(pa.float64())),
        pa.array([times for _, times, *_ in series], pa.list_(pa.float64())),
        pa.array([noise for _, _, noise, _ in series], pa.float64()),
    )
    flags = [
        own + dropped
        for own, (*_, dropped) in zip(found.field("flags").to_pylist(), series, strict=True)
    ]
    names = [field.name for field in found.type]
    columns = [found.field(name) for name in names[:-1]]
    return pa.StructArray.from_arrays([*columns, flag_lists(flags)], names)


def _series(counts: Floats, seconds: Floats) -> tuple[Floats, Floats, float, list[Flag]]:
    """Return distinct counts ascending, the median time at each, the noise, and flags."""
    bad = counts[~(np.isfinite(counts) & (counts >= 1))]
    if len(bad):
        raise ArgumentError(f"scaling_fit: counts are numbers from 1 on, and one is {bad[0]:g}")
    kept = np.isfinite(seconds) & (seconds > 0)
    distinct, place = np.unique(counts[kept], return_inverse=True)
    times = [seconds[kept][place == at] for at in range(len(distinct))]
    medians = np.array([np.median(one) for one in times])
    flags = [flag("zero_times")] if (seconds == 0).any() else []
    flags += [flag("negative_times")] if (seconds < 0).any() else []
    return distinct, medians, noise_of_medians(times), flags


def noise_of_medians(times: Sequence[Floats]) -> float:
    """Return the relative standard deviation of medians of repetitions; 0 where there are none.

    As in sql/analyses/scaling_series.sql: the standard deviation of the repetitions over their
    mean, the median over the counts or that of the largest count where it is more, times that of
    the median of so many normal deviates.

    Args:
        times: those of the repetitions at each count, counts ascending.
    """
    scatter = [np.std(one, ddof=1) / np.mean(one) for one in times if len(one) > 1]
    if not scatter:
        return 0.0
    repetitions = np.median([len(one) for one in times])
    of_median = np.sqrt(np.pi / 2 / (repetitions - 1 + np.pi / 2))
    return float(max(np.median(scatter), scatter[-1]) * of_median)
