"""`pwh compare`: what got slower, by how much, beyond noise."""

from __future__ import annotations

import json
import re

import pytest

from tests.helpers.histories import runs, write
from tests.helpers.schedules import write_schedule
from tests.helpers.simulated import Machine, simulate


@pytest.fixture(scope="module")
def ingested_once(ingested, folder):
    """Land versions of five runs each; in v2 stencil is slower, v3 is like v2."""
    lines = [
        *runs("v1", {"stencil": 10, "main": 2, "old": 1}, first_day=1, count=5),
        *runs("v2", {"stencil": 13, "main": 2, "young": 1}, first_day=11, count=5),
        *runs("v3", {"stencil": 13, "main": 2, "young": 1}, first_day=21, count=5),
        *runs("v3", {"stencil": 30, "main": 5}, first_day=21, count=5, machine="m2"),
    ]
    return ingested(write(folder / "t.csv", lines))


def test_verdicts_come_first(pwh):
    code, out, err = pwh("compare", "heat@v1", "heat@v2")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "heat@v1 (5 runs) to heat@v2 (5 runs)"
    assert lines[2].startswith("* functions:seconds: worse: +23")
    assert "at 95 %)." in lines[2]
    assert lines[3] == "* 1 metric is new: seconds:young (6.26 % of the time)."
    assert lines[4] == "* 1 metric is gone: seconds:old (7.7 % of the time)."
    assert lines[5].startswith("* 2 of 3 metrics got worse beyond the noise: functions:seconds +23")
    assert (
        "* Each run counts once: before and after are geometric means over runs, or means where a "
        "value is 0 or less; of six runs or more rare outliers are clipped." in lines
    )
    table = out[out.index("Functions\n") :].splitlines()
    assert [line.split()[:2] for line in table[3:5]] == [
        ["seconds:stencil", "worse"],
        ["seconds:young", "new"],
    ]


def test_equal_versions_show_nothing(pwh):
    _, out, _ = pwh("compare", "--app", "heat", "v2", "v3", "--metric", "seconds:*")
    assert "Nothing got worse beyond the noise; metrics compared: 3" in out
    assert "Left out, as measured only after: machine=m2." in out
    assert "worse  " not in out


def test_rows_for_programs(pwh):
    _, out, _ = pwh("compare", "heat@v2", "heat@v1", "-f", "json", "--metric", "seconds:stencil")
    (row,) = json.loads(out)
    # the runs of the level, which v2 and v3 are
    assert (row["verdict"], row["runs_before"], row["noise"]) == ("better", 10, "step")
    assert row["low"] < row["ratio"] < row["high"] < 1


def test_single_runs_take_their_noise_from_history(pwh):
    _, out, _ = pwh("compare", "v1-m1-0", "v2-m1-0", "--metric", "seconds:*")
    assert "* A single run shows no noise: that of " in out
    assert " is taken from the other runs of its history." in out
    # where the history has a step it is no single run any more
    assert "The history has a step between the two sides in 1 metric" in out


def test_single_runs_take_what_is_usual_for_such_metrics(pwh):
    code, out, _ = pwh("compare", "v3-m2-0", "v3-m2-1", "--metric", "seconds:*")
    assert code == 0
    assert (
        "that of 2 metrics is taken from what such metrics usually do between equal runs of this "
        "application." in out
    )


def test_without_a_noise_there_is_no_verdict(run, tmp_path):
    lines = [
        *runs("v1", {"f": 1}, first_day=1, count=1),
        *runs("v2", {"f": 2}, first_day=2, count=1),
    ]
    run("ingest", write(tmp_path / "t.csv", lines))
    code, out, _ = run("compare", "heat@v1", "heat@v2")
    assert code == 0
    assert (
        "* The noise between runs of 2 metrics is unknown, so there is no verdict: measure 4 more "
        "runs of each." in out
    )
    assert "worse" not in out


def test_sides_without_a_common_metric_cannot_be_compared(run, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"run_id,metric,value,unit\n{name},{name},1,s\n")
    run("ingest", "a.csv", "b.csv")
    _, out, _ = run("compare", "a", "b")
    assert out.splitlines()[2:5] == [
        "* Nothing can be compared: the sides have no metric in common.",
        "* 1 metric is new: metric:b.",
        "* 1 metric is gone: metric:a.",
    ]


def test_machines_that_differ_are_noted(pwh):
    _, out, _ = pwh("compare", "v3-m1-0", "v3-m2-0")
    assert "* Note: the sides differ in machine: m1 and m2." in out


@pytest.mark.parametrize(
    ("back", "told"),
    [(10, "do not differ beyond the noise"), (13, "differ by themselves: functions:seconds +30 %")],
)
def test_a_version_that_came_back_is_compared_with_itself(back, told, run, tmp_path):
    lines = []
    for at, (version, level) in enumerate((("v1", 10), ("v2", 12), ("v1", back))):
        part = runs(version, {"f": level}, first_day=1 + 6 * at, count=5)
        lines += [line.replace("-m1", f"-{at}", 1) for line in part]
    run("ingest", write(tmp_path / "t.csv", lines))
    for sides in (("heat@v1", "heat@v2"), ("heat@v2", "heat@v1")):
        _, out, _ = run("compare", *sides)
        assert "heat@v1 ran before and after heat@v2: its 5 runs before and 5 runs after" in out
        assert told in out


def test_a_wider_level_gives_a_wider_interval(pwh):
    def width(level):
        asked = ("compare", "heat@v1", "heat@v2", "--metric", "seconds:main", "-f", "json")
        (row,) = json.loads(pwh(*asked, "--level", level)[1])
        return row["high"] - row["low"]

    assert width("0.99") > width("0.9")


@pytest.mark.parametrize(
    ("names", "code", "message"),
    [
        (("nope", "heat@v1"), 5, "there is no run 'nope', and no APP or APP@VERSION"),
        (("--app", "heat", "v1", "v9"), 5, "heat has no version and no run 'v9'"),
        (("heat@v1", "v1-m1-0"), 2, "heat@v1 and v1-m1-0 are both the run v1-m1-0"),
        (("heat@v1", "v2"), 2, "5 runs begin with 'v2'"),
        (("heat@v1", "heat@v2", "--metric", "x"), 5, "have nothing in common to compare"),
        (("heat@v1", "heat@v2", "--level", "2"), 2, "--level"),
    ],
)
def test_what_is_refused(names, code, message, pwh):
    found, out, err = pwh("compare", *names)
    assert (found, out) == (code, "")
    assert message in err and "Traceback" not in err


def test_what_clocks_that_are_apart_spoil_is_not_compared(run, tmp_path):
    recorded = simulate(Machine(tasks=200, nodes=2, skew=4000, network=2), 3).recorded
    for version, nodes in (("v1", recorded["nodes"]), ("v2", [])):
        folder = write_schedule(tmp_path / version, {**recorded, "nodes": nodes})
        facts = ("--app", "a", "--version", version, "--machine", "m", "--run", version)
        assert run("ingest", folder, *facts)[0] == 0
    code, out, _ = run("compare", "v1", "v2")
    assert code == 0
    assert "* Note: the clocks of n0 and n1 are " in out
    compared = [line for line in out.splitlines() if line.startswith(("wall_seconds", "idle:"))]
    assert compared and all(" gone " in line for line in compared)
    kept = "SELECT run_id, metric FROM run_metrics WHERE metric LIKE 'tasks:%share' ORDER BY ALL"
    shares = ("tasks:busy_share", "tasks:idle_share", "tasks:tail_share")
    out = run("sql", kept, "--format", "csv")[1]
    assert out.split() == ["run_id,metric", *(f"v1,{share}" for share in shares)]
    out = run("explain", "v2", "--against", "v1")[1]
    assert "idle time (the clocks of nodes are apart)" in out
    assert run("gate", "a", "--baseline", "v1", "--candidate", "v2")[0] == 5


def test_repetitions_within_single_runs_are_the_noise_where_that_between_runs_is_unknown(
    run, tmp_path
):
    times = {"1": (50, 49, 52, 51, 50), "2": (40, 41, 39, 42, 40), "3": (41, 40, 43, 39, 41)}
    for version, milliseconds in times.items():
        result = {"command": "./prog", "times": [one / 1000 for one in milliseconds]}
        path = tmp_path / f"{version}.json"
        path.write_text(json.dumps({"results": [result]}))
        run("ingest", str(path), "--app", "x", "--version", version)
    out = run("compare", "x@1", "x@2")[1]
    assert re.search(r"^metric:./prog +better .* -19.8 %", out, re.MULTILINE)
    assert "from repetitions within the run: it holds for this machine at this time" in out
    assert "beyond the noise:" not in run("compare", "x@2", "x@3")[1]
    code, out, _ = run("gate", "x", "--baseline", "2", "--candidate", "1", "--limit", "10%")
    assert (code, "**worse**" in out) == (1, True)
