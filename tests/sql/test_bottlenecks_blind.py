"""Windows in a plain Parquet, judged by the model that ships."""

from __future__ import annotations

import duckdb
import pytest

from tests.helpers.support import given, land, rows, shared

MELT = """
    COPY (
      SELECT
        program || ' ' || args || ' ' || config AS run_id, 'gem5-' || config AS machine,
        "window" AS sample, event, CAST(value AS DOUBLE) AS value
      FROM (
        UNPIVOT (FROM '{windows}')
        ON COLUMNS(* EXCLUDE (
          program, args, config, clock_ghz, "window", family, label, label_certain, label_causal,
          frac_mem, frac_dtb, frac_icache, frac_dma
        ))
        INTO NAME event VALUE value
      )
    ) TO '{melted}'
"""
# A window of a kernel that strides over pages (10 000 instructions on the four-wide core A).
STRIDE = """
    event         value
    cycles        54594
    uops          17111
    issue_width   4
    l1i_accesses  446
    l2i_accesses  0
    l2i_misses    0
    itb_misses    0
    dtb_misses    909
    l3_misses     0
    mem_reads     0
    mem_writes    0
    dma_ops       0
    dma_bytes     0
    mispredicts   0
"""


def test_windows_of_a_plain_parquet_are_judged_by_the_shipped_model(warehouse, tmp_path):
    windows = shared("uarch/pmu_gem5_train.parquet")
    duckdb.execute(MELT.format(windows=windows, melted=tmp_path / "blind.parquet"))
    land(warehouse, tmp_path / "blind.parquet")
    ((samples, certain, right, unknown),) = rows(
        warehouse,
        f"""
        SELECT
          count(*), count(*) FILTER (label_certain),
          avg((class = label)::INTEGER) FILTER (label_certain),
          avg((class = 'Unknown')::INTEGER) FILTER (label_certain)
        FROM bottlenecks AS b
        JOIN '{windows}' AS w
          ON b.run_id = program || ' ' || args || ' ' || config AND b.sample = w."window"
        """,
    )
    assert (samples, certain) == (1456, 816)
    assert right >= 0.94
    assert unknown <= 0.05
    assert rows(
        warehouse,
        "SELECT DISTINCT model, metric_set, len(metrics_used) > 7 FROM bottlenecks",
    ) == [("bottlenecks/2", "gem5-l2", True)]


def test_a_verdict_has_probability_drivers_advice_and_cost_shares_with_bands(warehouse):
    given(warehouse, "pmu_samples", STRIDE, sample=0)
    ((kind, probability, model, driver, advice, reason, flags),) = rows(
        warehouse,
        "SELECT class, probability, model, drivers[1].metric, advice, flag_text(reason), "
        "flag_codes(flags) "
        "FROM bottlenecks",
    )
    assert (kind, model, driver, reason) == ("DTB", "bottlenecks/1", "DTBMPC", None)
    assert 0.5 < probability <= 1
    assert advice == "Order accesses, avoid large strides, use bigger pages."
    assert flags == ["single_sample"]
    ((low, share, high, memory),) = rows(
        warehouse, "SELECT frac_dtb_low, frac_dtb, frac_dtb_high, frac_mem FROM bottlenecks"
    )
    assert 0 <= low < share < high <= 1
    assert share > 0.5 > 0.1 > memory


def test_reads_that_a_prefetcher_made_in_time_are_no_bottleneck(warehouse):
    stream = STRIDE.replace("dtb_misses    909", "dtb_misses    20").replace(
        "mem_reads     0", "mem_reads     1600\n    l2d_misses    30"
    )
    stream = stream.replace("l3_misses     0", "l3_misses     1600")
    given(warehouse, "pmu_samples", stream.replace("uops          17111", "uops 81000"), sample=0)
    ((kind, model, flags, most),) = rows(
        warehouse, "SELECT class, model, flag_codes(flags), frac_mem_high FROM bottlenecks"
    )
    assert (kind, model) == ("Other", "bottlenecks/2")
    assert "hidden_mem" in flags
    assert most < 0.2


@pytest.mark.parametrize(("l3_misses", "kind"), [(20, "Other"), (2500, "Mem")])
def test_only_misses_that_memory_serves_are_a_bottleneck_of_memory(warehouse, l3_misses, kind):
    """A working set that fits into level 3 misses level 2 all the time, and reads no memory."""
    counts = {"cycles": 100000, "uops": 60000, "dtb_misses": 20, "l2d_misses": 2500}
    counts |= {"l3_misses": l3_misses, "mem_reads": l3_misses, "l1i_accesses": 4460}
    zero = dict.fromkeys((line.split()[0] for line in STRIDE.splitlines()[2:]), 0)
    text = "\n".join(f"{event} {value}" for event, value in (zero | counts).items())
    given(warehouse, "pmu_samples", f"event value\n{text.replace('width 0', 'width 4')}", sample=0)
    ((found, model, most),) = rows(warehouse, "SELECT class, model, frac_mem_high FROM bottlenecks")
    assert (found, model) == (kind, "bottlenecks/2")
    assert (most > 0.2) == (kind == "Mem")
    shown = rows(
        warehouse,
        """
        SELECT d.deviation, s.standardised
        FROM (SELECT unnest(drivers) AS d FROM bottlenecks)
        JOIN pmu_standardised AS s ON d.metric = s.metric
        """,
    )
    assert len(shown) == 3
    assert all(deviation == pytest.approx(value, abs=1e-4) for deviation, value in shown)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ({}, "no event but cycles was counted"),
        ({"mem_reads": 900, "mem_writes": 90}, "only events of main memory were counted"),
        ({"uops": 17111, "dtb_misses": 30000}, "outside the range of the training samples: DTBMPC"),
        ({"uops": 1}, "outside the range of the training samples: IPC"),
        ({"uops": 109000}, "no class is 60 % likely: Other or Balance"),
    ],
)
def test_unlike_what_was_learned_is_unknown_and_says_why(warehouse, counts, reason):
    lines = [line.split() for line in STRIDE.splitlines()[2:]]
    zero = {event: "0" for event, _ in lines} | {"cycles": "54594", "issue_width": "4"}
    text = "\n".join(f"{event} {value}" for event, value in (zero | counts).items())
    given(warehouse, "pmu_samples", f"event value\n{text}", sample=0)
    assert rows(warehouse, "SELECT class, flag_text(reason) FROM bottlenecks") == [
        ("Unknown", reason)
    ]
    (numbers,) = rows(warehouse, "SELECT probability, frac_mem, frac_dtb_high FROM bottlenecks")
    assert (numbers == (None, None, None)) == ("likely" not in reason)


@pytest.mark.parametrize(
    ("cycles", "counts", "reason"),
    [
        (1, {"uops": 1}, "too few cycles to tell a bottleneck of DMA from chance: about 2,100"),
        (100, {"uops": 40, "dtb_misses": 2}, "too few cycles to tell a bottleneck of data-TLB"),
        (
            1e6,
            {"uops": 984000, "l1i_accesses": 87700, "l2i_accesses": 59800, "mispredicts": 14600},
            "no class is 60 % likely: programs of the training with nearly equal counters were",
        ),
    ],
)
def test_what_counts_cannot_tell_apart_is_unknown(warehouse, cycles, counts, reason):
    zero = dict.fromkeys((line.split()[0] for line in STRIDE.splitlines()[2:]), 0)
    all_counts = zero | counts | {"cycles": cycles, "issue_width": 4}
    text = "\n".join(f"{event} {value}" for event, value in all_counts.items())
    given(warehouse, "pmu_samples", f"event value\n{text}", sample=0)
    ((kind, why),) = rows(warehouse, "SELECT class, flag_text(reason) FROM bottlenecks")
    assert kind == "Unknown"
    assert why.startswith(reason)


@pytest.mark.parametrize("missing", ["uops", "dtb_misses", "cycles"])
def test_without_an_event_that_the_model_needs_it_abstains_or_flags(warehouse, missing):
    lines = [line for line in STRIDE.splitlines() if line.split()[:1] != [missing]]
    given(warehouse, "pmu_samples", "\n".join(lines), sample=0)
    ((kind, reason, flags),) = rows(
        warehouse, "SELECT class, flag_text(reason), flag_codes(flags) FROM bottlenecks"
    )
    assert (kind == "Unknown" and reason) or "metrics_missing" in flags


def test_an_own_model_is_used_once_it_is_fitted_and_verdicts_are_one_a_sample(warehouse):
    from warehouse import models
    from warehouse.models import Fit

    given(warehouse, "pmu_samples", STRIDE, sample=0)
    shipped = models.in_force(warehouse, "bottlenecks", "gem5")
    ((inputs,),) = rows(
        warehouse, "SELECT inputs FROM models WHERE kind = 'bottlenecks' AND version = ?", shipped
    )
    arrays = models.load(warehouse, "bottlenecks", shipped)
    own = models.store(warehouse, Fit("bottlenecks", "gem5", "copy", inputs, "a copy", arrays))
    assert rows(warehouse, "SELECT class, model FROM bottlenecks") == [
        ("DTB", f"bottlenecks/{own}")
    ]
    models.choose(warehouse, "bottlenecks", shipped)
    assert rows(warehouse, "SELECT class, model FROM bottlenecks") == [
        ("DTB", f"bottlenecks/{shipped}")
    ]


def test_a_model_of_other_metrics_is_not_applied(warehouse):
    given(warehouse, "pmu_samples", STRIDE, sample=0)
    warehouse.execute("UPDATE models SET inputs = ['IPC'] WHERE kind = 'bottlenecks'")
    assert rows(warehouse, "SELECT class, flag_text(reason) FROM bottlenecks") == [
        ("Unknown", "no model is fitted for the metrics of the set gem5")
    ]
