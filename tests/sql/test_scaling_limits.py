"""Sentences, tables and SQL state the same limits, shares and times of random sets.

PWH_THOROUGH=1 tries 5,000 sets.
"""

from __future__ import annotations

import math
import os
import re

import numpy as np
import pytest

from apps.output.tables import dicts
from apps.queries import base
from apps.queries.base import ask_dicts
from apps.queries.scaling import scaling_functions, scaling_program, scaling_sets
from apps.reports.scaling_limits import drawn_turning_point, limit_sentences, turning_point
from apps.reports.scaling_question import complete_question, predict_grid
from tests.helpers import support
from tests.helpers.support import given, rows

SETS = 5000 if os.environ.get("PWH_THOROUGH") == "1" else 10
_AT_ONCE = 250


def random_sets(warehouse, random, number, first):
    """Land sets of runs, of sums of functions, of slowest ranks and of wall times."""
    runs, times = ["run_id app ranks wall_seconds"], ["run_id function seconds"]
    for one in range(first, first + number):
        counts = 2 ** np.arange(random.integers(0, 3), random.integers(4, 8))
        decay, growth = random.uniform(0.2, 1.3), random.uniform(-0.5, 2)
        noise, serial = random.choice([0, 0.01, 0.05, 0.2]), random.choice([0, 0.5, 5])
        more = random.choice([np.nan, 0.5, 1, 1.5])
        for p in counts:
            parts = random.lognormal(0, noise, 3) * (50 / p**decay, 0.05 * p**growth, serial + 1e-3)
            wall = "NULL" if np.isnan(more) else parts.sum() * more
            runs.append(f"r{one}.{p} a{one} {p} {wall}")
            names = ("solve", "MPI_Allreduce", "io")
            times += [f"r{one}.{p} {n} {t}" for n, t in zip(names, parts, strict=True)]
    given(warehouse, "runs", "\n".join(runs))
    given(warehouse, "fn_timings", "\n".join(times))


def same(one, other):
    """Return whether two numbers are equal but for rounding, or both unknown."""
    return one == other if None in (one, other) else math.isclose(one, other, rel_tol=1e-9)


@pytest.mark.parametrize("first", range(0, SETS, _AT_ONCE))
def test_all_screens_state_the_same(warehouse, monkeypatch, first):
    random = np.random.default_rng((52, first))
    random_sets(warehouse, random, min(SETS, _AT_ONCE), first)
    stored = {
        row[0]: row[1:]
        for row in rows(
            warehouse,
            "SELECT set_id, turning, low, high, efficient, efficient_low, efficient_high, "
            "list_max(list_transform(times, lambda time: time.count)) FROM program_turning_points",
        )
    }
    # Nothing changes from here on: no question has to look whether anything did.
    monkeypatch.setattr(base, "_computed", support._COMPUTED)
    sets = scaling_sets(warehouse)
    assert len(sets) == min(SETS, _AT_ONCE)
    targets = sorted({8 * one.largest for one in sets})
    by_sql = {
        (set_id, count): (seconds, speedup)
        for set_id, count, seconds, speedup in rows(
            warehouse,
            f"SELECT set_id, parallelism, predicted, speedup FROM program_predict({targets})",
        )
    }
    shares = {
        (set_id, count, function): share
        for set_id, count, function, share in rows(
            warehouse,
            f"SELECT set_id, parallelism, function, share FROM scaling_predict({targets})",
        )
    }
    for one in sets:
        question = complete_question(one, (), None, None)
        turning = ask_dicts(warehouse, "scaling/turning", set_id=one.set_id, kind=None)
        grid = dicts(predict_grid(warehouse, question))
        about, low, high, *efficient, trusted = stored[one.set_id]
        # nothing is stated beyond the last count whose time is no guess
        ends = [about, high, *efficient]
        assert about is None or all(end is None or end <= trusted or end == high for end in ends)
        assert about is None or about < trusted or high is None
        point = turning_point(question, turning)
        assert point is None if about is None else point[:2] == (about, low)
        drawn = drawn_turning_point(question, grid, turning)
        assert (drawn is None) == (point is None or point.about >= trusted)
        said = " ".join(limit_sentences(question, grid, turning))
        if found := re.search(
            r"more than about (\d+) [a-z ]*makes? it slower \(90 %: (\d+) to (\d+)\)", said
        ):
            assert tuple(map(int, found.groups())) == (about, low, high)
        if found := re.search(r"over 50 % is about (\d+)(?: \(90 %: (\d+) to (\d+)\))?", said):
            assert [int(part) for part in found.groups() if part] == efficient[: found.lastindex]
        (last,) = dicts(scaling_program(warehouse, one, [question.target]))
        for row in (last, next(row for row in grid if row["parallelism"] == question.target)):
            known = by_sql[one.set_id, question.target]
            assert all(map(same, (row["predicted"], row["speedup"]), known))
        for row in dicts(scaling_functions(warehouse, one, question.target)):
            assert same(row["share"], shares[one.set_id, question.target, row["function"]])
