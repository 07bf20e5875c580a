"""Whole programs: their times and predictions, and two parameters."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.scaling import check_stored_forecasts, law, measured
from tests.helpers.support import given, rows


def test_a_program_is_the_sum_of_its_functions(warehouse):
    measured(warehouse, {"solve": law((64, -1)), "setup": law((3, 0))})
    assert rows(
        warehouse,
        "SELECT app, scaling, smallest, largest, seconds_smallest, seconds_largest, functions, "
        "modelled, covered, formula, points, flag_sentences(flags) FROM program_models",
    ) == [("stencil", "strong", 2, 32, 35.0, 5.0, 2, 2, 1.0, "3 + 64*p^-1", 5, [])]
    assert rows(
        warehouse,
        "SELECT parallelism, round(predicted, 2), round(speedup, 2), round(efficiency, 3), "
        "round(core_hours * 3600, 0), low < predicted, predicted < high, flag_sentences(flags) "
        "FROM program_predict([2, 32, 64]) ORDER BY parallelism",
    ) == [
        (2, 35.0, 1.0, 1.0, 70, True, True, []),
        (32, 5.0, 7.0, 0.438, 160, True, True, []),
        (
            64,
            4.0,
            pytest.approx(8.75, abs=0.03),
            pytest.approx(0.273, abs=0.002),
            256,
            *(True,) * 2,
            [],
        ),
    ]


def test_the_prediction_is_the_sum_of_the_functions(warehouse):
    measured(warehouse, {"a": law((50, -0.7)), "b": law((1, 0.3)), "c": law((2, -0.2), (1, 0.1))})
    (whole,), (parts,) = rows(
        warehouse,
        "SELECT predicted FROM program_predict(256) "
        "UNION ALL SELECT sum(predicted) FROM scaling_predict(256)",
    )
    assert whole == pytest.approx(parts)


@pytest.mark.parametrize("counts", [[64], [2, 3, 32, 256], [20, 180, 1280], [7, 100]])
def test_what_is_stored_is_what_is_computed_when_asked(warehouse, counts):
    measured(warehouse, {"a": law((50, -0.7)), "b": law((1, 0.3)), "few": {2: 3.0, 32: 4.0}})
    odd = (3, 5, 9, 20)
    measured(warehouse, {"c": law((2, -0.2), (1, 0.1), counts=odd)}, app="other")
    rows(warehouse, "FROM _forecasts")
    check_stored_forecasts(warehouse, counts)


COUNTS = (2, 4, 8, 16, 32)


def ranked(con, *, wall=(), inclusive=False, ranks=None):
    """Insert runs of two ranks of which the second takes 1.5 times as long as the first."""
    for p in COUNTS:
        for rank in (0, 1) if ranks is None else ranks:
            for function, seconds in (("main", 1.0), ("work", 80 / p)):
                con.execute(
                    "INSERT INTO fn_timings (run_id, source_id, function, rank, seconds, "
                    "inclusive_seconds) VALUES (?, 1, ?, ?, ?, ?)",
                    [
                        f"r{p}",
                        function,
                        rank,
                        seconds * (1 + rank / 2),
                        (1 + 80 / p) * (1 + rank / 2) if inclusive and function == "main" else None,
                    ],
                )
        con.execute(
            "INSERT INTO runs (run_id, app, ranks, problem_size, wall_seconds) "
            "VALUES (?, 'a', ?, 1, ?)",
            [f"r{p}", p, 2 + 160 / p if p in wall else None],
        )


@pytest.mark.parametrize(
    ("facts", "basis", "factor"),
    [
        ({"wall": COUNTS}, "wall time", 2.0),
        ({"wall": COUNTS, "inclusive": True}, "wall time", 2.0),
        ({"wall": COUNTS[:3], "inclusive": True}, "wall time", 1.5),
        ({"wall": COUNTS[:3]}, "slowest rank", 1.5),
        ({}, "slowest rank", 1.5),
        ({"ranks": (0,)}, "sum of rank means", 1.0),
        ({"ranks": (None,)}, "sum of rank means", 1.0),
    ],
)
def test_a_program_takes_its_wall_time_where_that_is_known(warehouse, facts, basis, factor):
    if facts.get("ranks") == (None,):
        ranked(warehouse, ranks=(0,))
        warehouse.execute("UPDATE fn_timings SET rank = NULL")
    else:
        ranked(warehouse, **facts)
    assert rows(
        warehouse, "SELECT parallelism, basis, seconds FROM program_times ORDER BY parallelism"
    ) == [(p, basis, pytest.approx((1 + 80 / p) * factor)) for p in COUNTS]
    assert rows(
        warehouse,
        "SELECT basis, seconds_smallest, formula, flag_sentences(flags) FROM program_models",
    ) == [(basis, pytest.approx(41 * factor), f"{factor:.4g} + {80 * factor:.4g}*p^-1", [])]
    assert rows(
        warehouse, "SELECT parallelism, basis, predicted FROM program_predict([16, 256]) ORDER BY 1"
    ) == [(p, basis, pytest.approx((1 + 80 / p) * factor, rel=1e-3)) for p in (16, 256)]


def test_an_inclusive_time_below_the_own_times_is_not_that_of_the_program(warehouse):
    ranked(warehouse)
    warehouse.execute("UPDATE fn_timings SET inclusive_seconds = seconds")
    assert rows(warehouse, "SELECT DISTINCT basis FROM program_times") == [("slowest rank",)]


def test_wall_time_of_a_run_at_several_counts_is_of_none_of_them(warehouse):
    measured(warehouse, {"f": law((64, -1))})
    warehouse.execute("UPDATE fn_timings SET parallelism = CAST(split_part(run_id, '-', 4) AS INT)")
    warehouse.execute("UPDATE fn_timings SET run_id = (SELECT min(run_id) FROM runs)")
    warehouse.execute("UPDATE runs SET wall_seconds = 100")
    assert rows(warehouse, "SELECT DISTINCT basis FROM program_times") == [("sum of rank means",)]


def test_wall_times_have_the_median_of_repetitions_and_its_noise(warehouse):
    measured(warehouse, {"f": {p: [64 / p] * 3 for p in COUNTS}})
    warehouse.execute(
        "UPDATE runs SET wall_seconds = 64 / ranks * (1 + 0.1 * CAST(run_id[-1:] AS INT))"
    )
    ((seconds, scatter),) = rows(
        warehouse, "SELECT seconds, scatter FROM program_times WHERE parallelism = 2"
    )
    # of the median of three, not of one
    assert seconds == pytest.approx(32 * 1.1) and scatter == pytest.approx(
        0.663 * 0.1 / 1.1, rel=1e-3
    )
    ((low, predicted, high),) = rows(
        warehouse, "SELECT low, predicted, high FROM program_predict(64)"
    )
    assert low < 0.95 * predicted < 1.05 * predicted < high


def test_a_formula_that_is_not_the_prediction_is_flagged(warehouse):
    # The sum of a step up and a decay has no law of its own.
    measured(
        warehouse,
        {
            "steady": law((100, -1), (2, 0)),
            "late": dict(zip(COUNTS, (1.0, 1.0, 1.0, 1.0, 9.0), strict=True)),
        },
    )
    ((parameters, flags),) = rows(
        warehouse, "SELECT parameters, flag_sentences(flags) FROM program_models"
    )
    apart = 0.0
    for p in (64, 128, 256):
        ((predicted,),) = rows(warehouse, f"SELECT predicted FROM program_predict({p})")
        formula = (
            parameters.get("e", 0)
            + parameters.get("a", 0) * p ** -parameters.get("b", 0)
            + parameters.get("c", 0)
            * p ** parameters.get("d", 0)
            * np.log2(p) ** parameters.get("log_exponent", 0)
        )
        apart = max(apart, formula / predicted - 1, predicted / formula - 1)
    assert apart > 0.1
    assert [flag for flag in flags if flag.startswith("formula disagrees")] == [
        f"formula disagrees: up to {100 * apart:.0f} % off the prediction, which is the sum of the "
        "functions"
    ]


def test_weak_scaling_has_its_own_speed_up(warehouse):
    measured(warehouse, {"f": law((10, 0))}, size=lambda count: 100.0 * count)
    assert rows(
        warehouse,
        "SELECT round(speedup, 0), round(efficiency, 2) FROM program_predict(64)",
    ) == [(32.0, 1.0)]


def test_whole_run_rows_count_once(warehouse):
    measured(warehouse, {"f": law((10, 0)), "__TOTAL__": law((10, 0))})
    assert rows(warehouse, "SELECT seconds_largest, functions FROM program_models") == [(10.0, 1)]
    assert rows(
        warehouse, "SELECT function, kind, share FROM scaling_predict(64) ORDER BY function"
    ) == [("__TOTAL__", "total", None), ("f", "computation", 1.0)]
    assert rows(warehouse, "SELECT round(predicted, 1) FROM program_predict(64)") == [(10.0,)]


def test_whole_run_rows_alone_are_the_program(warehouse):
    measured(warehouse, {"__TOTAL__": law((64, -1))})
    assert rows(warehouse, "SELECT round(predicted, 2) FROM program_predict(64)") == [(1.0,)]


def test_functions_without_a_model_keep_their_share(warehouse):
    measured(warehouse, {"f": law((30, 0), (60, -1)), "late": {16: 10.625, 32: 10.625}})
    ((*known, flags),) = rows(
        warehouse, "SELECT functions, modelled, covered, flag_sentences(flags) FROM program_models"
    )
    assert known == [2, 1, 0.75]
    assert flags[0] == "functions without a model: 1 of 2, 25.0 % of the time"
    # from there on the program has another law
    assert flags[1].startswith("not extrapolatable: the law may change at 16")
    ((predicted, low, high),) = rows(
        warehouse, "SELECT predicted, low, high FROM program_predict(64)"
    )
    assert predicted == pytest.approx((30 + 60 / 64) / 0.75, rel=0.01)
    # from none of their time to all that they took
    assert low < 30 + 60 / 64 and high > 30 + 60 / 64 + 10.625


def test_speed_up_is_against_the_smallest_count_with_a_time(warehouse):
    times = {2: 0} | {count: 0.01 * count for count in (4, 8, 16, 32)}
    measured(warehouse, {"f": times})
    ((speedup, efficiency),) = rows(
        warehouse, "SELECT speedup, efficiency FROM program_predict(64)"
    )
    assert speedup == pytest.approx(4 / 64, rel=0.02)
    assert efficiency == pytest.approx(speedup * 4 / 64)


def test_functions_without_a_model_that_take_most_time_leave_the_program_unknown(warehouse):
    measured(warehouse, {"f": law((30, 0), (60, -1)), "late": {16: 20, 32: 40}})
    ((predicted, high, flags),) = rows(
        warehouse, "SELECT predicted, high, flag_sentences(flags) FROM program_predict(64)"
    )
    assert (predicted, high) == (None, None)
    assert any(flag.startswith("functions without a model: 1 of 2") for flag in flags)


def test_constant_times_at_a_constant_size_are_questioned(warehouse):
    measured(warehouse, {"f": law((30, 0))})
    ((flags,),) = rows(warehouse, "SELECT flag_sentences(flags) FROM program_models")
    assert flags == [
        "the time hardly falls with the parallelism: perhaps the problem size is that of "
        "one process, and this weak scaling"
    ]


def test_too_few_counts_are_no_program(warehouse):
    measured(warehouse, {"f": {2: 2.0, 4: 1.0}})
    ((formula, flags),) = rows(
        warehouse, "SELECT formula, flag_sentences(flags) FROM program_models"
    )
    assert formula is None and "no model: fewer than three counts (2)" in flags
    ((predicted, flags),) = rows(
        warehouse, "SELECT predicted, flag_sentences(flags) FROM program_predict(64)"
    )
    assert predicted is None and "no model: fewer than three counts (2)" in flags


def test_a_program_without_time_at_the_largest_count_has_no_model(warehouse):
    measured(warehouse, {"f": law((64, -1)) | {64: 0.0}})
    reason = "no model: no time was measured at the largest count"
    assert rows(warehouse, "SELECT predicted, flag_sentences(flags) FROM program_predict(512)") == [
        (None, [reason])
    ]
    assert rows(warehouse, "SELECT formula, flag_sentences(flags) FROM program_models") == [
        (None, [reason])
    ]
    assert rows(warehouse, "SELECT predicted, flag_sentences(flags) FROM scaling_predict(512)") == [
        (
            None,
            [
                "no model: 0 s at the largest counts, last above zero at 32 of 64",
                "zero times dropped",
            ],
        )
    ]


def test_cores_are_ranks_times_threads(warehouse):
    measured(warehouse, {"f": law((36, 0))})
    warehouse.execute("UPDATE runs SET threads = 6")
    assert rows(warehouse, "SELECT round(core_hours, 1) FROM program_predict(100)") == [(6.0,)]


def test_core_hours_of_nodes_whose_cores_are_unknown_are_unknown(warehouse):
    measured(warehouse, {"f": law((36, 0))})
    cost = "SELECT round(core_hours, 1), speedup IS NOT NULL FROM program_predict(100)"
    warehouse.execute("UPDATE runs SET nodes = ranks, ranks = NULL")
    assert rows(warehouse, cost) == [(None, True)]
    warehouse.execute("UPDATE runs SET threads = nodes")
    assert rows(warehouse, cost) == [(1.0, True)]
    warehouse.execute("UPDATE runs SET threads = 8")
    assert rows(warehouse, cost) == [(None, True)]
    warehouse.execute("UPDATE runs SET ranks = 12 * nodes")
    assert rows(warehouse, cost) == [(8.0, True)]


def test_a_sum_of_functions_states_how_much_of_it_is_in_doubt(warehouse):
    jump = dict(zip((2, 4, 8, 16, 32), (1.0, 1.1, 0.9, 1.0, 60.0), strict=True))
    measured(warehouse, {"f": jump, "g": jump})
    ((flags,),) = rows(warehouse, "SELECT flag_sentences(flags) FROM program_predict(64)")
    assert flags == [
        "100 % of the predicted time is of functions with a poor fit or not extrapolatable"
    ]


@pytest.mark.parametrize(
    ("function", "times"),
    [
        ("solve", {p: 64 / p + 0.4 * p**0.5 for p in (2, 4, 8, 16, 32)}),
        ("MPI_Allreduce", {p: [(2 + 0.3 * p) * (1 + 0.05 * i) for i in range(3)] for p in COUNTS}),
        ("jump", dict(zip((2, 4, 8, 16, 32), (1.0, 1.1, 0.9, 1.0, 60.0), strict=True))),
        ("few", {2: 5.0, 4: 3.0, 8: 2.0}),
    ],
)
def test_a_program_of_one_function_is_that_function(warehouse, function, times):
    measured(warehouse, {function: times}, size=float)
    counts = [2, 5, 8, 32, 33, 64, 500]
    program, alone = (
        rows(
            warehouse,
            f"SELECT parallelism, predicted, low, high FROM {macro}({counts}) ORDER BY parallelism",
        )
        for macro in ("program_predict", "scaling_predict")
    )
    assert program == alone
    models = "SELECT formula, parameters, r2, smape, cv_error, points, exponent, flags FROM "
    assert rows(warehouse, f"{models} program_models") == rows(
        warehouse, f"{models} scaling_models"
    )


def test_bands_of_a_sum_are_as_skewed_as_those_of_its_functions(warehouse):
    measured(warehouse, {"f": law((64, -1), (0.1, 1)), "g": law((64, -1), (0.1, 1))})
    ((low, high),) = rows(
        warehouse, "SELECT ln(predicted / low), ln(high / predicted) FROM program_predict(256)"
    )
    ((least, most),) = rows(
        warehouse,
        "SELECT ln(predicted / low), ln(high / predicted) FROM scaling_predict(256) LIMIT 1",
    )
    # of two equal functions with half correlated errors
    assert low == pytest.approx(least * 0.75**0.5) and high == pytest.approx(most * 0.75**0.5)


def test_the_turning_point_has_an_interval(warehouse):
    # 64 / p + 0.25 p is least at 16.
    measured(warehouse, {"f": law((64, -1), (0.25, 1))})
    ((fastest, low, high, flags),) = rows(
        warehouse, "SELECT fastest, low, high, flag_sentences(flags) FROM program_turning_points"
    )
    assert fastest == 16 and 12 < low < 16 < high < 22 and flags == []


def test_a_program_without_a_smooth_law_has_no_turning_point(warehouse):
    measured(warehouse, {"f": dict(zip(COUNTS, (1.0, 0.9, 9.0, 9.0, 9.0), strict=True))})
    ((fastest, low, high, flags),) = rows(
        warehouse, "SELECT fastest, low, high, flag_sentences(flags) FROM program_turning_points"
    )
    assert (fastest, low, high) == (4, None, None)
    assert [flag for flag in flags if flag.startswith("poor fit")]


@pytest.fixture
def crossed(warehouse):
    for size in (1000.0, 2000.0, 4000.0):
        functions = {"solve": law((2e-3 * size, -1)), "halo": law((0.01 * size**0.5, 0.5))}
        measured(warehouse, functions, size=lambda _, size=size: size)
    return warehouse


def test_two_parameters_are_modelled_where_sizes_cross_counts(crossed):
    assert rows(
        crossed,
        "SELECT function, formula, flag_sentences(flags) FROM scaling_surfaces ORDER BY ALL",
    ) == [
        ("halo", "0.01*p^0.5*n^0.5", []),
        ("solve", "0.002*p^-1*n", []),
    ]
    assert rows(
        crossed, "SELECT function, round(predicted, 3) FROM scaling_predict(64) ORDER BY ALL"
    ) == [
        ("halo", pytest.approx(0.01 * 4000**0.5 * 8, rel=0.02)),
        ("solve", pytest.approx(2e-3 * 4000 / 64, rel=0.02)),
    ]


def test_another_problem_size_is_predicted(crossed):
    assert rows(
        crossed,
        "SELECT function, problem_size, predicted, flag_sentences(flags) "
        "FROM scaling_predict_at([64], 8000) ORDER BY function",
    ) == [
        ("halo", 8000.0, pytest.approx(0.01 * 8000**0.5 * 8, rel=0.02), []),
        ("solve", 8000.0, pytest.approx(2e-3 * 8000 / 64, rel=0.02), []),
    ]


def test_a_size_far_off_is_flagged(crossed):
    found = rows(
        crossed, "SELECT DISTINCT flag_sentences(flags) FROM scaling_predict_at(64, 100000)"
    )
    assert found == [(["extrapolating far beyond the problem sizes 1000 to 4000"],)]


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        (lambda count: 1.0, "no model of the problem size: only 1 was run"),
        (lambda count: None, "no model of the problem size: it is not known"),
        (
            lambda count: 1.0 * count,
            "no model of the problem size: no two sizes were run at the same count",
        ),
    ],
)
def test_one_size_a_count_predicts_no_other(warehouse, size, reason):
    measured(warehouse, {"f": law((64, -1))}, size=size)
    assert rows(
        warehouse, "SELECT predicted, flag_sentences(flags) FROM scaling_predict_at(64, 5)"
    ) == [(None, [reason])]


def test_the_only_size_is_predicted(warehouse):
    measured(warehouse, {"f": law((64, -1))}, size=lambda count: 5.0)
    assert rows(
        warehouse,
        "SELECT round(predicted, 2), flag_sentences(flags) FROM scaling_predict_at(64, 5)",
    ) == [(1.0, [])]


def test_programs_of_random_sets_take_no_less_than_their_parts(warehouse):
    random = np.random.default_rng(52)
    lines, walls = ["run_id function parallelism seconds"], ["run_id app ranks wall_seconds"]
    for one in range(12):
        decay, growth, more = random.uniform(0.3, 1.1), random.uniform(0, 1.5), random.uniform(1, 2)
        for p in (2, 4, 8, 16, 32):
            noise = random.lognormal(0, 0.03, 2)
            parts = noise * (50 / p**decay, 0.1 * p**growth)
            lines += [f"r{one}.{p} solve {p} {parts[0]}", f"r{one}.{p} MPI_Bcast {p} {parts[1]}"]
            walls.append(f"r{one}.{p} a{one} {p} {parts.sum() * more}")
    given(warehouse, "runs", "\n".join(walls))
    given(warehouse, "fn_timings", "\n".join(lines))
    found = rows(
        warehouse,
        """
        SELECT count(*), count(*) FILTER (p.predicted >= f.seconds * (1 - 1e-9)),
          count(*) FILTER (p.low <= p.predicted AND p.predicted <= p.high)
        FROM program_predict([64, 256]) AS p
        JOIN (
          SELECT set_id, parallelism, sum(predicted) AS seconds
          FROM scaling_predict([64, 256])
          GROUP BY ALL
        ) AS f USING (set_id, parallelism)
        """,
    )
    assert found == [(24, 24, 24)]


def test_what_count_is_worth_it_is_settable(warehouse):
    # 64 / p + 1: doubling from 16 to 32 buys 5 / 3, from 32 to 64 it buys 3 / 2
    measured(warehouse, {"f": law((64, -1), (1, 0))})
    for gain, weight, expected in ((1.6, 1, (32, 64)), (1.49, 1, (64, 64)), (1.6, 3, (32, 23))):
        assert rows(
            warehouse, "SELECT doubling, cheapest FROM program_worth(?, ?)", gain, weight
        ) == [expected]


def test_efficient_counts_are_stored_with_their_interval(warehouse):
    # 64 / p + 1 is half as efficient as at 2 at 68
    measured(warehouse, {"f": law((64, -1), (1, 0))})
    ((about, low, high),) = rows(
        warehouse,
        "SELECT efficient, efficient_low, efficient_high FROM program_turning_points",
    )
    assert low <= about <= high and about == pytest.approx(68, abs=3)


def test_counts_near_the_largest_number_have_models_and_limits(warehouse):
    given(
        warehouse,
        "runs",
        "run_id app ranks\nr1 a 500000000\nr2 a 1000000000\nr3 a 2147483647",
    )
    times = ("r1 f 8\nr1 g 1", "r2 f 4\nr2 g 1", "r3 f 2\nr3 g 1")
    given(warehouse, "fn_timings", "run_id function seconds\n" + "\n".join(times))
    assert rows(
        warehouse,
        "SELECT exponent < 0, turning > 2147483647 FROM program_models "
        "JOIN program_turning_points USING (set_id)",
    ) == [(True, True)]


def test_calls_alone_divide_no_work_so_they_have_no_speedups(warehouse):
    times = {2: 1.0, 4: 2.0, 8: 3.0}
    measured(warehouse, {"MPI_Allreduce": times, "MPI_Barrier": times}, kind="n-to-n collective")
    assert rows(warehouse, "SELECT parameter_kind, assumed FROM scaling_sets") == [("calls", False)]
    (found,) = rows(
        warehouse, "SELECT predicted, speedup, efficiency, core_hours FROM program_predict([16])"
    )
    assert found == (pytest.approx(8.0, rel=0.1), None, None, None)
    assert rows(warehouse, "FROM speedup_laws") == []
    warehouse.execute("UPDATE runs SET wall_seconds = 100.0 / ranks")
    assert rows(warehouse, "SELECT parameter_kind FROM scaling_sets") == [("processes",)]
