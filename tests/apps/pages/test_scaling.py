"""The page Scaling: sets, words, curves, speed-up, ranking."""

from __future__ import annotations

import math
import os
from itertools import pairwise

import duckdb
import numpy as np
import polars as pl
import pytest

import warehouse as pwh
from apps.output.tables import dicts
from apps.pages import scaling_charts as charts
from apps.queries.base import ask_dicts
from apps.queries.scaling import counts_between, scaling_sets
from apps.reports.scaling import scaling_sentences
from apps.reports.scaling_limits import turning_point
from apps.reports.scaling_question import complete_question, predict_grid
from apps.reports.scaling_tables import growth
from tests.apps.pages.conftest import texts
from tests.helpers.support import given
from tests.sql import test_scaling_efficiencies as by_hand
from tests.sql.test_scaling_limits import random_sets
from udfs.scaling.limits import Turning

COUNTS = (1, 2, 4, 8, 16)


@pytest.fixture
def measured(warehouse):
    runs = "".join(f"\nr{p} app 1 {p}" for p in COUNTS)
    given(warehouse, "runs", f"run_id app version ranks{runs}")
    times = "".join(f"\nr{p} work {100 / p}\nr{p} MPI_Bcast {p / 10}" for p in COUNTS)
    given(warehouse, "fn_timings", f"run_id function seconds{times}")
    (which,) = scaling_sets(warehouse, "app")
    return warehouse, which


def test_measured_times_of_functions_and_of_their_sum(measured):
    con, which = measured
    found = ask_dicts(con, "scaling/measured", set_id=which.set_id)
    program = [(row["parallelism"], row["seconds"]) for row in found if row["function"] is None]
    assert program == [(p, pytest.approx(100 / p + p / 10)) for p in COUNTS]
    work = [row["seconds"] for row in found if row["function"] == "work"]
    assert work == [100 / p for p in COUNTS]


def test_predictions_have_their_intervals(measured):
    con, which = measured
    found = ask_dicts(
        con, "scaling/fitted", set_id=which.set_id, functions=["work"], counts=[16, 32]
    )
    assert [(row["function"], row["parallelism"]) for row in found] == [("work", 16), ("work", 32)]
    assert found[1]["low"] <= found[1]["predicted"] <= found[1]["high"]
    assert found[1]["predicted"] == pytest.approx(100 / 32, rel=0.05)


def test_models_state_their_growth(measured):
    con, which = measured
    models = {row["function"]: row for row in ask_dicts(con, "scaling/models", set_id=which.set_id)}
    assert growth(models["work"]).startswith("falls in proportion (p^-1.0")


@pytest.mark.parametrize(
    ("exponent", "low", "high", "said"),
    [
        (0.02, -0.05, 0.05, "stays about the same (p^0.02, 90 %: -0.05 to 0.05)"),
        (0.5, 0.3, 0.8, "grows (p^0.50, 90 %: 0.30 to 0.80)"),
        (-0.4, -0.6, -0.2, "falls (p^-0.40, 90 %: -0.60 to -0.20)"),
        (0.2, -1, 2, "grows (p^0.20, 90 %: -1.00 to 2.00); it may fall or grow"),
        (0.2, None, None, "grows (p^0.20)"),
        (None, None, None, "unknown: no model: fewer than three counts (2)"),
    ],
)
def test_growth_as_text(exponent, low, high, said):
    flags = [{"code": "noise", "args": {"scatter": "30 %"}}]
    flags += [{"code": "no_model_few_counts", "args": {"counts": "2"}}]
    row = {"exponent": exponent, "exponent_low": low, "exponent_high": high, "flags": flags}
    assert growth(row) == said


def test_counts_are_even_on_a_log_scale():
    assert counts_between(4, 4) == [4]
    found = counts_between(1, 1024)
    assert (found[0], found[-1], len(found) <= 33) == (1, 1024, True)


def test_the_largest_count_measured_is_marked():
    frame = pl.DataFrame({"what": ["f"], "parallelism": [8], "seconds": [1.0]})
    fitted = pl.DataFrame(
        {"what": ["f"], "parallelism": [8], "predicted": [1.0], "low": [0.9], "high": [1.1]}
    )
    drawn = charts.time_chart(frame, fitted, 8).to_dict()
    marks = [layer["mark"]["type"] for layer in drawn["layer"]]
    assert marks == ["area", "line", "point", "text", "rule"]


def test_names_at_the_ends_of_lines_are_apart_and_within_the_picture():
    ends = [1.0, 0.99, 0.98, 0.011, 0.0105, 0.01]
    names = [f"f{i}" for i in range(len(ends))]
    fitted = pl.DataFrame({"what": names, "parallelism": 8, "predicted": ends})
    found = charts._names_at_ends(fitted, 0.01, 1.0)
    assert found["what"].to_list() == names
    places = found["place"].log().to_list()
    pixels = [(above - below) / math.log(100) * 320 for above, below in pairwise(places)]
    assert min(pixels) >= 12.99
    assert found["place"].min() >= 0.01


@pytest.mark.parametrize(
    ("point", "marks"),
    [
        (Turning(12, 8, 16), ["rect", "rule"]),
        (Turning(999, 8, None), ["rect"]),
        (Turning(8, 8, 8), ["rule"]),
        (Turning(999, 900, None), []),
    ],
)
def test_the_interval_of_the_turning_point_is_drawn_as_far_as_it_is_seen(point, marks):
    drawn = [chart.to_dict()["mark"]["type"] for chart in charts._turning(point, 1, 64)]
    assert drawn == marks


def test_where_measured_times_turn_a_model_that_falls_on_does_not_hide_it(warehouse):
    # of 16 runs each count; the time rises from 128 to 256, what the models cannot follow
    times = {2: 638.3, 4: 352.6, 8: 204.6, 16: 164.0, 32: 101.2, 64: 65.1, 128: 45.3, 256: 49.5}
    runs = "".join(f"\nr{p} app {p} {t}" for p, t in times.items())
    given(warehouse, "runs", f"run_id app ranks wall_seconds{runs}")
    rows = "".join(f"\nr{p} f {t}" for p, t in times.items())
    given(warehouse, "fn_timings", f"run_id function seconds{rows}")
    (which,) = scaling_sets(warehouse, "app")
    question = complete_question(which, (), None, None)
    every = dicts(predict_grid(warehouse, question))
    turning = ask_dicts(warehouse, "scaling/turning", set_id=which.set_id, kind=None)
    point = turning_point(question, turning)
    assert 64 < point.low <= point.about <= point.high <= 512
    (said,) = [one for one in scaling_sentences(question, every, [], turning) if "slower" in one]
    assert said.startswith(f"Adding more than about {point.about} makes it slower (90 %: ")


def test_the_time_of_a_rank_is_over_the_mean_of_all_also_where_some_do_not_call(warehouse):
    given(warehouse, "runs", "run_id app ranks\nr app 4")
    rows = [("r", "f", 0, 8.0), *(("r", "g", rank, 1.0) for rank in range(4))]
    times = "".join(f"\n{r} {f} {rank} {t}" for r, f, rank, t in rows)
    given(warehouse, "fn_timings", f"run_id function rank seconds{times}")
    (which,) = scaling_sets(warehouse, "app")
    found = ask_dicts(
        warehouse,
        "imbalance/ranks",
        set_id=which.set_id,
        parallelism=4,
        most=256,
        functions=["f", "g"],
    )
    shares = {(row["function"], row["first_rank"]): row["of_mean"] for row in found}
    assert [shares["f", rank] for rank in range(4)] == [4, 0, 0, 0]
    assert {shares["g", rank] for rank in range(4)} == {1}
    few = ask_dicts(
        warehouse, "imbalance/ranks", set_id=which.set_id, parallelism=4, most=2, functions=["f"]
    )
    assert [(r["first_rank"], r["last_rank"], r["seconds"]) for r in few] == [(0, 1, 8), (2, 3, 0)]


def test_counts_near_the_largest_whole_number_are_predicted(warehouse):
    counts = (1_000, 100_000, 10_000_000, 1_000_000_000)
    given(warehouse, "runs", "run_id app ranks" + "".join(f"\nr{p} app {p}" for p in counts))
    times = "".join(f"\nr{p} f {1e9 / p}" for p in counts)
    given(warehouse, "fn_timings", f"run_id function seconds{times}")
    (which,) = scaling_sets(warehouse, "app")
    rows = dicts(predict_grid(warehouse, complete_question(which, (), None, None)))
    assert rows[-1]["parallelism"] == 64_000_000_000


def test_an_empty_warehouse_shows_what_to_ingest(open_page, empty_warehouse):
    text = texts(open_page("scaling", empty_warehouse))
    assert "three counts at least" in text
    assert "--ranks 32" in text


def test_the_demo_scales(open_page, demo_warehouse):
    app = open_page("scaling", demo_warehouse, app="stencil")
    text = texts(app)
    assert "stencil version" in text and "will limit it most" in text
    assert [heading.value for heading in app.subheader] == [
        "Measured and predicted time",
        "Speed-up",
        "Efficiency",
        "Functions at 256",
        "Imbalance over ranks",
    ]
    (models,) = [frame.value for frame in app.dataframe if "power" in frame.value]
    assert models["function"][0] == "checkpoint"


def test_the_page_and_the_command_state_the_same_in_words_and_figures(
    open_page, new_warehouse, run
):
    number = 100 if os.environ.get("PWH_THOROUGH") == "1" else 2
    with pwh.connect(new_warehouse) as con:
        random_sets(con, np.random.default_rng(52), number, 0)
    for one in range(number):
        said = texts(open_page("scaling", new_warehouse, app=f"a{one}"))
        code, out, err = run("--db", new_warehouse, "scale", f"a{one}")
        if code:  # of two counts
            why = err.partition("pwh: ")[2].split("\n")[0]
            assert f"{why}. A model needs at least three counts" in said
            continue
        sentences = [line[2:] for line in out.splitlines() if line.startswith("* ")]
        assert len(sentences) > 3
        assert [sentence for sentence in sentences if sentence not in said] == []


def test_efficiencies_are_those_of_a_set_made_by_hand(open_page, new_warehouse):
    with pwh.connect(new_warehouse) as con:
        by_hand.measured(con, dict.fromkeys(by_hand.RANKS, 7))
    app = open_page("scaling", new_warehouse)
    (table,) = [frame.value for frame in app.dataframe if "load_balance" in frame.value]
    assert list(table["load_balance"]) == pytest.approx([100, 5250 / 60, 2750 / 30])
    assert list(table["communication_efficiency"]) == pytest.approx([100, 6000 / 70, 60])
    assert list(table["global_efficiency"]) == pytest.approx([100, 10000 / 140, 50])


def test_the_imbalance_over_ranks_is_shown(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    runs = "".join(f"\nr{p} app {p}" for p in COUNTS)
    given(con, "runs", f"run_id app ranks{runs}")
    times = "".join(
        f"\nr{p} work {r} {100 / p * (1 + 0.1 * (r == 1))}" for p in COUNTS for r in (0, 1)
    )
    given(con, "fn_timings", f"run_id function rank seconds{times}")
    con.close()
    app = open_page("scaling", new_warehouse)
    text = texts(app)
    assert "Imbalance over ranks at 16" in text
    assert "Time by kind" not in text, "there are no MPI calls"
    assert "At 16 balance over the ranks would save most in work: 313 ms (imbalance 4." in text
    (table,) = [frame.value for frame in app.dataframe if "slow_ranks" in frame.value]
    assert list(table["slow_ranks"][0]) == [1]


def test_a_link_reproduces_count_and_assumption(open_page, demo_warehouse):
    app = open_page("scaling", demo_warehouse, app="stencil", at="100", scaling="weak")
    assert "taken as weak, as requested" in texts(app)
    assert "Functions at 100" in texts(app)


def test_only_applications_that_can_be_modelled_are_offered_those_without_a_name_too(
    open_page, new_warehouse
):
    con = pwh.connect(new_warehouse)
    given(con, "runs", "run_id app\nfew heat\nr1 NULL\nr2 NULL\nr4 NULL")
    timings = "run_id  parallelism  seconds\nfew  1  4\nr1  1  4\nr2  2  2\nr4  4  1"
    given(con, "fn_timings", timings, function="f", kind="computation")
    con.close()
    app = open_page("scaling", new_warehouse)
    assert app.selectbox("app").options == ["(no application)"]
    assert "Measured and predicted time" in [heading.value for heading in app.subheader]


def test_wall_times_alone_have_a_page_without_functions(new_warehouse, open_page):
    with pwh.connect(new_warehouse) as con:
        runs = "".join(f"\nr{p} app {p} {100 / p + 1}" for p in COUNTS)
        given(con, "runs", f"run_id app ranks wall_seconds{runs}")
        times = "".join(f"\nr{p} whole_program total {100 / p + 1}" for p in COUNTS)
        given(con, "fn_timings", f"run_id function kind seconds{times}")
    app = open_page("scaling", new_warehouse, app="app")
    said = texts(app)
    assert "Time is wall time" in said and "only times of the whole program were measured" in said
    assert "whole_program" in app.dataframe[0].value["function"].to_list()


def test_charts_name_what_their_own_page_is_of(open_page, demo_warehouse):
    app = open_page("scaling", demo_warehouse, app="stencil")
    app.session_state["against"] = "stencil-1.22"  # as the page of profiles leaves it
    app.run()
    specs = [chart.proto.spec for chart in app.get("vega_lite_chart")]
    assert specs
    assert all('"stencil"' in spec and "stencil-1.22" not in spec for spec in specs)


def test_times_written_by_hand_are_no_set_until_they_are_computed(new_warehouse, run):
    con = duckdb.connect(new_warehouse)
    con.execute(
        "INSERT INTO runs (run_id, app, ranks) SELECT 'r' || p, 'h', p FROM range(1, 4) t(p)"
    )
    con.execute(
        "INSERT INTO fn_timings (run_id, source_id, function, seconds) "
        "SELECT 'r' || p, 1, 'f', 1 / p FROM range(1, 4) t(p)"
    )
    con.close()
    for asked in ((), ("h",)):
        code, _, err = run("--db", new_warehouse, "scale", *asked)
        assert (code, "pwh refresh computes what follows from them" in err) == (5, True)
    assert run("--db", new_warehouse, "refresh")[0] == 0
    assert run("--db", new_warehouse, "scale", "h")[0] == 0
