"""When to stop measuring two sides in pairs, and what disturbs the measuring."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from tests.bench.bench_until_decided import trial
from udfs.measuring.sequential import Design, Noise, look

KNOWN = Design(smallest=0.02, history=Noise(0.03**2, 1000))


def pairs(number, change=0.0, noise=0.01, seed=1):
    rng = random.Random(seed)
    return [
        (math.exp(rng.gauss(0, noise)), (1 + change) * math.exp(rng.gauss(0, noise)))
        for _ in range(number)
    ]


@pytest.mark.parametrize(
    ("history", "change", "most"),
    [
        *(
            (KNOWN.history, change, most)
            for change, most in ((0, 0.72), (0.02, 0.62), (0.05, 0.26))
        ),
        *(
            (KNOWN.history, 0.2, 0.08),
            (Noise(), 0, 0.62),
            (Noise(), 0.02, 0.6),
            (Noise(), 0.2, 0.15),
        ),
    ],
)
def test_errors_are_those_stated_and_no_test_of_fixed_size_is_shorter(history, change, most):
    rng = random.Random(7)
    design = replace(KNOWN, history=history)
    ends = [trial(rng, change, 0.03, design, 0.0) for _ in range(300)]
    wrong = {"worse", "better"} if change == 0 else {"same", "better"}
    # Of 300 with 5 %, 28 and more are improbable.
    assert sum(end.verdict in wrong for end, _ in ends) < 28
    assert all(end.pairs <= size for end, size in ends)
    assert sum(end.pairs for end, _ in ends) < most * sum(size for _, size in ends)


def test_limits_contain_the_change_and_verdicts_have_a_direction():
    state = look(pairs(12, 0.2), Design())
    assert state.verdict == "worse" and state.low < 0.2 < state.high
    state = look([(b, a) for a, b in pairs(12, 0.2)], Design())
    assert state.verdict == "better"
    assert look(pairs(30), Design()).verdict == "same"


def test_equal_values_are_the_same_and_nothing_is_decided_at_once():
    assert look([], Design()).verdict is None
    assert look([(1.0, 1.5)], KNOWN).verdict is None
    assert look([(1.0, 1.0)] * 6, Design()).verdict == "same"


def test_one_disturbed_run_decides_nothing():
    quiet = Design(history=Noise(0.01**2, 50))
    measured = [*pairs(2), (1.0, 1.9)]
    assert look(measured, quiet).verdict is None
    assert look(measured, quiet).disturbed == [2]


def test_a_busy_and_a_drifting_machine_are_noticed():
    quiet = Design(history=Noise(0.01**2, 50))
    assert look(pairs(12, noise=0.08), quiet).busy > 3
    assert look(pairs(12), quiet).busy is None
    drifting = [(a * (1 + at / 20), b * (1 + at / 20)) for at, (a, b) in enumerate(pairs(12))]
    assert look(drifting, Design()).drift > 0.2
    assert look(pairs(12), Design()).drift is None
