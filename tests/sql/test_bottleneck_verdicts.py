"""The one verdict on runs, processes and regions: weights, ties, versions."""

from __future__ import annotations

import pytest

from apps.queries.base import ask_dicts
from apps.reports.bottlenecks import bottleneck_sentences
from tests.helpers.support import given, rows


def run(con, *samples, run_id="r1", **facts):
    """Write a run of samples (region, cycles, class) with manual labels; cycles may be None."""
    for i, (region, cycles, kind) in enumerate(samples):
        value = "page-faults 7" if cycles is None else f"cycles {cycles}\ninstructions 9"
        given(con, "pmu_samples", f"event value\n{value}", run_id=run_id, region=region, sample=i)
        place = {"run_id": run_id, "region": region, "said_at": "2026-01-01"}
        given(con, "bottleneck_labels", f"sample class\n{i} {kind}", **place)
    given(con, "runs", f"run_id\n{run_id}", **facts)


RUN = (
    "SELECT class, is_tie, round(share, 3), weighed_by FROM bottleneck_verdicts WHERE place = 'run'"
)


def test_a_long_sample_outweighs_many_short_ones(warehouse):
    run(warehouse, ("f", 900, "Mem"), ("f", 50, "Balance"), ("f", 50, "Balance"))
    assert rows(warehouse, RUN) == [("Mem", False, 0.9, "cycles")]


def test_metrics_and_stars_weigh_samples_as_the_verdict_does(warehouse):
    run(warehouse, ("f", 900, "Mem"), ("f", 50, "Balance"), ("f", 50, "Balance"))
    (ipc,) = (
        m for m in ask_dicts(warehouse, "bottlenecks/metrics", runs=["r1"]) if m["metric"] == "IPC"
    )
    assert (ipc["samples"], ipc["value"]) == (3, pytest.approx(27 / 4000))
    (glyph,) = ask_dicts(warehouse, "bottlenecks/glyphs", runs=["r1"], by="run", most=48)
    assert glyph["values"] == [pytest.approx(27 / 4000)]


def test_a_tie_names_both_in_every_place(warehouse):
    run(warehouse, ("f", 500, "Mem"), ("g", 500, "Balance"), app="a", version="1")
    assert rows(warehouse, RUN) == [("Balance or Mem", True, 1.0, "cycles")]
    assert bottleneck_sentences(warehouse, ["r1"])[0] == (
        "A tie: Balance or Mem (Balance 50 % and Mem 50 % of the cycles)."
    )
    (glyph,) = ask_dicts(warehouse, "bottlenecks/glyphs", runs=["r1"], by="run", most=48)
    assert glyph["class"] == "Balance or Mem"
    assert rows(warehouse, "SELECT class FROM tuning_history") == [("Balance or Mem",)]
    assert rows(warehouse, "SELECT class, processes FROM bottleneck_summary") == [
        ("Balance or Mem", 1)
    ]


def test_without_cycles_samples_weigh_by_their_time(warehouse):
    run(warehouse, ("f", None, "Mem"), ("f", None, "DTB"))
    warehouse.execute("UPDATE pmu_samples SET t_start = 0, t_end = 1000 + 9000 * sample")
    assert rows(warehouse, RUN) == [("DTB", False, 0.909, "seconds")]


def test_without_cycles_and_time_samples_weigh_the_same(warehouse):
    run(warehouse, ("f", None, "Mem"), ("f", None, "DTB"), ("f", None, "DTB"))
    assert rows(warehouse, RUN) == [("DTB", False, 0.667, "samples")]


def test_a_sample_without_cycles_among_others_weighs_their_mean(warehouse):
    run(warehouse, ("f", 100, "Mem"), ("f", 200, "Mem"), ("f", 0, "DTB"))
    assert rows(warehouse, RUN) == [("Mem", False, 0.667, "cycles")]


def test_where_regions_differ_the_sentence_says_which_has_which(warehouse):
    run(warehouse, ("solve", 700, "Mem"), ("io", 200, "Other"), ("init", 100, "Balance"))
    sentences = bottleneck_sentences(warehouse, ["r1"])
    assert sentences[:2] == [
        "Mem, main memory (70 % of the cycles, 1 of 3 samples, labelled by a person); "
        "also Other 20 %, Balance 10 %.",
        "Regions by their share of the cycles: solve Mem (70 %), io Other (20 %), init Balance "
        "(10 %).",
    ]
    assert [
        row["class"] for row in ask_dicts(warehouse, f"bottlenecks/by_{'region'}", runs=["r1"])
    ] == [
        "Mem",
        "Other",
        "Balance",
    ]


def test_the_reason_of_unknown_is_that_of_most_cycles(warehouse):
    for i, cycles in enumerate((900, 0, 0)):
        counts = f"event value\ncycles {cycles}\nuops 10\nmem_reads 9000000"
        given(warehouse, "pmu_samples", counts, sample=i)
    given(warehouse, "runs", "run_id\nr1")
    of_run = "SELECT class, flag_text(reason) FROM bottleneck_verdicts WHERE place = 'run'"
    ((kind, reason),) = rows(warehouse, of_run)
    assert kind == "Unknown" and "more than 1000 counts in a cycle" in reason
    first = bottleneck_sentences(warehouse, ["r1"])[0]
    assert f"Unknown (100 % of the cycles, 3 of 3 samples): {reason}; there is 1 other" in first


@pytest.mark.parametrize(
    ("dates", "newest"),
    [((None, None, None), "Balance"), (("2026-01-01", "2026-01-03", "2026-01-02"), "DTB")],
)
def test_old_versions_never_outvote_the_new_one(warehouse, dates, newest):
    kinds = (("1", "Mem", 9000), ("9", "DTB", 500), ("10", "Balance", 100))
    for (version, kind, cycles), date in zip(kinds, dates, strict=True):
        run(warehouse, ("f", cycles, kind), run_id=f"v{version}", app="a", version=version)
        warehouse.execute("UPDATE runs SET started_at = ? WHERE version = ?", [date, version])
    sentences = bottleneck_sentences(warehouse, ["v1", "v9", "v10"])
    version = {"Balance": "10", "DTB": "9"}[newest]
    meaning = {"Balance": "none stands out", "DTB": "address translation"}[newest]
    assert sentences[0] == (
        f"The runs of version {version}, the newest of 3: {newest}, {meaning} (the one sample, "
        "labelled by a person)."
    )
    history = rows(warehouse, "SELECT version, class FROM tuning_history ORDER BY step")
    assert history[-1] == (version, newest)
