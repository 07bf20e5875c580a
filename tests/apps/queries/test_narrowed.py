"""Questions that stand on the same rows: computed once, told as questions to the views."""

from __future__ import annotations

import pytest

import warehouse as pwh
from apps.queries import throughput
from apps.queries.base import Held, holding, remembering
from apps.queries.bottlenecks import (
    bottleneck_classes,
    bottleneck_costs,
    bottleneck_glyphs,
    bottleneck_metrics,
    class_shares,
    model_clusters,
    topdown,
    tuning_history,
)
from apps.queries.scaling import (
    scaling_functions,
    scaling_measured,
    scaling_models_of,
    scaling_program,
    scaling_sets,
)
from apps.queries.throughput import (
    drawn_segments,
    throughput_effects,
    throughput_flags,
    throughput_limits,
    throughput_model,
    throughput_segments,
    throughput_threads,
)
from tests.helpers.support import given, rows


def everything(con):
    """Ask all that may be held; give the rows by question."""
    counted = [run for (run,) in rows(con, "SELECT DISTINCT run_id FROM pmu_samples ORDER BY 1")]
    ((traced,),) = rows(con, "SELECT min(run_id) FROM segments")
    which = next(one for one in scaling_sets(con) if one.counts >= 3)
    asked = [
        bottleneck_classes(con, counted),
        bottleneck_costs(con, counted),
        bottleneck_metrics(con, counted),
        topdown(con, counted),
        bottleneck_glyphs(con, counted, "run"),
        tuning_history(con, "stencil"),
        class_shares(con, counted),
        model_clusters(con, counted),
        scaling_program(con, which, [which.largest, which.largest * 4], "strong"),
        scaling_program(con, which, [which.largest, which.largest * 4], "weak"),
        scaling_functions(con, which, which.largest * 2),
        scaling_measured(con, which),
        scaling_models_of(con, which),
        throughput_threads(con, traced),
        throughput_flags(con, traced),
        throughput_limits(con, traced),
        throughput_effects(con, traced),
        throughput_model(con, traced),
        drawn_segments(con, traced),
    ]
    return [relation.fetchall() for relation in asked]


@pytest.fixture
def con(demo_warehouse):
    con = pwh.connect(demo_warehouse, read_only=True)
    yield con
    con.close()


def test_what_is_held_answers_as_the_views_do(con):
    plain = everything(con)
    with holding(Held()):
        held = everything(con)
    assert sum(map(bool, plain)) > 13, "nearly every question has an answer in the demo"
    assert rounded(held) == rounded(plain)


def rounded(value):
    """Round numbers inside of lists and the like: in which order they are added up varies."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return value


def test_the_sql_that_is_shown_is_put_to_the_views_and_can_be_asked_again(con):
    with holding(Held()), remembering() as asked:
        everything(con)
    assert len(asked) > 18
    for one in asked:
        assert "$of" not in one.sql
        assert "_held_" not in one.sql
        con.execute(one.sql, one.params).fetchall()
    assert any("FROM bottlenecks\n" in one.sql for one in asked)
    assert any("FROM program_predict(CAST($counts AS BIGINT[]))" in one.sql for one in asked)


def test_rows_are_computed_once_inside_and_anew_outside(warehouse):
    given(warehouse, "runs", "run_id\nr1")
    given(warehouse, "segments", "segment cycles instructions\n0 10 20")
    with holding(Held()):
        assert len(drawn_segments(warehouse, "r1").fetchall()) == 0
        flags = throughput_flags(warehouse, "r1").fetchall()
        given(warehouse, "segments", "segment cycles instructions\n1 10 20")
        assert throughput_flags(warehouse, "r1").fetchall() == flags
    assert throughput_flags(warehouse, "r1").fetchall() != flags


def test_many_rows_are_not_held(warehouse, monkeypatch):
    given(warehouse, "runs", "run_id\nr1")
    given(warehouse, "segments", "segment cycles instructions\n0 10 20\n1 10 20")
    for most, is_held in ((1, False), (2, True)):
        monkeypatch.setattr(throughput, "MOST_HELD", most)
        with holding(Held()):
            assert bool(throughput.of_run(warehouse, "r1")["of"]) == is_held
            assert len(throughput_segments(warehouse, "r1").fetchall()) == 2
