"""Questions that stand on the same rows: the same answers on a narrowed cursor, faster."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

import warehouse as pwh
from apps.queries.base import Narrowing, Question, ask, narrowed, remembering
from apps.queries.bottlenecks import (
    bottleneck_classes,
    bottleneck_costs,
    bottleneck_glyphs,
    bottleneck_metrics,
    bottlenecks_by,
    class_shares,
    counters_of,
    model_clusters,
    topdown,
    tuning_history,
    verdicts_of,
)
from apps.queries.comparison import MADE_OF, explained_traces, run_comparison
from apps.queries.explanations import (
    explained_against,
    explanation,
    explanation_call_tree,
    explanation_coverage,
)
from apps.queries.idle import idle_of_runs
from apps.queries.runs import (
    row_counts,
    rows_of,
    run_costs,
    run_counters,
    run_functions,
    run_launches,
    run_workers,
)
from apps.queries.scaling import (
    known_counts,
    scaling_apps,
    scaling_fitted,
    scaling_functions,
    scaling_measured,
    scaling_models_of,
    scaling_program,
    scaling_set_of,
    scaling_sets,
    times_of,
)
from apps.queries.throughput import (
    plotted_segments,
    predictions_of,
    throughput_effects,
    throughput_flags,
    throughput_limits,
    throughput_model,
    throughput_segments,
    throughput_threads,
)
from tests.helpers.support import given, rows


@contextmanager
def plain(con, narrowing):
    yield con


def counters(con, how):
    runs = [run for (run,) in rows(con, "SELECT DISTINCT run_id FROM pmu_samples ORDER BY 1")]
    with how(con, counters_of(runs, "bottlenecks", "pmu_standardised")) as own:
        yield bottleneck_classes(own, runs).fetchall()
        yield bottleneck_costs(own, runs).fetchall()
        yield bottleneck_metrics(own, runs).fetchall()
        yield topdown(own, runs).fetchall()
        yield bottleneck_glyphs(own, runs, "run").fetchall()
        yield bottlenecks_by(own, runs, "region").fetchall()
        yield class_shares(own, runs).fetchall()
        yield model_clusters(own, runs).fetchall()
    with how(con, verdicts_of(con, "stencil")) as own:
        yield tuning_history(own, "stencil").fetchall()


def scaling(con, how):
    with how(con, known_counts()) as own:
        yield scaling_apps(own)
        sets = scaling_sets(own)
        yield sets
    which = next(one for one in sets if one.counts >= 3)
    counts = [which.largest, which.largest * 4]
    with how(con, times_of(which)) as own:
        yield scaling_program(own, which, counts, "strong").fetchall()
        yield scaling_program(own, which, counts, "weak").fetchall()
        yield scaling_program(own, which, counts, "strong", 1000.0).fetchall()
        functions = scaling_functions(own, which, which.largest * 2).fetchall()
        yield functions
        yield scaling_fitted(own, which, [name for name, *_ in functions], counts).fetchall()
        yield scaling_measured(own, which).fetchall()
        yield scaling_models_of(own, which).fetchall()


def runs(con, how):
    for (run,) in rows(con, "SELECT min(run_id) FROM runs GROUP BY app ORDER BY 1"):
        with how(con, rows_of(run)) as own:
            asked = (run_counters, run_functions, run_costs, run_workers, run_launches)
            yield [row_counts(own, run), *(one(own, run).fetchall() for one in asked)]


def throughput(con, how):
    ((run,),) = rows(con, "SELECT min(run_id) FROM segments")
    with how(con, predictions_of(run)) as own:
        yield throughput_threads(own, run).fetchall()
        yield throughput_segments(own, run).fetchall()
        yield throughput_flags(own, run).fetchall()
        yield throughput_limits(own, run).fetchall()
        yield throughput_effects(own, run).fetchall()
        yield throughput_model(own, run).fetchall()
        yield plotted_segments(own, run).fetchall()


def comparison(con, how):
    for run in ("spmv-0.9", "stencil-1.23"):
        which = explained_against(con, run)
        with how(con, explained_traces([*which.against, *which.runs])) as own:
            yield run_comparison(own, which.against, which.runs, 0.95).fetchall()
            yield explanation(own, which).fetchall()
            yield explanation_coverage(own, which).fetchall()
            yield explanation_call_tree(own, which).fetchall()
            yield idle_of_runs(own, which.against, which.runs).fetchall()
            yield bottleneck_classes(own, which.runs).fetchall()
            yield [scaling_set_of(own, which.runs)]


@pytest.fixture
def con(demo_warehouse):
    con = pwh.connect(demo_warehouse, read_only=True)
    yield con
    con.close()


def near(value):
    """Return `value` with its numbers, also those in lists and the like, compared approximately.

    In which order doubles are added up varies; networks reckon in single precision, where the
    last digits depend on how many samples are classified together.
    """
    if isinstance(value, float):
        return pytest.approx(value, rel=1e-6, nan_ok=True)
    if isinstance(value, dict):
        return {key: near(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(near(one) for one in value)
    return value


@pytest.mark.parametrize("topic", [comparison, counters, runs, scaling, throughput])
def test_narrowed_answers_are_those_of_the_views(con, topic):
    through_views = list(topic(con, plain))
    assert sum(map(bool, through_views)) >= len(through_views) - 3, "the demo has answers"
    assert list(topic(con, narrowed)) == near(through_views)


@pytest.mark.parametrize("topic", [counters, scaling, throughput])
def test_the_sql_that_is_remembered_can_be_asked_again(con, topic):
    with remembering() as asked:
        list(topic(con, narrowed))
    assert len(asked) > 6
    for one in asked:
        con.execute(one.sql, one.params or None).fetchall()


def test_rows_written_by_hand_are_in_questions_about_their_run(warehouse):
    given(warehouse, "pmu_samples", "run_id source_id event value\nr1 7 cycles 10\nr2 8 cycles 20")
    given(warehouse, "run_facts", "run_id source_id stated_by position\nr2 8 file 0")
    for run_id in ("r1", "r2"):
        with narrowed(warehouse, rows_of(run_id)) as own:
            assert row_counts(own, run_id) == {"pmu_samples": 1}


def test_large_tables_are_narrowed_to_the_files_of_runs_without_a_copy(warehouse):
    given(warehouse, "pmu_samples", "run_id source_id event value\nr1 7 cycles 10\nr2 8 cycles 20")
    given(warehouse, "run_facts", "run_id source_id stated_by position\nr1 7 file 0\nr2 8 file 0")
    with narrowed(warehouse, rows_of("r2")) as own:
        assert rows(own, "SELECT run_id FROM pmu_samples") == [("r2",)]
        assert rows(own, "SELECT count(*) FROM duckdb_tables() WHERE temporary") == [(0,)]


@pytest.fixture
def two_runs(warehouse):
    given(warehouse, "runs", "run_id\nr1\nr2")
    given(warehouse, "segments", "run_id segment cycles instructions\nr1 0 10 20\nr2 0 10 20")
    return warehouse


def test_only_the_cursor_is_narrowed_and_the_tables_stay(two_runs):
    with narrowed(two_runs, predictions_of("r1")) as own:
        assert rows(own, "SELECT DISTINCT run_id FROM throughput_predictions") == [("r1",)]
        assert rows(own, "SELECT DISTINCT run_id FROM throughput_by_thread") == [("r1",)]
        everywhere = "SELECT count(DISTINCT run_id) FROM throughput_predictions"
        assert rows(two_runs, everywhere) == [(2,)]
    assert rows(two_runs, "SELECT count(*) FROM duckdb_tables() WHERE temporary") == [(0,)]


def test_rows_are_copied_once_and_views_are_computed_once(two_runs):
    with narrowed(two_runs, predictions_of("r1")) as own:
        before = throughput_flags(own, "r1").fetchall()
        given(two_runs, "segments", "run_id segment cycles instructions\nr1 1 10 20")
        assert throughput_flags(own, "r1").fetchall() == before
    assert throughput_flags(two_runs, "r1").fetchall() != before


@pytest.mark.parametrize(("most", "copied"), [(0, False), (1, True), (None, True)])
def test_a_table_with_more_rows_than_the_limit_is_not_copied(two_runs, most, copied):
    rows_of_run = predictions_of("r1").rows
    with narrowed(two_runs, Narrowing(rows_of_run, most=most)) as own:
        found = rows(own, "SELECT table_name FROM duckdb_tables() WHERE temporary ORDER BY ALL")
        assert found == [("pmu_samples",), *([("throughput_predictions",)] if copied else [])]
        assert len(ask(own, "throughput/segments", run_id="r1").fetchall()) == 1


@pytest.mark.parametrize("view", MADE_OF)
def test_a_view_has_no_rows_where_the_tables_it_is_made_of_have_none(con, view):
    nothing = {
        table: Question("comparison/traces", {"runs": '["?"]', "table": table})
        for table in MADE_OF[view]
    }
    assert rows(con, f"SELECT count(*) > 0 FROM {view}") == [(True,)]
    with narrowed(con, Narrowing(nothing)) as own:
        assert rows(own, f"FROM {view}") == []
    with narrowed(con, Narrowing(nothing, (view,), {view: MADE_OF[view]})) as own:
        assert rows(own, f"FROM {view}") == []


def test_sessions_of_cursors_are_as_those_of_connections(warehouse):
    with narrowed(warehouse, predictions_of("r1")) as own:
        settings = "SELECT current_setting('TimeZone'), current_setting('enable_progress_bar')"
        assert rows(own, settings) == rows(warehouse, settings) == [("UTC", False)]
