"""`pwh explain`: the cause first, then the verdict and what changed with it."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

import warehouse
from tests.helpers.support import rows


@pytest.fixture
def ingested_once(demo_warehouse):
    """Return the demo's warehouse."""
    return demo_warehouse


def sentences(out):
    return [line[2:] for line in out.splitlines() if line.startswith("* ")]


def queries(out):
    return re.findall(r"^  SQL: (.*)$", out, re.MULTILINE)


@pytest.mark.parametrize("name", ["stencil-1.23", "stencil-1.28"])
def test_names_the_planted_cause_with_its_figures(name, pwh):
    code, out, err = pwh("explain", name, "--all")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == (
        "stencil: 8 runs, stencil-1.23 to stencil-1.30 against 14 runs, stencil-1.9 to "
        "stencil-1.22 (the last change of its series)"
    )
    assert sentences(out) == [
        "stencil-1.23 takes 17.8 % longer (+16.9 % to +18.7 %): sweep takes 25.5 % longer, 86.6 % "
        "of the loss, since it waits for main memory: 125 times the l3_misses at the same "
        "instructions.",
        "wall_seconds rose by 17.8 % at stencil-1.23 (version 1.23, 2026-11-02): 11.9 s -> 14 s, "
        "means (geometric where no value is 0 or less) of 14 runs before and 8 from then on, "
        "+16.9 % to +18.7 % at 95 %; beyond noise (p = 2.7e-06).",
        "86.6 % of the loss is in sweep: 7.2 s -> 9.03 s, it rose by 25.5 %.",
        "13.3 % of the loss is in exchange: 1.35 s -> 1.63 s, it rose by 20.9 %.",
        "Together these 2 functions explain 99.9 % of the loss.",
        "The bottleneck of sweep moved from Balance to Mem: main memory costs 1.62 % -> 35.5 % of "
        "its cycles at most.",
        "mem_writes per cycle rose to 106 times as much: 0.000126 -> 0.0134.",
        "mem_reads per cycle rose to 105 times as much: 0.00016 -> 0.0167.",
        "l3_misses per cycle rose to 105 times as much: 0.000159 -> 0.0167.",
        "instructions per cycle fell by 17.2 %: 1.71 -> 1.42.",
        "sweep scales worse: its time falls as p^-0.97, now falls as p^-0.72, so that twice the "
        "processes take 60.6 % of the time instead of 51.2 %.",
        "No notable change beyond noise in idle time (3 and 3 runs), threads (3 and 3 runs).",
    ]


def test_every_query_can_be_typed(pwh, demo_warehouse):
    _, out, _ = pwh("explain", "stencil-1.23", "--all", "--sql")
    found = queries(out)
    assert len(found) == len(sentences(out)) - 2
    with warehouse.connect(demo_warehouse, read_only=True) as con:
        for query in found:
            assert len(rows(con, query)) > 1
    code, shown, _ = pwh("sql", found[2], "-f", "csv")
    assert code == 0
    assert shown.splitlines()[0] == "run_id,seconds,share"
    assert len(shown.splitlines()) == 23
    _, out, _ = pwh("explain", "stencil-1.23")
    assert queries(out) == []
    assert len(sentences(out)) == 5
    assert "What changed" not in out
    assert out.endswith("All findings, figures and call paths: --all\n")


def test_the_ledger_adds_up(pwh):
    _, out, _ = pwh("explain", "stencil-1.23")
    ledger = out.partition("What the difference consists of\n")[2].partition("\n\n")[0]
    parts = [line.split("  ") for line in ledger.splitlines()[2:]]
    assert [part[0] for part in parts] == [
        "sweep",
        "exchange",
        "4 other parts",
        "wall_seconds (total)",
    ]
    differences = [float(re.search(r"[+-][0-9.]+", line)[0]) for line in ledger.splitlines()[2:]]
    assert sum(differences[:-1]) == pytest.approx(differences[-1], abs=0.02)
    query = """
        SELECT count(*), max(abs(off)) FROM (
          SELECT sum(l.difference) - any_value(e.after - e.before) AS off
          FROM difference_ledger AS l
          JOIN explanations AS e ON l.change_id = e.change_id AND l.total = e.metric
          WHERE e.topic = 'metric'
          GROUP BY l.change_id
        )
    """
    _, out, _ = pwh("sql", query, "-f", "csv")
    changes, off = out.splitlines()[1].split(",")
    assert int(changes) >= 1
    assert float(off) < 1e-9


def test_runs_on_both_sides_of_an_event_are_explained_by_its_runs(pwh):
    _, of_event, _ = pwh("explain", "stencil-1.23")
    title, _, answer = of_event.partition("\n")
    for sides in (
        ("stencil-1.29", "--against", "stencil-1.21"),
        ("stencil@1.23", "--against", "stencil@1.22"),
    ):
        code, out, _ = pwh("explain", *sides)
        assert code == 0
        assert out.partition("\n")[0] == title.replace(
            "the last change of its series",
            "event 2, on both sides of which the requested runs are: pwh events",
        )
        assert out.partition("\n")[2] == answer
    _, back, _ = pwh("explain", "stencil-1.21", "--against", "stencil-1.29")
    assert "14 runs, stencil-1.9 to stencil-1.22 against 8 runs" in back.partition("\n")[0]
    assert "sweep takes 20.3 % less, 86.6 % of the gain" in sentences(back)[0]


def test_runs_of_one_level_are_compared_as_asked(pwh):
    _, out, _ = pwh("explain", "stencil-1.29", "--against", "stencil-1.24")
    assert out.partition("\n")[0].endswith("(as requested)")
    assert len(sentences(out)) == 1
    assert "one run on each side" in sentences(out)[0]


def test_versions_are_explained_by_their_runs_that_are_alike(pwh):
    _, out, _ = pwh("explain", "stencil@1.23", "--against", "stencil@1.22")
    assert "sweep takes 25.5 % longer, 86.6 % of the loss" in sentences(out)[0]
    _, out, _ = pwh("explain", "stencil@1.23", "--against", "stencil@1.22", "--all")
    left_out = "Note: 10 runs of other configurations are left out: pwh compare has them."
    assert left_out in sentences(out)
    _, out, _ = pwh("compare", "stencil@1.22", "stencil@1.23")
    (line,) = (line for line in out.splitlines() if line.startswith("seconds:sweep (ranks=4)"))
    assert " +25.5 % " in line


def test_a_single_slow_run_is_distinguished_from_a_change(pwh):
    _, out, _ = pwh("explain", "sorter-2.6", "--all")
    assert (
        "The two sides differ for certain; their history shows no step yet: the 9 others of its "
        "series have 4.58 s to 4.66 s, "
        "median 4.61 s; this one has 7.45 s, outside of that range."
    ) in sentences(out)


def test_a_difference_beyond_noise_that_is_no_change_yet_is_placed_among_the_others(run, tmp_path):
    times = {"v1": (10.3, 10.2, 10.2, 10.2, 10.0), "v2": (11.7, 11.8, 11.6, 11.7, 11.7)}
    lines = [
        f"solver,{version},2026-03-0{day}T{hour:02}:00:00Z,{seconds}"
        for day, (version, every) in enumerate(times.items(), 1)
        for hour, seconds in enumerate(every)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["app,version,started_at,wall_seconds", *lines, ""]))
    assert run("ingest", str(path))[0] == 0
    assert "provisional since" in run("trend", "solver")[1]
    found = sentences(run("explain", "solver", "--all")[1])
    assert "beyond noise (p " in found[0]
    since = re.search(r"in 5 runs, (\S+) to", found[0])[1]
    assert found[1] == (
        f"In the history the step of +14.9 % since {since} is provisional: the 5 others of its "
        "series have 10 s to 10.3 s, median 10.2 s; this one has 11.7 s, outside "
        "of that range."
    )


def test_a_drift_is_told_that_no_two_versions_show(run, tmp_path):
    shake = (0.2, -0.1, 0.3, -0.3, 0.1, -0.2, 0.0)
    lines = [
        f"solver,{day},2026-01-{day:02}T06:00:00Z,{100 + day + shake[day % len(shake)]}"
        for day in range(1, 31)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["app,version,started_at,wall_seconds", *lines, ""]))
    assert run("ingest", str(path))[0] == 0
    drift = re.search(r"drifts, (.*)\.", run("trend", "solver")[1])[1]
    found = sentences(run("explain", "solver", "--all")[1])
    assert found[1].startswith(
        f"No step up to this run, but the series drifts, {drift}: the 29 others of its series have "
    )


def test_several_runs_to_compare_with(pwh):
    _, out, _ = pwh(
        *("explain", "stencil-1.12", "--all", "--against", "stencil-1.10"),
        *("--against", "stencil-1.11"),
    )
    assert "against 2 runs, stencil-1.10 to stencil-1.11 (as requested)" in out
    assert "Note: compiler" not in out
    _, out, _ = pwh("explain", "stencil-1.18", "--all", "--against", "stencil-1.12")
    assert "Note: changed, too: compiler from gcc-13.2 to gcc-13.3." in sentences(out)


def test_rows_for_programs(pwh):
    _, out, _ = pwh("explain", "stencil-1.23", "-f", "csv")
    found = list(csv.DictReader(io.StringIO(out)))
    assert found[0]["topic"] == "metric"
    _, out, _ = pwh("explain", "stencil-1.23", "-f", "json")
    cause, _, worst = json.loads(out)[1:4]
    assert (cause["topic"], cause["flags"][0]["code"]) == ("cause", "slower_memory")
    assert (worst["topic"], worst["subject"], worst["certain"]) == ("function", "sweep", True)
    assert worst["share"] == pytest.approx(0.866, abs=0.001)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("nothing",), 5, "there is no run 'nothing'"),
        (("sorter-2.1",), 5, "there is no run to compare sorter-2.1 with"),
        (("stencil-1.2",), 2, "runs begin with 'stencil-1.2'"),
        (("stencil-1.23", "--against", "nothing"), 5, "there is no run 'nothing'"),
        (("stencil-1.23", "--against", "stencil-1.23"), 2, "--against names"),
    ],
)
def test_what_is_refused(arguments, code, message, pwh):
    found, out, err = pwh("explain", *arguments)
    assert (found, out) == (code, "")
    assert message in err and "Traceback" not in err


def test_runs_with_nothing_in_common_are_no_explanation(run, tmp_path):
    (tmp_path / "f.csv").write_text("run_id,function,seconds\na,f,1\n")
    (tmp_path / "c.csv").write_text("run_id,event,value\nb,cycles,5\n")
    run("ingest", "f.csv", "c.csv")
    code, out, err = run("explain", "b", "--against", "a")
    assert (code, err) == (0, "")
    assert sentences(out)[0] == (
        "It is unknown how much slower: neither wall_seconds nor function times are known on both "
        "sides. The tag main_metric of the runs can name another metric; pwh compare shows those "
        "of both sides."
    )
    assert sentences(out)[1].startswith(
        "Not examined: functions (no function times after); counters (no counters before);"
    )


def test_a_change_of_a_benchmark_is_explained_where_nothing_else_is_known(run, tmp_path):
    lines = [
        f"r{i},lib,v{i},m,2026-01-{i + 1:02}T00:00:00Z,{name},{level * (1 + i % 3 / 100)},us,lower"
        for i in range(20)
        for name, level in (("parse", 5 if i < 12 else 7), ("sort", 4))
    ]
    heading = "run_id,app,version,machine,started_at,metric,value,unit,better"
    (tmp_path / "m.csv").write_text("\n".join([heading, *lines]) + "\n")
    run("ingest", "m.csv")
    _, out, _ = run("explain", "r17", "--all")
    assert out.startswith("lib: 8 runs, r12 to r19 against 12 runs, r0 to r11 (the last change of")
    first, second, *_ = sentences(out)
    assert first.startswith("metric:parse rose by 39.8 % at r12 (version v12, 2026-01-13): 5.05 µs")
    assert second == "No notable change beyond noise in other benchmarks (12 and 8 runs)."
    _, out, _ = run("sql", "SELECT DISTINCT run_id, main_metric FROM explanations", "-f", "csv")
    assert out.split() == ["run_id,main_metric", "r12,metric:parse"]
    first = sentences(run("explain", "r11", "--against", "r10")[1])[0]
    assert first == "The runs have no total time; they are compared by results of benchmarks."


def test_a_single_slow_run_of_a_benchmark_is_no_change_until_others_follow(run, tmp_path):
    lines = [
        f"r{i},lib,v{i},m,2026-01-{i + 1:02}T00:00:00Z,{name},{level * (1 + i % 3 / 100)},us,lower"
        for i in range(20)
        for name, level in (("sort", 4), ("parse", 5 if i < 18 else 7))
    ]
    heading = "run_id,app,version,machine,started_at,metric,value,unit,better"
    (tmp_path / "m.csv").write_text("\n".join([heading, *lines[:-2]]) + "\n")
    (tmp_path / "n.csv").write_text("\n".join([heading, *lines[-2:]]) + "\n")
    run("ingest", "m.csv")
    first, second, *_ = sentences(run("explain", "lib")[1])
    assert first.endswith("of their results of benchmarks 1 got worse beyond noise.")
    assert second == (
        "No lasting change up to this run: of metric:parse the 18 others of its series have 5 µs "
        "to 5.1 µs, median 5.05 µs; this one has 7 µs, outside of that range."
    )
    run("ingest", "n.csv")
    assert "provisional since run r18" in run("trend", "lib")[1]
    assert any(
        re.match(r"In the history the step of \+\S+ % since r18 is provisional: the 18 others", one)
        for one in sentences(run("explain", "lib")[1])
    )


def test_a_change_on_another_machine_is_none_of_the_run(run, tmp_path):
    lines = [
        f"solver,v{i},{machine},2026-03-{i + 1:02}T0{hour}:00:00Z,{10 + i % 3 / 10 + slower}"
        for i in range(20)
        for hour, (machine, slower) in enumerate((("m1", 2 * (i >= 18)), ("m2", 0)))
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["app,version,machine,started_at,wall_seconds", *lines, ""]))
    assert run("ingest", str(path))[0] == 0
    assert "provisional since" in run("trend", "solver")[1]
    out = run("explain", "latest")[1]
    assert "No lasting change up to this run: the 19 others of its series" in out


def test_a_change_of_a_counter_is_explained_where_nothing_else_is_known(run, tmp_path):
    lines = [
        f"r{i},spin,v{i},m,2026-01-{i + 1:02}T00:00:00Z,{name},{level * (100 + i % 3)}"
        for i in range(20)
        for name, level in (("LLC-misses", 5 if i < 12 else 7), ("branches", 4))
    ]
    heading = "run_id,app,version,machine,started_at,event,value"
    (tmp_path / "c.csv").write_text("\n".join([heading, *lines]) + "\n")
    run("ingest", "c.csv")
    _, out, _ = run("explain", "r17", "--all")
    assert out.startswith("spin: 8 runs, r12 to r19 against 12 runs, r0 to r11 (the last change of")
    first, second, *_ = sentences(out)
    assert first.startswith("counter:LLC-misses rose by 39.8 % at r12 (version v12, 2026-01-13)")
    assert second == "No notable change beyond noise in other counters (12 and 8 runs)."
    _, out, _ = run("sql", "SELECT run_id, topic, metric FROM explanations", "-f", "csv")
    assert out.split() == ["run_id,topic,metric", "r12,metric,counter:LLC-misses"]


def test_an_improvement_is_explained_too(run, tmp_path):
    lines = [
        f"r{i},x,{i},m,2026-01-{i + 1:02}T00:00:00Z,{name},{seconds * (1 + i % 3 / 100)}"
        for i in range(20)
        for name, seconds in (("slow", 6 if i < 10 else 3), ("same", 4))
    ]
    (tmp_path / "f.csv").write_text(
        "\n".join(["run_id,app,version,machine,started_at,function,seconds", *lines]) + "\n"
    )
    run("ingest", "f.csv")
    assert sentences(run("explain", "r15", "--all")[1]) == [
        "functions:seconds of r10 fell by 29.9 % (-30.5 % to -29.4 %): slow takes 50 % less, 100 % "
        "of the gain; why was not counted: neither its calls, nor instructions, nor time on the "
        "processor tell.",
        "functions:seconds fell by 29.9 % at r10 (version 10, 2026-01-11): 10.1 s -> 7.07 s, "
        "means (geometric where no value is 0 or less) of 10 runs before and 10 from then on, "
        "-30.5 % to -29.4 % at 95 %; beyond noise (p = 2.4e-06).",
        "100 % of the gain is in slow: 6.05 s -> 3.03 s, it fell by 50 %.",
        "Not examined: counters (no counters on either side); bottlenecks (no counters that a "
        "model knows on either side); scaling (no version measured on three counts on either "
        "side); idle time (no task trace on either side); threads (no block trace on either "
        "side).",
        "No counter of both sides says why, such as instructions: pwh record has them where perf "
        "stat can read them, and everywhere with --tool callgrind.",
    ]


def test_names_from_traces_cannot_break_out(run, tmp_path):
    name = "it's\x1b[31m; DROP TABLE runs"
    (tmp_path / "f.csv").write_text(
        f"run_id,app,version,function,seconds\na,x,1,{name},1\nb,x,2,{name},2\n"
    )
    run("ingest", "f.csv")
    code, out, err = run("explain", "b", "--sql", "--all")
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert "of the loss is in it's [31m; DROP TABLE runs: 1 s -> 2 s, it rose" in out
    assert "function = 'it''s [31m; DROP TABLE runs'" in out


def test_costs_in_cycles_are_not_set_against_seconds(run, tmp_path):
    for name, cycles in (("before", 6_000_000), ("after", 2_000_000)):
        path = tmp_path / f"{name}.csv"
        path.write_text(f"region,sample,event,value\nmain,0,cycles,{cycles}\n")
        run("ingest", str(path), "--app", "x", "--run", name, "--wall-seconds", f"{cycles / 1e6}")
    code, out, _ = run("explain", "after", "--against", "before", "--all")
    assert code == 0
    assert "100 % of the gain is in main: 6,000,000 cycles -> 2,000,000 cycles" in out
    assert "Note: functions changed by" not in out
    assert "* main takes 100 % of all cycles.\n" in run("report", "after")[1]


def test_more_instructions_are_no_loss_where_the_time_fell(run, tmp_path):
    for name, instructions, seconds in (("before", 45_000_000, 2), ("after", 51_000_000, 1)):
        path = tmp_path / f"{name}.csv"
        path.write_text(f"region,sample,event,value\nmul,0,Ir,{instructions}\n")
        run("ingest", str(path), "--app", "x", "--run", name, "--wall-seconds", str(seconds))
    out = run("explain", "after", "--against", "before", "--all")[1]
    assert "wall_seconds fell by 50 %" in out
    assert "100 % of the rise in instructions is in mul: 45,000,000 instructions -> " in out
    assert "loss" not in out


def test_times_and_costs_of_the_same_runs_are_told_apart(run, tmp_path):
    (tmp_path / "times.csv").write_text(
        "run_id,app,version,callpath,function,seconds\n"
        "t1,x,1,main->slow,slow,1\nt1,x,1,main->other,other,1\n"
        "t2,x,2,main->slow,slow,3\nt2,x,2,main->other,other,1\nt2,x,2,main->fresh,fresh,0.5\n"
    )
    (tmp_path / "costs.csv").write_text(
        "run_id,app,version,region,sample,event,value\n"
        "c1,x,1,main->hot,0,cycles,1000000\nc1,x,1,main->cold,0,cycles,3000000\n"
        "c2,x,2,main->hot,0,cycles,9000000\nc2,x,2,main->cold,0,cycles,2000000\n"
    )
    run("ingest", "times.csv", "costs.csv")
    out = run("explain", "t2", "--all")[1]
    # What is new in a single run is no stronger evidence than what takes longer.
    assert sentences(out)[1:6] == [
        "114 % of the loss is in hot: 1,000,000 cycles -> 9,000,000 cycles, it rose by 800 %.",
        "80 % of the loss is in slow: 1 s -> 3 s, it rose by 200 %.",
        "20 % of the loss is in fresh (new): 0 ms -> 500 ms.",
        "In the other direction, cold fell by 33.3 %: 3,000,000 cycles -> 2,000,000 cycles.",
        "Together these 2 functions explain 100 % of the loss in cycles.",
    ]
    assert sentences(out)[6] == "Together these 2 functions explain 100 % of the loss in time."
    trees = out.partition("Call tree (s)")[2].split("Call tree (cycles)")
    assert [("slow" in tree, "hot" in tree) for tree in trees] == [(True, False), (False, True)]
