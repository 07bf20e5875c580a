"""`pwh gate`: closed only where a regression beyond the limit is certain."""

from __future__ import annotations

import json

import pytest

from apps.output.text import markdown_escaped
from apps.reports.gate import gate_result
from tests.helpers.histories import SHAKE, runs, write
from tests.helpers.support import given, keep


@pytest.fixture(scope="module")
def ingested_once(ingested, folder):
    """Land versions of five runs: v2 is like v1, v3 is 20 % slower in stencil."""
    lines = [
        *runs("v1", {"stencil": 10, "main": 2}, first_day=1, count=5),
        *runs("v2", {"stencil": 10, "main": 2}, first_day=11, count=5),
        *runs("v3", {"stencil": 12, "main": 2}, first_day=21, count=5),
    ]
    return ingested(write(folder / "t.csv", lines))


def test_a_certain_regression_fails_the_gate(pwh):
    code, out, err = pwh("gate", "heat", "--baseline", "v2")
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == "## heat: regression"
    assert lines[2].startswith("Certainly worse than the limit allows: functions:seconds +16")
    # what all have in common is stated once
    assert "Baseline v2 (5 runs), candidate latest: v3 (5 runs), machine=m1." in out
    table = [line for line in lines if line.startswith("|")]
    assert table[0].count("|") == table[2].count("|") == 8
    assert table[2].startswith("| functions:seconds | **worse** | 12 s | 14 s |")
    assert any(line.startswith("| seconds:main | fine |") for line in table)


def test_the_summary_says_what_moved_and_why(run, tmp_path):
    table = ["run_id,app,version,machine,started_at,commit,function,seconds"]
    for day in range(24):
        seconds = (10.0 if day < 16 else 12.0) * SHAKE[day % len(SHAKE)]
        table.append(
            f"r{day},heat,{day // 8},m,2026-01-{day + 1:02}T06:00:00Z,{day:040x},stencil,{seconds}"
        )
    file = tmp_path / "t.csv"
    file.write_text("\n".join(table) + "\n")
    assert run("ingest", file)[0] == 0
    page = f"https://example.org/heat/commit/{15:040x}"
    run(
        "sql",
        "--write",
        'INSERT INTO commits (repository, "commit", url) SELECT \'\', "commit", '
        "if(version = '1', 'https://example.org/heat/commit/', 'javascript:') || \"commit\" "
        "FROM runs",
    )
    code, out, _ = run("gate", "heat")
    reason = out.splitlines()[2]
    assert code == 1
    assert f"What moved: the code; commits [0000000000]({page}) to 0000000000. " in reason
    # the first sentence of pwh explain
    first = run("explain", "r23")[1].splitlines()[2].removeprefix("* ")
    assert first and markdown_escaped(first) in reason
    code, out, _ = run("gate", "heat", "--candidate", "1")
    assert (code, "What moved" in out) == (0, False)


def test_runs_of_one_commit_are_one_candidate(run, tmp_path):
    lines = ["run_id,app,machine,started_at,commit,function,seconds"]
    for day in range(15):
        seconds = (10.0 if day < 12 else 12.0) * SHAKE[day % len(SHAKE)]
        commit = f"{min(day, 12) + 0xABCDEF0:07x}{0:033}"
        lines += [f"r{day},heat,m,2026-01-{day + 1:02}T06:00:00Z,{commit},f,{seconds}"]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    assert run("ingest", tmp_path / "t.csv")[0] == 0
    code, out, _ = run("gate", "heat")
    assert code == 1 and "(3 runs)" in out
    code, out, _ = run("gate", "heat", "--candidate", f"{11 + 0xABCDEF0:07x}")
    assert code == 0 and "(1 run)" in out


def test_runs_of_another_branch_are_no_baseline(run, tmp_path):
    lines = ["run_id,app,version,machine,started_at,branch,function,seconds"]
    for day in range(12):
        seconds = 10.0 * SHAKE[day % len(SHAKE)]
        at = f"2026-01-{day + 1:02}T06:00:00Z"
        lines += [f"m{day},heat,v{day},m,{at},main,f,{seconds}"]
        lines += [f"t{day},heat,t{day},m,{at},topic,f,{seconds * 1.5}"] * (day < 11)
    file = tmp_path / "t.csv"
    file.write_text("\n".join(lines) + "\n")
    assert run("ingest", file)[0] == 0
    # One of topic started with the last of main before the candidate.
    for baseline in ((), ("--baseline", "last:5")):
        code, out, err = run("gate", "heat", "--candidate", "v11", *baseline)
        assert (code, err) == (0, ""), baseline
    assert "last:5 (5 runs)" in out
    code, out, _ = run("gate", "heat", "--candidate", "t10")
    assert "| seconds:f | **run it again** |" in out or "| seconds:f | **worse** |" in out


def test_a_change_on_one_machine_is_judged_by_the_latest_runs_there(warehouse):
    days = [f"{m}{day} x {m} main 2026-01-{day}" for m in ("m1", "m2") for day in range(10, 30)]
    # what is newer on another branch is none of them
    days += ["last x m2 main 2026-02-01", *(f"t{at} x m2 topic 2026-02-0{at}" for at in (2, 3))]
    given(warehouse, "runs", "\n".join(["run_id app machine branch started_at", *days]))
    times = [f"m1{day} f {1 + (day > 19) + day % 3 / 100}" for day in range(10, 30)]
    times += [f"m2{day} f {1 + day % 3 / 100}" for day in range(10, 30)]
    given(
        warehouse,
        "fn_timings",
        "\n".join(["run_id function seconds", *times, "last f 1.01", "t2 f 2", "t3 f 2"]),
    )
    keep(warehouse)
    assert gate_result(warehouse, "x", "functions:seconds", "m120") == "fails"
    assert gate_result(warehouse, "x", "functions:seconds", "m220") == "passes"


def test_the_gate_of_an_event_is_that_of_its_metric_though_its_name_is_a_pattern(warehouse):
    runs = "\n".join(f"r{day} x m main 2026-01-{day}" for day in range(10, 30))
    given(warehouse, "runs", f"run_id app machine branch started_at\n{runs}")
    times = [f"r{day} operator* {1 + day % 3 / 100}" for day in range(10, 30)]
    times += [f"r{day} operator*= {1 + (day > 19) + day % 3 / 100}" for day in range(10, 30)]
    given(warehouse, "fn_timings", "\n".join(["run_id function seconds", *times]))
    keep(warehouse)
    assert gate_result(warehouse, "x", "seconds:operator*=", "r20") == "fails"
    assert gate_result(warehouse, "x", "seconds:operator*", "r20") == "passes"


def test_a_comment_for_a_pull_request_has_the_verdict_first(pwh):
    code, out, _ = pwh("gate", "heat", "--baseline", "v2", "--pr-comment")
    marker, verdict, _, reason, _, *rest = out.splitlines()
    assert (code, marker, verdict) == (1, "<!-- pwh gate heat -->", "**heat: regression**")
    assert reason.startswith("Certainly worse than the limit allows: functions:seconds")
    shown, folded = "\n".join(rest).split("<details>")
    assert "**worse**" in shown and "| fine |" not in shown
    assert "| fine |" in folded and folded.endswith("</details>")

    code, out, _ = pwh("gate", "heat", "--baseline", "v1", "--candidate", "v2", "--pr-comment")
    shown, folded = out.split("<details>")
    assert (code, "|" in shown, "| fine |" in folded) == (0, False, True)
    assert (
        "Leave --format out"
        in pwh("gate", "heat", "--baseline", "v1", "--pr-comment", "-f", "csv")[2]
    )


def test_equal_versions_pass(pwh):
    code, out, _ = pwh("gate", "heat", "--baseline", "v1", "--candidate", "v2")
    assert code == 0
    assert out.startswith("## heat: no certain regression\n")


def test_an_improvement_passes(pwh):
    assert pwh("gate", "heat", "--baseline", "v3", "--candidate", "v1")[0] == 0


@pytest.mark.usefixtures("changeable")
def test_acknowledged_changes_and_invalid_runs_leave_the_gate(pwh):
    assert pwh("ack", "v3-m1-0", "expected")[0] == 0
    code, out, _ = pwh("gate", "heat", "--baseline", "v2")
    assert (code, "| worse (acknowledged: expected) |" in out) == (0, True)
    pwh("ack", "v3-m1-0", "open")
    assert pwh("gate", "heat", "--baseline", "v2")[0] == 1
    pwh("ack", "v3-m1-4", "invalid")
    assert "candidate latest: v3 (4 runs)" in pwh("gate", "heat", "--baseline", "v2")[1]


def test_what_is_not_certain_yet_fails_the_gate_on_request_only(run, tmp_path):
    values = [*(("v1", 10 * shake) for shake in SHAKE), ("v2", 11.3), ("v2", 13.0)]
    lines = [
        f"{version}-m1-{day},heat,{version},m1,2026-01-{day + 1:02}T06:00:00Z,stencil,{value}"
        for day, (version, value) in enumerate(values)
    ]
    run("ingest", write(tmp_path / "t.csv", lines))
    asked = ("gate", "heat", "--baseline", "v1", "--level", "0.9999")
    assert run(*asked)[0] == 0
    code, out, _ = run(*asked, "--provisional")
    assert (code, "Provisionally (2 of 2) worse than the limit allows" in out) == (1, True)
    assert "more runs at that level would confirm that it lasts) |" in out
    assert run(*asked, "--provisional", "--limit", "30%")[0] == 0
    run("ack", "v2-m1-10", "expected")
    code, out, _ = run(*asked, "--provisional")
    assert (code, "| provisional (acknowledged: expected) |" in out) == (0, True)


def test_one_run_is_run_again_where_no_run_before_was_as_far_off(run, tmp_path):
    asked = ("gate", "heat", "--baseline", "last:10")
    lines = [
        *runs("v1", {"f": 10}, first_day=21),
        *runs("v2", {"f": 12}, first_day=31, count=1),
    ]
    run("ingest", write(tmp_path / "t.csv", lines))
    code, out, _ = run(*asked)
    assert (code, out.splitlines()[0]) == (6, "## heat: run it again")
    told = (out, run("trend", "heat")[1], run("explain", "v2-m1-0")[1])
    assert all("A single run may be an outlier: another shows whether it lasts." in t for t in told)
    before = [
        line
        for day in range(1, 21)
        for line in runs(f"v0.{day}", {"f": 12.5 if day in (7, 14) else 10}, first_day=day, count=1)
    ]
    run("ingest", write(tmp_path / "before.csv", before))
    code, out, _ = run(*asked)
    assert (code, "| **worse** |" in out) == (0, False)


def days(version, values, *, first, machine="m1"):
    """Return lines of a run a day, each value one of its version or of a version of its own."""
    return [
        f"{version}{first + i}-{machine},heat,{version}{first + i},{machine},"
        f"2026-{1 + (first + i) // 28:02}-{1 + (first + i) % 28:02}T06:00:00Z,f,{value}"
        for i, value in enumerate(values)
    ]


def test_without_a_baseline_an_open_change_stays_red_until_it_is_undone(run, tmp_path):
    calm = [10 * SHAKE[i % 10] for i in range(30)]
    land = iter(range(100))

    def gate(*lines):
        run("ingest", write(tmp_path / f"{next(land)}.csv", lines))
        code, out, _ = run("gate", "heat")
        return code, out.splitlines()[0]

    assert gate(*days("v", calm, first=0)) == (0, "## heat: no certain regression")
    assert gate(*days("v", [11.52], first=30)) == (6, "## heat: run it again")
    assert gate(*days("v", [11.48], first=31)) == (1, "## heat: regression")
    assert gate(*days("v", [11.5, 11.6, 11.4, 11.5], first=32)) == (1, "## heat: regression")
    assert gate(*days("v", [10.02], first=36)) == (0, "## heat: no certain regression")
    code, out, _ = run("gate", "heat", "--candidate", "v35")
    assert (code, "+15" in out, "level of each metric" in out) == (1, True, True)
    run("ack", "v30-m1", "expected")
    assert run("gate", "heat", "--candidate", "v35")[0] == 0


def test_a_smaller_change_after_it_does_not_settle_an_open_one(run, tmp_path):
    levels = [10] * 20 + [12] * 20 + [12.24] * 20
    values = [level * SHAKE[i % 10] for i, level in enumerate(levels)]
    run("ingest", write(tmp_path / "a.csv", days("v", values, first=0)))
    code, out, _ = run("gate", "heat")
    assert (code, out.splitlines()[0], "+22.4 %" in out) == (1, "## heat: regression", True)
    run("ack", "v20-m1", "expected")
    assert run("gate", "heat")[0] == 0


def test_a_change_that_is_undone_in_part_stays_red(run, tmp_path):
    levels = [10] * 20 + [12] * 12 + [10.9] * 12
    values = [level * SHAKE[i % 10] for i, level in enumerate(levels)]
    run("ingest", write(tmp_path / "a.csv", days("v", values, first=0)))
    code, out, _ = run("gate", "heat")
    assert (code, "Certainly worse" in out) == (1, True)
    assert run("gate", "heat", "--limit", "12%")[0] == 0
    run("ack", "v20-m1", "expected")
    assert run("gate", "heat")[0] == 0


def test_what_moved_is_the_change_before_which_the_level_is(run, tmp_path):
    times = [10 + at % 3 / 100 for at in range(45)]
    lines = days("v", [time * (1 + (at >= 15) / 4) for at, time in enumerate(times)], first=0)
    more = [time * 1.25 * 1.1 for time in times[:15]]
    lines = [*lines[:30], *days("v", more, first=30)]
    run("ingest", write(tmp_path / "t.csv", lines))
    code, out, _ = run("gate", "heat")
    assert (code, "+37.5 %" in out, "versions v14 to v15. " in out) == (1, True, True)
    assert "of v15-m1 rose by 25 %" in out and "v30" not in out
    # from one level to the next that change is what moved
    assert "versions v29 to v30. " in run("gate", "heat", "--baseline", "v20")[1]
    assert "What moved" not in run("gate", "heat", "--baseline", "v31")[1]
    run("ack", "v15-m1", "expected")
    assert "versions v29 to v30. " in run("gate", "heat")[1]


def test_what_was_never_measured_before_is_neutral(run, tmp_path):
    run("ingest", write(tmp_path / "a.csv", days("v", [10] * 12, first=0)))
    run("ingest", write(tmp_path / "b.csv", days("w", [99], first=20, machine="m2")))
    code, out, err = run("gate", "heat")
    assert (code, err) == (0, "")
    assert out.startswith("## heat: nothing to hold it against") and "neutral" in out
    assert run("gate", "heat", "--baseline", "v0")[0] == 5


def test_a_name_with_brackets_is_found_by_itself_by_every_command(run, tmp_path):
    lines = ["run_id,app,version,machine,started_at,metric,value,unit,better"]
    for day in range(24):
        value = (10.0 if day < 12 else 13.0) * SHAKE[day % len(SHAKE)]
        place = f"r{day},sort,v{day // 12},node[1],2026-01-{day + 1:02}T06:00:00Z"
        lines += [f"{place},{name},{value},s,lower" for name in ("sort[100]", "other")]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    run("ingest", tmp_path / "t.csv")
    one = ("--metric", "metric:sort[100]")
    for asked, code in (
        (("trend", "sort", *one, "--machine", "node[1]"), 0),
        (("compare", "sort@v0", "sort@v1", *one), 0),
        (("gate", "sort", *one), 1),
        (("gate", "sort", "--baseline", "v0", *one), 1),
    ):
        found, out, err = run(*asked)
        assert (found, err) == (code, "")
        assert "29.8 %" in out and "metric:other" not in out.partition("What moved")[0]


def test_of_many_configurations_the_candidate_has_one_name(run, tmp_path):
    lines = ["run_id,app,machine,started_at,ranks,function,seconds"]
    lines += [f"r{n:02},heat,m,2026-01-01T06:00:00Z,{n},f,{n}" for n in range(1, 31)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    run("ingest", tmp_path / "t.csv")
    _, out, _ = run("gate", "heat")
    # the first of `pwh runs`, whatever Python's sets have first
    newest = run("runs", "--format", "csv")[1].splitlines()[1].partition(",")[0]
    assert f"Candidate latest: {newest} (30 runs)" in out


def test_one_run_is_enough_where_a_metric_hardly_varies(run, tmp_path):
    lines = ["app,version,started_at,event,value"]
    for day in range(1, 12):
        version, count = ("v1", 1_000_000) if day < 11 else ("v2", 1_100_000)
        lines.append(f"heat,{version},2026-01-{day:02}T00:00:00Z,Ir,{count}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    run("ingest", tmp_path / "t.csv")
    code, out, _ = run("gate", "heat", "--baseline", "last:10")
    assert (code, "| counter:Ir | **worse** |" in out) == (1, True)
    assert (
        "1,100,000, where the runs before have 1,000,000 and hardly vary" in run("trend", "heat")[1]
    )


@pytest.mark.parametrize("slow", [1, 5])
def test_a_change_within_the_baseline_is_no_noise(run, tmp_path, slow):
    lines = [
        *runs("v1", {"f": 10}, first_day=1),
        *runs("v2", {"f": 12}, first_day=11, count=slow),
        *runs("v3", {"f": 12}, first_day=11 + slow, count=1),
    ]
    run("ingest", write(tmp_path / "t.csv", lines))
    asked = ("gate", "heat", "--baseline", "last:10")
    code, out, _ = run(*asked)
    # of one run on the level after, another shows whether it lasts
    assert (code, "The noise" in out) == (0 if slow > 1 else 6, False)
    assert "both sides of a change (pwh trend): functions:seconds at v2-m1-0" in out
    assert run(*asked, "--provisional")[0] == 1
    # without a baseline it is the level before the change, as long as that is open
    assert run("gate", "heat")[0] == 1
    run("ack", "v2-m1-0", "expected")
    assert run("gate", "heat")[0] == 0


def test_the_limit_is_what_is_allowed(pwh):
    assert pwh("gate", "heat", "--baseline", "v2", "--limit", "30%")[0] == 0
    assert pwh("gate", "heat", "--baseline", "v2", "--limit", "0.1")[0] == 1
    assert pwh("gate", "heat", "--baseline", "v2", "--metric", "seconds:main")[0] == 0


@pytest.mark.usefixtures("changeable")
def test_a_kept_threshold_is_the_limit(pwh):
    pwh("trend", "heat", "--threshold", "30%", "--keep")
    code, out, _ = pwh("gate", "heat", "--baseline", "v2")
    assert (code, "| 30 % |" in out) == (0, True)
    assert pwh("gate", "heat", "--baseline", "v2", "--limit", "5%")[0] == 1


@pytest.mark.parametrize(
    ("baseline", "candidate", "code"),
    [
        ("last:5", "latest", 1),
        ("last:10", "v2", 0),
        ("v2-m1-0", "v3", 1),
        ("tag:branch=main", "v3", 1),
        ("v2", "v3-m1-4", 1),
    ],
)
@pytest.mark.usefixtures("changeable")
def test_baselines_and_candidates(baseline, candidate, code, pwh, tmp_path):
    lines = runs("v0", {"stencil": 10, "main": 2}, first_day=1, count=4)
    pwh("ingest", write(tmp_path / "more.csv", lines), "--tag", "branch=main")
    found, _, err = pwh("gate", "heat", "--baseline", baseline, "--candidate", candidate)
    assert (found, err) == (code, "")


def test_a_version_that_was_reverted_is_not_the_latest(run, tmp_path):
    lines = [
        *runs("v1", {"f": 1}, first_day=1, count=4),
        *runs("v2", {"f": 2}, first_day=8, count=4),
        *runs("v1", {"f": 1}, first_day=16, count=4),
    ]
    lines = [line.replace("v1-m1", f"v1-{at}-m1") for at, line in enumerate(lines)]
    run("ingest", write(tmp_path / "t.csv", lines))
    code, out, err = run("gate", "heat", "--baseline", "v1")
    assert (code, out) == (5, "")
    assert "is one of the baseline" in err and "--candidate VERSION" in err
    assert run("gate", "heat", "--baseline", "v1", "--candidate", "v2")[0] == 1
    code, out, _ = run("gate", "heat", "--baseline", "v2")
    # as it is now: without its runs before v2
    assert (code, "candidate latest: v1 (4 runs since it came back)" in out) == (0, True)
    for candidate in ("latest", "v1"):
        code, out, _ = run("gate", "heat", "--baseline", "last:5", "--candidate", candidate)
        assert (code, "Baseline last:5 (4 runs)" in out, "(4 runs since" in out) == (0, True, True)


def test_a_version_whose_runs_all_failed_does_not_pass(run, tmp_path):
    lines = ["app,version,machine,started_at,wall_seconds,exit_code"]
    for day, (version, code) in enumerate([("v1", 0)] * 4 + [("v2", 0)] * 4 + [("v3", 1)] * 2, 1):
        lines.append(f"heat,{version},m1,2026-01-{day:02},{10 + day % 3 / 100},{code}")
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    run("ingest", path)
    code, out, err = run("gate", "heat", "--baseline", "last:4")
    assert (code, out) == (1, "")
    assert "all runs of the newest version of heat, v3, failed" in err
    assert run("gate", "heat", "--baseline", "last:4", "--candidate", "v2")[0] == 0
    path.write_text("\n".join([lines[0], "heat,v3,m1,2026-01-20,10.01,0"]) + "\n")
    run("ingest", path)
    assert "candidate latest: v3 (1 run)" in run("gate", "heat", "--baseline", "last:4")[1]


def test_what_failed_without_a_version_does_not_pass(run, tmp_path):
    runs = tmp_path / "runs.csv"
    header = "run_id,app,commit,committed_at,wall_seconds,exit_code"
    runs.write_text(f"{header}\na,heat,,,1,3\n")
    run("ingest", runs)
    code, _, err = run("gate", "heat")
    assert (code, "all runs of the newest version of heat, a, failed" in err) == (1, True)
    code, _, err = run("explain", "heat")
    assert (code, "a failed, and failed runs are in no comparison" in err) == (5, True)


def test_the_newest_commit_of_a_version_is_the_candidate(run, tmp_path):
    lines = [
        f"r{n},heat,{1 + (n > 9)}.0,{n:040x},2026-01-{n + 1:02}T00:00:00Z,2026-02-{n % 28 + 1:02}"
        f"T00:00:00Z,{13 if n == 24 else 10 + n * 7 % 5 / 50}"
        for n in range(25)
    ]
    runs = tmp_path / "runs.csv"
    header = "run_id,app,version,commit,committed_at,started_at,wall_seconds"
    runs.write_text("\n".join([header, *lines]))
    run("ingest", runs)
    code, out, _ = run("gate", "heat")
    assert (code, f"candidate latest: {24:040x}"[:28] in out) == (6, True)
    assert run("gate", "heat", "--candidate", f"{24:040x}")[0] == 6
    assert run("gate", "heat", "--candidate", "2.0")[0] == 0


def test_failed_runs_without_a_start_are_as_new_as_their_file(run, tmp_path):
    header = "app,version,machine,wall_seconds,exit_code"
    rows = {
        name: f"heat,{name},m1,10,{int(name == 'second')}" for name in ("first", "second", "third")
    }
    for name, versions in (("one.csv", ("first",)), ("two.csv", ("second",))):
        (tmp_path / name).write_text("\n".join([header, *map(rows.get, versions)]) + "\n")
        run("ingest", tmp_path / name)
    code, _, err = run("gate", "heat", "--baseline", "first")
    assert (code, "all runs of the newest version of heat, second, failed" in err) == (1, True)
    # none of one file is the newest
    (tmp_path / "both.csv").write_text("\n".join([header, rows["third"], rows["second"]]) + "\n")
    run("ingest", tmp_path / "both.csv")
    code, _, err = run("gate", "heat", "--baseline", "first")
    assert (code, "all runs of a version as new as any of heat, second, failed" in err) == (1, True)


def test_without_a_noise_nothing_is_certain(run, tmp_path):
    lines = [
        *runs("v1", {"f": 1}, first_day=1, count=1),
        *runs("v2", {"f": 2}, first_day=2, count=1),
    ]
    run("ingest", write(tmp_path / "t.csv", lines))
    code, out, _ = run("gate", "heat", "--baseline", "v1")
    assert code == 0
    assert "noise unknown" in out and "measure 4 more runs of each" in out


def test_what_hardly_takes_time_does_not_close_it(run, tmp_path):
    lines = [
        *runs("v1", {"f": 100, "tiny": 0.1}, first_day=1, count=5),
        *runs("v2", {"f": 100, "tiny": 0.2}, first_day=11, count=5),
    ]
    run("ingest", write(tmp_path / "t.csv", lines))
    code, out, _ = run("gate", "heat", "--baseline", "v1")
    assert code == 0
    assert "| seconds:tiny | worse (less than 1 % of the time) |" in out
    assert run("gate", "heat", "--baseline", "v1", "--metric", "seconds:f")[0] == 0


@pytest.mark.usefixtures("changeable")
def test_machines_are_not_mixed(pwh, tmp_path):
    lines = runs("v4", {"stencil": 50, "main": 9}, first_day=27, count=4, machine="m2")
    pwh("ingest", write(tmp_path / "more.csv", lines))
    code, out, err = pwh("gate", "heat", "--baseline", "v3")
    assert (code, out) == (5, "")
    assert "has no run of the candidate's configuration: machine=m1 and machine=m2" in err


def test_rows_for_programs(pwh):
    code, out, _ = pwh("gate", "heat", "--baseline", "v2", "-f", "json")
    assert code == 1
    first = json.loads(out)[0]
    assert (first["metric"], first["verdict"], first["decides"]) == (
        "functions:seconds",
        "worse",
        True,
    )


def counters(path, event, values, *, version, day):
    """Write a file of a run a day with one counter."""
    path.write_text(
        "\n".join(
            ["run_id,app,version,machine,started_at,event,value"]
            + [
                f"{version}-{i},spin,{version},m,2026-01-{day + i:02}T00:00:00Z,{event},{value}"
                for i, value in enumerate(values)
            ]
        )
        + "\n"
    )
    return path.name


def test_metrics_without_a_direction_are_named(run, tmp_path):
    for name, day, values in (("v1", 1, (100, 101, 99, 100)), ("v2", 9, (150, 152, 149, 150))):
        run("ingest", counters(tmp_path / f"{name}.csv", "widgets", values, version=name, day=day))
    code, out, err = run("gate", "spin", "--baseline", "v1")
    assert (code, out) == (5, "")
    assert "it is known what is better: counter:widgets" in err and "--better lower" in err
    assert run("gate", "spin", "--baseline", "v1", "--better", "lower")[0] == 1
    assert run("gate", "spin", "--baseline", "v1", "--better", "higher")[0] == 0
    code, _, err = run("gate", "spin", "--baseline", "v1", "--metric", "x")
    assert (code, "They have: counter:widgets." in err) == (5, True)


def test_counters_of_time_have_a_direction(run, tmp_path):
    for name, day, values in (("v1", 1, (100, 101, 99, 100)), ("v2", 9, (150, 152, 149, 150))):
        lines = counters(tmp_path / f"{name}.csv", "task-clock", values, version=name, day=day)
        run("ingest", lines)
    code, out, _ = run("gate", "spin", "--baseline", "v1")
    assert (code, "counter:task-clock" in out) == (1, True)


def test_a_short_table_of_what_is_uncertain(run, tmp_path):
    noisy = {f"f{i}": 1 for i in range(30)}
    lines = [
        *runs("v1", noisy, first_day=1, count=2),
        *runs("v2", noisy, first_day=11, count=2),
    ]
    run("ingest", write(tmp_path / "t.csv", lines))
    code, out, _ = run("gate", "heat", "--baseline", "v1")
    assert code == 0
    assert sum("| uncertain |" in line for line in out.splitlines()) == 10
    assert "more metrics: --format csv gives all." in out
    # all values are 1: that is no noise, but a clock of whole seconds returns them, too
    assert "or the last digit of the values, is too large to rule it out" in out


def test_names_mean_nothing_in_markdown():
    assert markdown_escaped("a|b<c> *d* @e #1 [x](y) `z` wall_seconds _i_") == (
        r"a\|b&lt;c> \*d\* &#64;e &#35;1 \[x\](y) \`z\` wall_seconds \_i\_"
    )


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--baseline", "v9"), 5, "heat has no version and no run 'v9'"),
        (
            ("--baseline", "v3", "--candidate", "v3"),
            5,
            "the baseline v3 of heat has no runs other than",
        ),
        (("--baseline", "last:0"), 2, "'last:0' is not a number of runs"),
        (("--baseline", "tag:x"), 2, "'tag:x' is not a tag"),
        (("--baseline", "tag:x=y"), 5, "no run of heat has the tag x=y"),
        (("--baseline", "v1", "--limit", "5"), 2, "--limit '5' is not a share"),
        (("--baseline", "v1", "--metric", "x"), 5, "have no metric in common of x"),
    ],
)
def test_what_is_refused(options, code, message, pwh):
    found, out, err = pwh("gate", "heat", *options)
    assert (found, out) == (code, "")
    assert message in err and "Traceback" not in err


def test_metrics_at_zero_and_missing_ones(run, tmp_path):
    values = {"failures": (0, 3), "skipped": (0, 0), "balance": (-9, -4), "size": (7, None)}
    lines = ["run_id,app,version,machine,started_at,metric,value,better"]
    lines += [
        f"{version}{i},bench,{version},m,2026-01-{day + i:02},{metric},{value},lower"
        for metric, both in values.items()
        for version, day, value in zip(("a", "b"), (1, 11), both, strict=True)
        for i in range(5)
        if value is not None
    ]
    path = tmp_path / "metrics.csv"
    path.write_text("\n".join(lines) + "\n")
    run("ingest", path)
    code, out, _ = run("gate", "bench", "--baseline", "a")
    assert code == 1
    assert (
        "Certainly worse than the limit allows: metric:failures from 0. "
        "1 metric is missing in the candidate: metric:size." in out
    )
    assert "| metric:failures | **worse** | 0 | 3 | from 0 | - | 5 % |" in out
    assert "| metric:size | missing | 7 | - | - | - | 5 % |" in out
    code, out, _ = run("gate", "bench", "--baseline", "a", "--metric", "metric:[bs][ak]*")
    assert code == 0 and "1 metric has values of 0 or less, and no ratio to hold" in out
    assert "| metric:skipped | fine | 0 | 0 |" in out
    code, _, err = run("gate", "bench", "--baseline", "a", "--metric", "metric:size")
    assert code == 5 and "no metric in common of metric:size" in err


def test_of_runs_without_an_order_none_is_the_latest(run, tmp_path):
    def land(name, *versions, started=""):
        lines = ["app,version,run_id,started_at,metric,value,better"]
        lines += [f"heat,{v},{v}-{i},{started},m,{ord(v)},lower" for v in versions for i in "12"]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
        assert run("ingest", tmp_path / name, "--replace")[0] == 0

    unknown = "which run is the newest is unknown"
    land("t.csv", "b", "c", "a")
    for asked in (
        ("gate", "heat", "--baseline", "last:2"),
        ("gate", "heat", "--baseline", "b"),
        *(("explain", "latest"), ("compare", "heat@a", "heat"), ("forget", "latest")),
    ):
        code, out, err = run(*asked)
        assert (code, out, unknown in err) == (5, "", True), asked
    assert run("explain", "a-1")[0] == 5
    code, _, err = run("gate", "heat", "--baseline", "last:2", "--candidate", "a")
    assert (code, "which runs are the last 2 before the candidate is unknown" in err) == (5, True)
    # named they have no need of an order
    assert run("gate", "heat", "--baseline", "c", "--candidate", "a")[0] == 0
    land("t.csv", "b", "c", "a", started="2026-01-01")
    assert unknown in run("gate", "heat", "--baseline", "last:2")[2]
    land("t.csv", "b", "a")
    assert "candidate latest: a (2 runs)" in run("gate", "heat", "--baseline", "b")[1]
    assert "candidate latest: b (2 runs)" in run("gate", "heat", "--baseline", "a")[1]
    # a file after the other
    land("t2.csv", "A")
    assert "candidate latest: A (2 runs)" in run("gate", "heat", "--baseline", "last:4")[1]
    assert "the last 2 before" in run("gate", "heat", "--baseline", "last:2")[2]
    code, out, _ = run("explain", "latest", "--against", "heat@a")
    assert (code, out.startswith("heat: A-")) == (0, True)
