"""Models and predictions of functions, through SQL."""

from __future__ import annotations

import pytest

from tests.helpers.scaling import law, measured
from tests.helpers.support import given, rows, shared

COUNTS = (2, 4, 8, 16, 32)


def flags(con, function):
    ((found,),) = rows(
        con, "SELECT flag_sentences(flags) FROM scaling_models WHERE function = ?", function
    )
    return found


def test_a_model_a_function(warehouse):
    measured(
        warehouse,
        {"solve": law((64, -1)), "setup": law((3, 0)), "MPI_Barrier": law((0.1, 0.5))},
    )
    assert rows(
        warehouse,
        """
        SELECT app, version, machine, function, kind, formula, parameters, points, repetitions,
          scaling, flag_sentences(flags)
        FROM scaling_models ORDER BY function
        """,
    ) == [
        (
            *("stencil", "1", "m", "MPI_Barrier", "n-to-n collective", "0.1*p^0.5"),
            *({"b": pytest.approx(0.1), "c": 0.5}, 5, 1, "strong", []),
        ),
        (
            *("stencil", "1", "m", "setup", "computation", "3", {"e": pytest.approx(3)}),
            *(5, 1, "strong", []),
        ),
        (
            *("stencil", "1", "m", "solve", "computation", "64*p^-1"),
            *({"a": pytest.approx(64), "b": 1.0}, 5, 1, "strong", []),
        ),
    ]
    for r2, smape, cv_error, exponent, low, high in rows(
        warehouse,
        "SELECT r2, smape, cv_error, exponent, exponent_low, exponent_high FROM scaling_models",
    ):
        assert r2 is None or r2 == pytest.approx(1)
        assert smape == pytest.approx(0, abs=1e-6) and 0 <= cv_error < 0.1
        assert low < exponent < high


@pytest.mark.parametrize("p", ["64", "[64]", "[64, 64]"])
def test_predictions_take_one_count_or_a_list(warehouse, p):
    measured(warehouse, {"solve": law((64, -1)), "setup": law((3, 0))})
    found = rows(
        warehouse,
        f"""
        SELECT function, kind, parallelism, predicted, low < predicted, predicted < high, share
        FROM scaling_predict({p}) ORDER BY function
        """,
    )
    assert found == [
        (
            *("setup", "computation", 64, pytest.approx(3, rel=0.01), True, True),
            pytest.approx(0.75, abs=0.01),
        ),
        (
            *("solve", "computation", 64, pytest.approx(1, rel=0.01), True, True),
            pytest.approx(0.25, abs=0.01),
        ),
    ]


def test_several_counts_and_sets(warehouse):
    for app in ("a", "b"):
        measured(warehouse, {"f": law((64, -1))}, app=app)
    assert rows(
        warehouse,
        "SELECT app, parallelism, round(predicted, 1), share FROM scaling_predict([64, 128]) "
        "ORDER BY ALL",
    ) == [("a", 64, 1.0, 1.0), ("a", 128, 0.5, 1.0), ("b", 64, 1.0, 1.0), ("b", 128, 0.5, 1.0)]


def test_predictions_join_with_the_models(warehouse):
    measured(warehouse, {"f": law((64, -1))})
    assert rows(
        warehouse,
        "SELECT m.formula, round(p.predicted, 2) FROM scaling_models AS m "
        "JOIN scaling_predict(64) AS p USING (app, version, machine, function, kind)",
    ) == [("64*p^-1", 1.0)]


def test_far_off_is_flagged(warehouse):
    measured(warehouse, {"f": law((64, -1))})
    assert rows(
        warehouse,
        "SELECT parallelism, flag_sentences(flags) FROM scaling_predict([128, 129, 3200]) "
        "ORDER BY parallelism",
    ) == [
        (128, []),
        (129, ["extrapolating 4.03x beyond the largest count (32)"]),
        (3200, ["extrapolating 100x beyond the largest count (32)"]),
    ]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ({2: 1.0, 4: 0.5}, ["no model: fewer than three counts (2)"]),
        ({4: [1.0, 1.0, 1.1]}, ["no model: fewer than three counts (1)"]),
        ({2: 8.0, 4: 4.0, 8: 2.0}, ["too few points: 3 counts"]),
        ({2: 1.0, 4: 0.0, 8: 1.0}, ["zero times dropped", "no model: fewer than three counts (2)"]),
        (
            {2: 1.0, 4: 0.5, 8: 0.3, 16: 0.0},
            [
                "no model: 0 s at the largest counts, last above zero at 8 of 16",
                "zero times dropped",
            ],
        ),
        ({2: 0.0, 4: 0.0, 8: 0.0}, ["no model: 0 s at all counts", "zero times dropped"]),
        (
            {2: 0.0, **law((64, -1), counts=(4, 8, 16, 32, 64))},
            ["zero times dropped"],
        ),
        (
            {2: [-1.0], **law((64, -1), counts=(4, 8, 16, 32, 64))},
            ["zero times dropped", "negative times dropped"],
        ),
        (
            {**law((64, -1), counts=(*COUNTS, 64)), 8: 9000.0},
            ["outlier: the time at 8 is left out"],
        ),
        (
            {p: [1.0, 1.5, 0.7] for p in COUNTS},
            ["noise: repetitions scatter by 38 %"],
        ),
        (
            {**{p: [1.0, 1.01] for p in COUNTS}, 4: [0.2, 1.0, 3.0]},
            ["repetitions differ tenfold"],
        ),
    ],
)
def test_bad_input_is_answered_with_its_flag(warehouse, times, expected):
    measured(warehouse, {"f": times})
    assert flags(warehouse, "f") == expected
    ((predicted,),) = rows(warehouse, "SELECT predicted FROM scaling_predict(128)")
    assert (predicted is None) == any(flag.startswith("no model") for flag in expected)


def test_functions_missing_at_some_counts(warehouse):
    measured(
        warehouse,
        {
            "always": law((64, -1)),
            "sometimes": law((64, -1), counts=(2, 4, 16, 32)),
            "no longer": law((64, 1), counts=(2, 4, 8)),
        },
    )
    assert flags(warehouse, "sometimes") == [
        "missing counts: measured at 4 of 5",
        "too few points: 4 counts",
    ]
    assert flags(warehouse, "no longer") == [
        "no model: not seen at the largest counts, last at 8 of 32",
        "missing counts: measured at 3 of 5",
    ]
    assert rows(
        warehouse,
        "SELECT function, round(predicted, 2), round(share, 2) FROM scaling_predict(64) "
        "ORDER BY ALL",
    ) == [("always", 1.0, 0.5), ("no longer", None, None), ("sometimes", 1.0, 0.5)]


def test_noise_widens_the_interval(warehouse):
    measured(
        warehouse,
        {
            "quiet": {p: [64 / p, 64 / p] for p in COUNTS},
            "noisy": {p: [0.8 * 64 / p, 1.2 * 64 / p] for p in COUNTS},
        },
    )
    (noisy, quiet) = rows(warehouse, "SELECT high / low FROM scaling_predict(64) ORDER BY function")
    assert noisy[0] > 1.5 > quiet[0]


def test_repetitions_within_a_run(warehouse):
    given(warehouse, "runs", "run_id app ranks\n" + "\n".join(f"r{p} a {p}" for p in COUNTS))
    lines = [f"r{p} f {r} {seconds}" for p in COUNTS for r, seconds in enumerate((1, 2, 9))]
    given(warehouse, "fn_timings", "run_id function repetition seconds\n" + "\n".join(lines))
    assert rows(warehouse, "SELECT formula, repetitions, points FROM scaling_models") == [
        ("2", 3, 5)
    ]


def test_an_empty_warehouse_has_no_models(warehouse):
    for view in ("scaling_models", "program_models", "scaling_surfaces", "scaling_sets"):
        assert rows(warehouse, f"FROM {view}") == []
    for macro in ("scaling_predict(64)", "program_predict([64])", "scaling_predict_at(64, 2)"):
        assert rows(warehouse, f"FROM {macro}") == []


def test_public_profiles_with_the_largest_count_left_out(warehouse):
    """Median error and coverage on functions of at least 0.5 % of the time, one step out."""
    file = str(shared("scaling/tidy_scaling.csv"))
    warehouse.execute(
        """
        CREATE TABLE tidy AS
        SELECT dataset || config AS app, * FROM read_csv($file) WHERE cls <> 'total'
        """,
        {"file": file},
    )
    warehouse.execute("CREATE TABLE last AS SELECT app, max(p) AS p FROM tidy GROUP BY app")
    warehouse.execute(
        """
        INSERT INTO fn_timings (run_id, source_id, function, kind, parallelism, seconds)
        SELECT app || t.p || rep, 1, function, cls, t.p, time_s
        FROM tidy AS t JOIN last USING (app) WHERE t.p < last.p
        """
    )
    warehouse.execute(
        "INSERT INTO runs (run_id, app) SELECT DISTINCT app || p || rep, app FROM tidy"
    )
    (((median, held, count),)) = rows(
        warehouse,
        """
        WITH trained AS (
          SELECT app, function, y[-1] / sum(y[-1]) OVER (PARTITION BY app) AS share, y
          FROM scaling_series WHERE seen_last AND len(x) >= 3
        )
        SELECT
          median(abs(f.predicted / t.seconds - 1)),
          avg(CAST(t.seconds BETWEEN f.low AND f.high AS INTEGER)), count(*)
        FROM scaling_predict((SELECT list(DISTINCT p) FROM last)) AS f
        JOIN last ON f.app = last.app AND f.parallelism = last.p
        JOIN (
          SELECT app, function, p, median(time_s) AS seconds, max(resolution) AS resolution
          FROM tidy GROUP BY ALL
        ) AS t ON f.app = t.app AND f.function = t.function AND t.p = last.p
        JOIN trained AS s ON s.app = f.app AND s.function = f.function
        WHERE s.share >= 0.005 AND list_min(s.y) >= 20 * t.resolution AND t.seconds > 0
        """,
    )
    assert count > 150
    assert median < 0.09
    assert 0.85 <= held <= 0.95
