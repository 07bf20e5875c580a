"""Effects of groups of features on predictions: exact factors, groups that cover all inputs."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.helpers.machine_code import features_of
from udfs.throughput import groups
from udfs.throughput.effects import effects
from udfs.throughput.features import FEATURES, LOG_BEST
from udfs.throughput.groups import CODE_FORM, GROUPS, TRACE_FORM
from udfs.throughput.predict import log_cycles
from udfs.throughput.traces import BOUNDS, TRACE_FEATURES
from warehouse import models

ADD, IMUL, LOAD, STORE, NOP = "4801d8", "480fafca", "488b00", "48890b", "90"
# xor edx, edx; div ecx: each division waits for the one before.
DIVISION = "31d2f7f1"
MFENCE = "0faef0"


def shipped(first):
    """Return the arrays of the shipped model of Zen 3 or gem5 whose inputs start with a name."""
    for path in models.shipped_files():
        (row,) = pq.read_table(path).to_pylist()
        of_these = row["kind"] == "throughput" and row["subject"] in ("zen3", "gem5")
        if of_these and row["inputs"][0] == first:
            return {
                a["name"]: np.array(a["values"]).reshape(a["shape"]) for a in row["model_arrays"]
            }
    raise LookupError(first)


@pytest.fixture(scope="module", params=["code", "trace"])
def model(request):
    """Return a form, the shipped model of it, and features of 300 segments."""
    if request.param == "code":
        rng = np.random.default_rng(0)
        parts = (ADD, IMUL, LOAD, STORE, NOP, DIVISION, MFENCE)
        hexes = ["".join(rng.choice(parts, rng.integers(1, 12))) for _ in range(300)]
        return CODE_FORM, shipped(FEATURES[0]), features_of(hexes)
    arrays = shipped(TRACE_FEATURES[0])
    x = arrays["typical"] * np.random.default_rng(0).uniform(0.5, 1.5, (300, len(TRACE_FEATURES)))
    known = np.random.default_rng(1).random(x.shape) > 0.2
    x = np.where(known, x, np.nan)
    width, drain = TRACE_FEATURES.index("width"), TRACE_FEATURES.index("drain")
    x[:, width] = 1 / 6
    x[:, drain] += 1 / 6
    x[:, 0] = np.log(np.fmax.reduce(x[:, [TRACE_FEATURES.index(n) for n in BOUNDS]], axis=1))
    x[:, 1] = np.log(5000)
    return TRACE_FORM, arrays, x.astype(np.float32)


def size_of(x, form):
    return form.parts(np.asarray(x, float))[:, form.size]


def test_factors_multiply_to_the_prediction_over_that_of_the_typical_segment(model):
    form, arrays, x = model
    parts = form.parts(x.astype(float))
    reference = form.reference(parts, form.parts(arrays["typical"][None])[0])
    typical = log_cycles(form.join(reference), arrays) - reference[:, form.size]
    predicted = log_cycles(x, arrays) - size_of(x, form)
    found = effects(x, arrays, form)
    assert np.abs(found).max() > 0.5
    assert np.allclose(np.exp(found.sum(axis=1)), np.exp(predicted - typical), rtol=1e-6)


def test_a_typical_segment_has_no_effects(model):
    form, arrays, _ = model
    single = arrays["typical"].astype(np.float32)
    assert np.allclose(np.exp(effects(single[None], arrays, form)), 1, atol=1e-9)


def test_joining_parts_reproduces_the_segments(model):
    form, _, x = model
    again = form.join(form.parts(x.astype(float)))
    assert np.allclose(again, x, rtol=1e-5, atol=1e-5, equal_nan=True)


def test_the_shapley_value_is_the_mean_over_all_orders():
    form, arrays = CODE_FORM, shipped(FEATURES[0])
    (x,) = features_of([DIVISION + LOAD + ADD])
    own = form.parts(x[None].astype(float))[0]
    typical = form.parts(arrays["typical"][None])[0]

    @cache
    def value(inside):
        parts = np.where(np.isin(form.group, list(inside)), own, typical)[None]
        return float((log_cycles(form.join(parts), arrays) - parts[:, form.size])[0])

    steps = np.zeros(len(GROUPS))
    for order in permutations(range(len(GROUPS))):
        for k, group in enumerate(order):
            steps[group] += value(frozenset(order[: k + 1])) - value(frozenset(order[:k]))
    assert np.allclose(effects(x[None], arrays, form)[0], steps / 720, atol=1e-6)


def test_every_input_of_a_model_is_in_exactly_one_group():
    for names, by_group, form in (
        (FEATURES, groups._CODE_GROUPS, CODE_FORM),
        (TRACE_FEATURES, groups._TRACE_GROUPS, TRACE_FORM),
    ):
        named = [name for some in by_group.values() for name in some]
        assert len(named) == len(set(named))
        assert set(named) <= set(names)
        assert set(form.group.tolist()) == set(range(len(GROUPS)))
        mix = [n for n, g in zip(names, form.group, strict=True) if GROUPS[g] == "instruction mix"]
        # Features in no other group: classes, mnemonics and forms of instructions.
        assert all(n.startswith(("n_", "kind_", "op_")) for n in mix)
    assert LOG_BEST in groups._CODE_GROUPS["dependence chains"]


@pytest.mark.parametrize(
    ("code", "group"),
    [
        (DIVISION, "division and ports"),
        # xor edx, edx; mov eax, esi; div ecx: no division waits for another
        ("31d289f0f7f1", "division and ports"),
        # divsd xmm0, xmm1; sqrtsd xmm0, xmm1
        ("f20f5ec1", "division and ports"),
        ("f20f51c1", "division and ports"),
        (IMUL, "dependence chains"),
        (ADD + MFENCE, "serialising instructions"),
        # mov byte [rax], 1; mov rcx, [rax]: the load needs more than was stored
        ("c60001488b08", "memory"),
        # a large constant that nothing waits for: ten bytes an instruction
        ("48b80102030405060708" * 8, "size and front end"),
    ],
)
def test_what_limits_a_block_has_the_largest_factor(code, group):
    (found,) = np.exp(effects(features_of([code]), shipped(FEATURES[0]), CODE_FORM))
    assert GROUPS[int(found.argmax())] == group
    assert found.max() > 1


def test_unknown_features_have_no_effect():
    arrays = shipped(TRACE_FEATURES[0])
    x = arrays["typical"].copy()[None]
    lacking = ("n_mul", "n_div", "n_fp_div", "serialising", "n_nonspeculative", "flow_half")
    x[:, [TRACE_FEATURES.index(name) for name in lacking]] = np.nan
    assert np.allclose(effects(x, arrays, TRACE_FORM), 0, atol=1e-9)


def test_the_typical_segment_is_the_median_of_its_parts():
    x = features_of([ADD, ADD * 3, ADD * 5, IMUL]).astype(float)
    typical = dict(zip(FEATURES, CODE_FORM.typical(x), strict=True))
    assert typical["n_instructions"] == pytest.approx(np.sqrt(3))
    assert typical["op_add"] == pytest.approx(typical["n_instructions"])
    assert typical["op_imul"] == 0
