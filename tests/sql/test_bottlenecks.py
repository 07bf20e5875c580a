"""Verdicts on samples: a person's word, abstention, and what they add up to."""

from __future__ import annotations

import pytest

from tests.helpers.support import given, rows

NO_SET = (
    "no metric of a known set can be made of its events: cycles, or what they divide, "
    "were not counted, or have names that event_aliases lacks"
)
CYCLES = """
    rank  sample  event   value
    0     0       cycles  100
    0     1       cycles  100
    0     2       cycles  100
    1     0       cycles  100
"""


def say(con, text):
    """Put labels there, each later than the one before."""
    header, *lines = text.strip().splitlines()
    for i, line in enumerate(lines):
        given(con, "bottleneck_labels", f"{header}\n{line}", said_at=f"2026-01-01 00:00:{i:02}")


def test_a_platform_without_a_model_is_unknown_and_says_so(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        sample  event         value
        0       cycles        100
        0       instructions  80
        0       mema          1
        0       gld           1
        """,
    )
    reason = "no model is fitted for the metrics of the set"
    assert rows(
        warehouse,
        "SELECT class, probability, model, frac_mem, flag_text(reason), metric_set "
        "FROM bottlenecks",
    ) == [("Unknown", None, None, None, f"{reason} sunway", "sunway")]


def test_counters_that_no_set_knows_are_unknown_once_a_sample(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        sample  event       value
        0       task-clock  100
        0       page-faults 80
        1       task-clock  100
        """,
    )
    assert rows(
        warehouse, "SELECT sample, class, flag_text(reason) FROM bottlenecks ORDER BY 1"
    ) == [
        (0, "Unknown", NO_SET),
        (1, "Unknown", NO_SET),
    ]


def test_what_a_person_says_comes_first(warehouse):
    given(warehouse, "pmu_samples", CYCLES)
    say(
        warehouse,
        """
        rank  sample  class    said_by
        NULL  NULL    Other    ann
        0     NULL    Mem      ann
        0     1       DTB      ann
        0     1       Balance  ben
        """,
    )
    assert rows(
        warehouse,
        "SELECT rank, sample, class, probability, model, said_by, flag_text(reason) "
        "FROM bottlenecks "
        "ORDER BY ALL",
    ) == [
        (0, 0, "Mem", None, None, "ann", None),
        (0, 1, "Balance", None, None, "ben", None),
        (0, 2, "Mem", None, None, "ann", None),
        (1, 0, "Other", None, None, "ann", None),
    ]


def test_a_word_on_a_region_is_on_all_its_samples(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        rank  region  sample  event   value
        0     solve   0       cycles  100
        1     solve   0       cycles  100
        0     io      0       cycles  100
        """,
    )
    say(warehouse, "region class\nsolve ICache")
    assert rows(warehouse, "SELECT region, rank, class FROM bottlenecks ORDER BY ALL") == [
        ("io", 0, "Unknown"),
        ("solve", 0, "ICache"),
        ("solve", 1, "ICache"),
    ]


def test_a_sample_is_labelled_where_it_has_no_rank(warehouse):
    given(warehouse, "pmu_samples", "sample event value\n0 cycles 9\n1 cycles 9")
    say(warehouse, "sample class\n1 DMA")
    assert rows(warehouse, "SELECT sample, class FROM bottlenecks ORDER BY 1") == [
        (0, "Unknown"),
        (1, "DMA"),
    ]


def test_advice_is_a_row_that_a_person_can_add(warehouse):
    given(warehouse, "pmu_samples", CYCLES)
    say(warehouse, "class\nMem")
    advice = "SELECT DISTINCT advice FROM bottlenecks"
    assert rows(warehouse, advice) == [("Use on-chip memory, blocking, reuse, prefetch.",)]
    given(warehouse, "bottleneck_rules", "class position profile advice\nMem 1 high buy")
    assert rows(warehouse, advice) == [("buy",)]


def test_summary_counts_processes_not_samples(warehouse):
    given(warehouse, "pmu_samples", CYCLES)
    say(warehouse, "rank sample class\n0 0 Mem\n0 1 Mem\n0 2 DTB\n1 0 Balance")
    assert rows(warehouse, "FROM bottleneck_summary ORDER BY class") == [
        ("r1", "Balance", 1),
        ("r1", "Mem", 1),
    ]
    assert rows(
        warehouse,
        "SELECT rank, class, samples, round(share, 3) FROM bottleneck_by_process ORDER BY rank",
    ) == [
        (0, "Mem", 2, 0.667),
        (1, "Balance", 1, 1.0),
    ]


def test_of_two_classes_with_as_many_samples_the_one_with_the_more_cycles_counts(warehouse):
    given(
        warehouse,
        "pmu_samples",
        """
        region  sample  event         value
        f       0       cycles        100
        f       0       instructions  90
        f       1       cycles        900
        f       1       instructions  90
        g       0       cycles        100
        g       0       instructions  90
        """,
    )
    say(warehouse, "region sample class\nf 0 Balance\nf 1 Mem\ng 0 DTB")
    assert rows(
        warehouse, "SELECT region, class, samples, cycles FROM bottleneck_by_region ORDER BY region"
    ) == [("f", "Mem", 1, 1000.0), ("g", "DTB", 1, 100.0)]
    assert rows(warehouse, "SELECT class FROM bottleneck_by_process") == [("Mem",)]


def tuned(con, *versions, app="fdtd"):
    """Put a run a version there: its class and its seconds."""
    for i, (version, kind, seconds) in enumerate(versions):
        run = f"{app}{i}"
        con.execute(
            "INSERT INTO runs (run_id, app, version, wall_seconds) VALUES (?, ?, ?, ?)",
            [run, app, version, seconds],
        )
        if kind is not None:
            given(con, "pmu_samples", "sample event value\n0 cycles 100", run_id=run)
            say(con, f"run_id class\n{run} {kind}")


HISTORY = (
    "SELECT step, version, class, seconds, round(gain_percent), round(gain_since_first_percent) "
    "FROM tuning_history ORDER BY app, step"
)


def test_history_gives_class_time_and_gain_version_by_version(warehouse):
    tuned(warehouse, ("v1", "Mem", 8.11), ("v2", "Mem", 2.0), ("v10", "Balance", 1.0))
    tuned(warehouse, ("1", None, 3.0), app="no counters")
    assert rows(warehouse, HISTORY) == [
        (1, "v1", "Mem", 8.11, None, 0),
        (2, "v2", "Mem", 2.0, 306, 306),
        (3, "v10", "Balance", 1.0, 100, 711),
    ]


def test_history_is_in_the_order_of_dates_where_all_have_one(warehouse):
    tuned(warehouse, ("new", "Mem", 4.0), ("old", "DTB", 8.0), ("mid", None, 5.0))
    for i, day in enumerate((3, 1, 2)):
        warehouse.execute(
            "UPDATE runs SET started_at = ? WHERE run_id = ?", [f"2026-01-0{day}", f"fdtd{i}"]
        )
    assert rows(warehouse, HISTORY) == [
        (1, "old", "DTB", 8.0, None, 0),
        (2, "mid", None, 5.0, 60, 60),
        (3, "new", "Mem", 4.0, 25, 100),
    ]


def test_history_compares_only_runs_of_one_machine_and_size(warehouse):
    tuned(warehouse, ("1", "Mem", 4.0), ("2", "Mem", 1.0))
    warehouse.execute("UPDATE runs SET machine = run_id")
    assert rows(warehouse, "SELECT machine, step, gain_percent FROM tuning_history ORDER BY 1") == [
        ("fdtd0", 1, None),
        ("fdtd1", 1, None),
    ]


def test_history_takes_the_time_of_the_samples_where_the_wall_time_is_unknown(warehouse):
    for run, version, end in (("a", "1", 4_000_000_000), ("b", "2", 2_000_000_000)):
        warehouse.execute(
            "INSERT INTO runs (run_id, app, version) VALUES (?, 'x', ?)", [run, version]
        )
        given(
            warehouse,
            "pmu_samples",
            f"t_start t_end event value\n0 1000000000 cycles 5\n1000000000 {end} cycles 5",
            run_id=run,
        )
    assert rows(warehouse, "SELECT seconds, gain_percent FROM tuning_history ORDER BY step") == [
        (4.0, None),
        (2.0, 100.0),
    ]


@pytest.mark.parametrize(
    "view",
    [
        "bottlenecks",
        "bottleneck_summary",
        "bottleneck_by_region",
        "pmu_standardised",
        "tuning_history",
        "sample_metrics",
        "metric_coverage",
    ],
)
def test_an_empty_warehouse_has_no_verdicts(warehouse, view):
    assert rows(warehouse, f"FROM {view}") == []
