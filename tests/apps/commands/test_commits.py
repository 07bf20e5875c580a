"""`pwh commits` and `pwh trend --branch`: what git knows of runs, and branches of the history."""

from __future__ import annotations

import re

import pytest

from ingest.git import head_of
from tests.helpers.repositories import Repository


@pytest.fixture
def made(tmp_path, run):
    """Return a repository with ten commits of main and one of topic; a run of each has landed."""
    head_of.cache_clear()
    one = Repository(tmp_path / "repo")
    one.commit(*(f"c{number}" for number in range(10)))
    one.checkout("-b", "topic", "main~2")
    one.commit("t")
    one.checkout("main")
    lines = ["run_id,app,commit,started_at,wall_seconds"]
    for n, (subject, commit) in enumerate(one.commits.items()):
        seconds = 13 if subject == "t" else 10 + n % 3 / 50
        lines += [f"{subject}-{i},prog,{commit[:9]},2026-06-{28 - n}T0{i}:00:00Z,{seconds + i / 99}"
                  for i in range(2)]  # fmt: skip
    table = tmp_path / "runs.csv"
    table.write_text("\n".join([*lines, ""]))
    assert run("ingest", str(table))[0] == 0
    return one


def test_commits_are_read_and_branches_held_against_the_history(made, run):
    # measured newest first: until their dates are known nothing tells that order from another
    note = "the dates of 11 of 11 commits are unknown: changes are told in the order of measurement"
    assert note in run("trend", "prog")[1] and note in run("gate", "prog")[1]
    code, out, _ = run("commits", str(made.folder))
    assert (code, out) == (
        0,
        f"{made.folder}: 11 commits of runs: 10 on main; 1 on other branches\n",
    )
    code, out, _ = run("trend", "prog", "--branch", "topic")
    assert code == 0
    assert out.startswith("main at the fork (16 runs) to topic (2 runs)\n\n* wall_seconds: worse: ")
    code, out, _ = run("trend", "prog")
    assert "20 runs" in out and "13" not in out.split("Series")[0] and "dates" not in out


def test_a_change_in_the_order_of_measurement_is_said_to_be_so(run, tmp_path):
    """Measured newest first, a regression is told as an improvement, and nothing shows that."""
    lines = ["run_id,app,commit,started_at,wall_seconds"]
    for n in range(24):
        seconds = (10 if n > 11 else 12) + n % 3 / 50
        lines.append(f"r{n},prog,{n:07x}a,2026-06-{1 + n:02}T00:00:00Z,{seconds}")
    (tmp_path / "runs.csv").write_text("\n".join([*lines, ""]))
    assert run("ingest", "runs.csv")[0] == 0
    _, trend, _ = run("trend", "prog")
    said = "better, in the order of measurement since run r12"
    assert said in trend
    assert said in run("events", "1")[1]


def test_a_branch_has_one_verdict(made, run):
    assert run("commits", str(made.folder))[0] == 0
    _, trend, _ = run("trend", "prog", "--branch", "topic")
    change = re.search(r"wall_seconds: worse: (\S+ %)", trend)[1]
    _, explained, _ = run("explain", "t-1")
    assert explained.startswith("prog: 2 runs, t-0 to t-1 against 16 runs, ")
    assert f"wall_seconds rose by {change.removeprefix('+')} in" in explained
    code, gate, _ = run("gate", "prog", "--candidate", "t-1")
    # one run of a branch may be an outlier
    assert code == 6 and "run it again" in gate
    fork, tip = (made.commits[one][:10] for one in ("c7", "t"))
    assert f"commits {fork} to {tip}" in gate
    assert "A single run may be an outlier: another shows whether it lasts." in gate
    newest = made.commits["c9"]
    named, of_commit = (run("gate", "prog", "--candidate", name) for name in ("main", newest))
    assert named[:2] == (0, of_commit[1].replace(f"candidate {newest}", "candidate main"))
    code, gate, _ = run("gate", "prog", "--candidate", "topic")
    assert (code, f"| {change} |" in gate) == (1, True)
    assert f"commits {fork} to {tip}" in gate
    _, compared, _ = run("compare", f"prog@{made.commits['c7']}", "prog@topic")
    assert compared.startswith(f"prog@{made.commits['c7']} (2 runs) to prog@topic (2 runs)")


def test_a_branch_is_held_against_the_level_now_where_there_are_no_times(run, tmp_path):
    """Benchmarks alone have no time or cost: trend took both levels of main together, gate one."""
    lines = ["run_id,app,version,branch,started_at,metric,value,unit"]
    for n in range(32):
        value, branch = (14, "topic") if n > 29 else ((10, 11.5)[n > 15] + n % 3 / 50, "main")
        lines.append(
            f"r{n},prog,{'t' if n > 29 else n},{branch},2026-06-{1 + n // 2:02}T{n % 2}:00:00Z,"
            f"bench,{value + n % 2 / 99},ms"
        )
    (tmp_path / "runs.csv").write_text("\n".join([*lines, ""]))
    assert run("ingest", "runs.csv")[0] == 0
    _, trend, _ = run("trend", "prog", "--branch", "topic")
    change = re.search(r"metric:bench (\S+ %)", trend)[1]
    _, gate, _ = run("gate", "prog", "--candidate", "t")
    assert trend.startswith("main now (14 runs) to topic") and f"| {change} |" in gate
    _, explained, _ = run("explain", "r31")
    assert f"bench rose by {change.removeprefix('+')}" in explained


def test_a_branch_is_judged_by_its_newest_commit(run, tmp_path):
    """Earlier commits of it were taken as repetitions, which hid a loss of 20 % on two screens."""
    lines = ["run_id,app,commit,branch,started_at,wall_seconds"]
    for n in range(18):
        seconds = (10 + n % 3 / 20) * (1.2 if n == 17 else 1)
        branch = "topic" if n > 14 else "main"
        lines.append(f"r{n},prog,{n:07x}a,{branch},2026-06-{1 + n:02}T00:00:00Z,{seconds}")
    (tmp_path / "runs.csv").write_text("\n".join([*lines, ""]))
    assert run("ingest", "runs.csv")[0] == 0
    _, trend, _ = run("trend", "prog", "--branch", "topic")
    assert trend.startswith("main now (15 runs) to topic without 2 runs of earlier commits (1 run)")
    change = re.search(r"wall_seconds: worse: (\S+ %)", trend)[1]
    code, gate, _ = run("gate", "prog")
    assert code == 6 and f"| {change} |" in gate
    code, gate, _ = run("gate", "prog", "--candidate", "topic")
    assert code == 6 and f"| {change} |" in gate
    _, explained, _ = run("explain", "r17")
    assert f"wall_seconds rose by {change.removeprefix('+')} in" in explained
    _, explained, _ = run("explain", "r15")
    assert explained.startswith(
        "prog: r15 (commit 000000fa, 2026-06-16) against 15 runs, r0 to r14 "
    )
    assert "rose" not in explained


def test_what_is_wrong_is_said(made, run, tmp_path):
    assert run("commits", str(made.folder))[0] == 0
    code, _, err = run("trend", "prog", "--branch", "nix")
    assert code == 2 and "no run of prog is on a branch 'nix'" in err and "topic" in err
    (tmp_path / "bare").mkdir()
    code, _, err = run("commits", str(tmp_path / "bare"))
    assert code == 2 and "no work tree" in err
    other = Repository(tmp_path / "other")
    other.commit("x")
    code, _, err = run("commits", str(other.folder))
    assert code == 5 and "has no commit of a run" in err


def test_the_default_branch_can_be_set(made, run):
    assert run("commits", str(made.folder), "--default", "topic")[0] == 0
    code, out, _ = run("trend", "prog", "--branch", "main")
    assert code == 0 and out.startswith(
        "topic at the fork (16 runs) to main without 2 runs of earlier commits (2 runs)\n"
    )


def test_what_moved_on_a_branch_is_not_what_changed_on_the_default_one_since(made, run, tmp_path):
    table = tmp_path / "runs.csv"
    lines = table.read_text().splitlines()
    slower = [
        re.sub(r"[^,]+$", f"1{2 + at % 3 / 50}", line) if line.startswith(("c8", "c9")) else line
        for at, line in enumerate(lines)
    ]
    table.write_text("\n".join([*slower, ""]))
    assert run("ingest", str(table), "--replace")[0] == 0
    assert run("commits", str(made.folder))[0] == 0
    fork, first, tip = (made.commits[one][:10] for one in ("c7", "c8", "t"))
    for branch, at in (("topic", tip), ("main", first)):
        code, gate, _ = run("gate", "prog", "--candidate", branch)
        assert (code, f"What moved: the code; commits {fork} to {at}." in gate) == (1, True)
