"""`pwh trend`: since when, how much, how sure; fields and thresholds that the user chose."""

from __future__ import annotations

import csv
import io

import pytest

from apps.reports.changes import state_sentences
from tests.helpers.histories import SHAKE, runs, write


@pytest.fixture(scope="module")
def ingested_once(ingested, folder):
    """Land twenty runs on one machine, ten on another; stencil gets slower at v2."""
    lines = [
        *runs("v1", {"stencil": 10, "main": 2}, first_day=1),
        *runs("v2", {"stencil": 13, "main": 2}, first_day=11),
        *runs("v1", {"stencil": 30, "main": 5}, first_day=1, machine="m2"),
    ]
    return ingested(write(folder / "t.csv", lines))


def test_metrics_that_move_together_and_return_are_the_machine(run, tmp_path):
    usual, slow = ({f"f{n}": (10 + n) * by for n in range(8)} for by in (1, 1.3))
    lines = [
        *runs("v1", usual, first_day=1),
        *runs("v2", slow, first_day=11),
        *runs("v3", usual, first_day=21),
    ]
    run("ingest", write(tmp_path / "a.csv", lines))
    moved = "; what moved is the machine, rather than this program"
    for asked in (("trend", "heat"), ("trend", "heat", "--metric", "seconds:f3")):
        sentence = run(*asked)[1].splitlines()[2]
        assert (sentence[:1], sentence.endswith(f"{moved}.")) == ("*", True)
    assert run("explain", "v2-m1-0")[1].splitlines()[0].endswith(f"{moved})")
    asked = "SELECT moved FROM change_events WHERE direction = 'worse'"
    assert run("sql", asked, "--format", "csv")[1].split() == ["moved", "machine"]


def test_the_verdict_comes_first_then_chart_and_tables(pwh):
    code, out, err = pwh("trend", "heat", "--machine", "m1")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "History of heat (machine=m1)"
    assert lines[2].startswith("* functions:seconds: +25 %, worse, since run v2-m1-0, version v2")
    assert lines[3].startswith(
        "* seconds:stencil: +30 %, worse, since run v2-m1-0, version v2, 2026-01-11: "
        "10 s before, 13 s after (p "
    )
    assert "seconds:main" not in out
    chart = lines.index(next(line for line in lines if "one block per run" in line))
    assert lines[chart + 1].strip()[:2] in ("▁▂", "▁▁") and len(lines[chart + 1].strip()) == 20
    assert lines[chart + 2] == "  " + " " * 10 + "^"
    assert "Changes\nmetric" in out and "Series\nmetric" in out


def test_a_metric_can_be_asked_for(pwh):
    _, out, _ = pwh("trend", "heat", "--metric", "seconds:m*")
    for machine, runs_, median in (("m1", 20, 2), ("m2", 10, 5)):
        assert (
            f"* seconds:main (machine={machine}): no change in {runs_} runs; the median is "
            f"{median} s; a change of "
        ) in out
    assert "stencil" not in out


def test_rows_for_programs_are_the_points(pwh):
    _, out, _ = pwh("trend", "heat", "--metric", "seconds:stencil", "--machine", "m1", "-f", "csv")
    found = list(csv.DictReader(io.StringIO(out)))
    assert [row["run_id"] for row in found][9:11] == ["v1-m1-9", "v2-m1-0"]
    assert [row["direction"] for row in found] == [*[""] * 10, "worse", *[""] * 9]


@pytest.mark.usefixtures("changeable")
def test_fields_are_for_one_question_or_kept(pwh):
    _, out, _ = pwh("trend", "heat", "--by", "none", "--metric", "seconds:main")
    assert "seconds:main: " in out and "30 runs" in out
    assert "Note: a series has 2 values of machine (m1, m2)" in out
    _, out, _ = pwh("trend", "heat", "--metric", "seconds:main")
    assert "(machine=m1)" in out and "Note" not in out
    code, _, err = pwh("trend", "heat", "--by", "none", "--keep", "--metric", "seconds:main")
    assert (code, "stored in series_fields" in err) == (0, True)
    _, out, _ = pwh("trend", "heat", "--metric", "seconds:main")
    assert "(machine=m1)" not in out


@pytest.mark.usefixtures("changeable")
def test_thresholds_are_for_one_question_or_kept(pwh):
    asked = ("trend", "heat", "--machine", "m1", "--metric", "seconds:stencil")
    assert "no change in 20 runs" in pwh(*asked, "--threshold", "40%")[1]
    assert "+30 %, worse" in pwh(*asked)[1]
    assert "+30 %, better" in pwh(*asked, "--better", "higher", "--keep")[1]
    assert "+30 %, better" in pwh(*asked)[1]
    _, out, _ = pwh(
        "sql",
        "SELECT app, machine, metric, better FROM change_thresholds WHERE NOT shipped",
        "-f",
        "csv",
    )
    assert out.splitlines()[1:] == ["heat,m1,seconds:stencil,higher"]


def test_early_word_and_bursts_are_told(run, tmp_path):
    good, bad = {"f": 10.0, "g": 5.0}, {"f": 30.0, "g": 5.0}
    lines = [
        *runs("v1", good, first_day=1, count=9),
        *runs("v2", bad, first_day=10, count=3),
        *runs("v3", good, first_day=13),
        *runs("v4", {"f": 12.0, "g": 5.0}, first_day=23, count=3),
    ]
    run("ingest", write(tmp_path / "t.csv", lines))
    _, out, _ = run("trend", "heat", "--metric", "seconds:f")
    first, second, *_ = out.splitlines()[2:]
    assert first.startswith(
        "* seconds:f: +20.1 %, worse, provisional since run v4-m1-0, version v4"
    )
    assert first.endswith("; versions v3..v4; 2 more runs at that level would confirm it.")
    assert second == (
        "* seconds:f: 3 runs disturbed, v2-m1-0 to v2-m1-2, 2026-01-10 to 2026-01-12: "
        "30 s instead of 9.99 s; no change."
    )
    _, out, _ = run("trend", "heat", "--metric", "seconds:f", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["run_id"] for row in rows if row["disturbed"] == "true"] == [
        f"v2-m1-{i}" for i in range(3)
    ]
    ((run_id, certainty, more),) = (
        (row["run_id"], row["certainty"], row["more_runs"]) for row in rows if row["certainty"]
    )
    assert (run_id, certainty, more) == ("v4-m1-0", "provisional", "2")


@pytest.mark.usefixtures("changeable")
def test_an_acknowledged_change_stays_so_and_can_be_opened_again(pwh):
    asked = ("trend", "heat", "--metric", "seconds:stencil", "--machine", "m1")
    code, out, _ = pwh("ack", "v2-m1-1", "expected", "--note", "new mesh", "--by", "ada")
    assert code == 0 and out.startswith("v2-m1-1: 2 changes acknowledged\n* ")
    assert "versions v1..v2. Acknowledged as expected: new mesh." in pwh(*asked)[1]
    assert "no change is found there" in pwh("ack", "v1-m2-3", "noise")[1]
    assert "Acknowledged as fixed in v3." in pwh("ack", "v2-m1-0", "fixed", "--in", "v3")[1]
    assert pwh("ack", "v2-m1-0", "open")[1] == "1 acknowledgement of v2-m1-0 removed\n"
    assert "as expected" in pwh(*asked)[1]
    assert pwh("ack", "v2-m1-9", "invalid")[1] == "v2-m1-9 is no longer in any series\n"
    assert "10 s before, 13 s after" in pwh(*asked)[1] and "    19  " in pwh(*asked)[1]
    code, _, err = pwh("ack", "v2-m1-0", "fixed")
    assert (code, "fixed and --in belong together" in err) == (2, True)


@pytest.mark.usefixtures("changeable")
def test_an_event_is_acknowledged_by_its_id_and_shown_when_it_is_withdrawn(pwh):
    asked = ("sql", "SELECT event_id, run_id, acknowledged FROM change_events", "-f", "csv")
    first = next(csv.DictReader(io.StringIO(pwh(*asked)[1])))
    event = f"event:{first['event_id']}"
    code, out, _ = pwh("ack", event, "expected")
    assert code == 0 and out.startswith(f"{first['run_id']}: ")
    assert "expected" in pwh(*asked)[1]
    assert pwh("ack", event, "open")[1] == f"1 acknowledgement of {event} removed\n"
    for unknown in ("event:999", "event:x", "event:"):
        code, _, err = pwh("ack", unknown, "noise")
        assert code == 5 and "there is no event" in err
    assert "withdrawn" not in pwh("trend", "heat")[1]
    pwh("trend", "heat", "--threshold", "900%", "--keep")
    shown = pwh("trend", "heat")[1]
    assert "withdrawn" in shown and "later runs show no change there" in shown


def test_what_a_series_is_like_is_told():
    state = {"points": 30, "unit": "s", "smallest_visible": 0.42, "level": 2.0, "drift": None}
    state |= {"state": "noisy", "high_share": None, "low": 1.0, "high": 2.0}
    state |= {"latest_outlier": None, "latest_outlier_run_id": "r", "overall_change": 0.4}
    state["changes"] = 0
    assert state_sentences("x", state, quiet=True) == [
        "x: no change in 30 runs; the median is 2 s; noisy: only a change of 42 % or more would be "
        "seen."
    ]
    assert state_sentences("x", state, quiet=False) == []
    gradual = state | {"overall_change": 0.5}
    assert state_sentences("x", gradual, quiet=True)[0].startswith(
        "x: no step in 30 runs, but the last 7 runs are +50 % from the first 7 runs; the median is"
    )
    modes = state | {"state": "alternating", "high_share": 0.25}
    assert state_sentences("x", modes, quiet=False) == [
        "x: bimodal, two levels alternate: 1 s in 75 % of the runs, 2 s in 25 %."
    ]
    drift = state | {"state": "drifting", "drift": -0.2, "smallest_visible": 0}
    assert state_sentences("x", drift, quiet=True) == [
        "x: drifts, -20 % over 30 runs.",
        "x: no step in 30 runs; the median is 2 s; any other value would be seen.",
    ]
    assert state_sentences("x", state | {"latest_outlier": 9.0}, quiet=True)[1] == (
        "x: the latest run, r, has 9 s, far from 2 s and from all runs before. A single run "
        "may be an outlier: another shows whether it lasts."
    )
    wandering = state | {"state": "wandering", "smallest_visible": None}
    assert state_sentences("x", wandering, quiet=True)[0].endswith(
        "; wandering, each run is like the one before: no change would be seen."
    )
    short = state | {"points": 6, "state": "short"}
    assert state_sentences("x", short, quiet=True) == [
        "x: 6 runs, of 10 that are needed to detect changes. With 10, a change of 42 % or more "
        "would be seen at this noise."
    ]


def test_changes_at_one_version_are_one_event(pwh):
    _, out, _ = pwh("trend", "heat")
    lines = out.split("Events: what changed together\n")[1].splitlines()
    assert lines[2].split() == [
        *("1", "2026-01-11", "v2-m1-0", "functions:seconds", "+25", "%", "worse", "1"),
        *("versions", "v1..v2", "version", "-"),
    ]


def test_short_series_are_reported(run, tmp_path):
    run("ingest", write(tmp_path / "t.csv", runs("v1", {"f": 1}, first_day=1, count=4)))
    _, out, _ = run("trend", "heat")
    assert "4 runs, of 10 that are needed to detect changes." in out
    # the heading has what all series have in common
    assert out.startswith("History of heat (machine=m1)") and "fields" not in out
    of_each = [f"r{n},study,2026-01-0{n},{n},f,{n}" for n in range(1, 5)]
    heads = "run_id,app,started_at,ranks,function,seconds"
    (tmp_path / "s.csv").write_text("\n".join([heads, *of_each, ""]))
    run("ingest", tmp_path / "s.csv")
    _, out, _ = run("trend", "study")
    assert "* 4 series have 1 run each, of 10 that are needed to detect changes." in out
    assert "one block per run" not in out


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("nope",), 5, "there are no runs of 'nope'"),
        (("heat", "--metric", "counter:*"), 5, "heat has no series of counter:*"),
        (("heat", "--machine", "m9"), 5, "heat has no series on m9"),
        (("heat", "--threshold", "x"), 2, "--threshold 'x' is not a share"),
        (("heat", "--significance", "2"), 2, "--significance 2 is not a probability"),
        (("heat", "--keep"), 2, "--keep has nothing to store"),
    ],
)
def test_what_is_refused(options, code, message, pwh):
    found, out, err = pwh("trend", *options)
    assert (found, out) == (code, "")
    assert message in err and "Traceback" not in err


def test_runs_without_a_date_have_no_order(run, tmp_path):
    (tmp_path / "t.csv").write_text("run_id,app,function,seconds\nr,heat,f,1\nq,heat,f,1\n")
    run("ingest", "t.csv")
    code, _, err = run("trend", "heat")
    assert (code, "the start of every run of heat is unknown" in err) == (5, True)


def test_runs_of_one_moment_have_no_order(run, tmp_path):
    lines = [f"1,{variant},{time}" for variant, time in (("a", 10), ("b", 14)) for _ in range(12)]
    (tmp_path / "t.csv").write_text("\n".join(["threads,variant,time_s", *lines, ""]))
    run("ingest", "t.csv", "--app", "heat", "--started-at", "2026-01-31")
    code, _, err = run("trend", "heat")
    assert (code, "all runs of heat started at one time" in err) == (5, True)


def in_units(folder, app, *units):
    """Write 14 runs of one metric, 10 s or 10 GB, in each of the units."""
    lines = [
        f"{app}{i},{app},{i},m,2026-01-{i + 1:02},size,{value},{unit}"
        for i, (value, unit) in enumerate(one for one in units for _ in range(14 // len(units)))
    ]
    path = folder / f"{app}.csv"
    path.write_text("\n".join(["run_id,app,version,machine,started_at,metric,value,unit", *lines]))
    path.write_text(path.read_text() + "\n")
    return path


def test_times_are_one_series_whatever_their_unit(run, tmp_path):
    run("ingest", in_units(tmp_path, "times", (10, "s"), (10_000, "ms")))
    _, out, _ = run("trend", "times")
    assert "* metric:size: no change in 14 runs; the median is 10 s; any other value" in out
    # 10 may be 9.5 as well as 10.5
    assert "uncertain" in run("compare", "times0", "times13")[1]


def test_values_in_several_units_are_no_series(run, tmp_path):
    run("ingest", in_units(tmp_path, "memory", (10_000, "MB"), (10, "GB")))
    code, out, err = run("trend", "memory")
    assert (code, out) == (5, "")
    assert "metric:size is in several units (GB, MB), the newest since run memory7" in err
    code, _, err = run("compare", "memory0", "memory13")
    assert code == 5 and "They share no metric in one unit" in err


def test_an_order_by_the_time_of_files_is_told(run, tmp_path):
    for i, started in enumerate(("", "2026-01-01", "")):
        path = tmp_path / f"r{i}.csv"
        path.write_text(f"metric,value,unit\nsize,{i},GB\n")
        run("ingest", path, "--app", "sizes", *(["--started-at", started] if started else []))
    note = "Note: when 2 of 3 runs started is known only from the last change of their files"
    assert note in run("trend", "sizes")[1]
    run("ingest", tmp_path / "r0.csv", "--app", "other", "--started-at", "2026-01-02", "--replace")
    assert "Note" not in run("trend", "other")[1]


def test_runs_that_nothing_dates_are_told(run, tmp_path):
    path = tmp_path / "versions.csv"
    path.write_text("app,version,time_s\nold,1.0,3.5\nold,1.1,3.7\n")
    run("ingest", path)
    path = tmp_path / "size.csv"
    path.write_text("metric,value,unit\nsize,1,GB\n")
    run("ingest", path, "--app", "old", "--started-at", "2026-01-01")
    note = "Note: it is unknown when 2 runs started, so that no series has them"
    assert note in run("trend", "old")[1]


def test_an_acknowledgement_has_the_sentence_of_the_trend(run, tmp_path):
    lines = ["run_id,app,version,machine,started_at,function,seconds"]
    for day in range(24):
        # one version was measured before an earlier one: the order may not be that of the code
        version = {5: 6, 6: 5}.get(day, day)
        seconds = (10.0 if day < 12 else 13.0) * SHAKE[day % len(SHAKE)]
        lines.append(f"r{day},heat,{version},m,2026-01-{day + 1:02}T06:00:00Z,f,{seconds}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    run("ingest", tmp_path / "t.csv")
    trend = run("trend", "heat", "--metric", "seconds:f")[1].splitlines()
    (change,) = (line for line in trend if line.startswith("* seconds:f: +"))
    assert "in the order of measurement since" in change
    stored = run("ack", "r12", "noise", "--metric", "seconds:f")[1]
    assert f"{change} Acknowledged as noise." in stored.replace(" (machine=m)", "")
