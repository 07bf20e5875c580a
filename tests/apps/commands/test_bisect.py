"""pwh bisect: the commit that changed a metric, in a real repository."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.helpers.support import rows
from warehouse import connection


@pytest.fixture
def git(tmp_path, monkeypatch):
    """Make a repository in the folder of the test, and return a function that runs git in it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def git(*words):
        author = ("-c", "user.name=Author", "-c", "user.email=author@example.org")
        command = ["git", "-C", str(tmp_path), *author, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    git("init", "--initial-branch=main")
    return git


@pytest.fixture
def history(git, tmp_path):
    """Commit nine versions of a program, the sixth of which is slow; the third does not build."""
    for number in range(1, 10):
        seconds = 0.02 if number < 6 else 0.3
        (tmp_path / "work.py").write_text(f"import time; time.sleep({seconds})  # {number}")
        (tmp_path / "builds").write_text("no" if number == 3 else "yes")
        git("add", "work.py", "builds")
        git("commit", "--message", f"version {number}")
    return git("rev-list", "--reverse", "HEAD").split()


BUILD = ("--build", "grep -q yes builds")
PROGRAM = ("--", sys.executable, "-S", "work.py")


def test_the_commit_is_found_continued_and_found_again_in_what_is_stored(
    run, history, git, tmp_path
):
    whole = f"{history[0]}..HEAD"
    code, out, err = run("bisect", whole, *BUILD, "--runs", "4", *PROGRAM)
    assert code == 0
    before = err.count("landed in")
    # Continues with the runs that have landed.
    code, out, err = run("bisect", whole, *BUILD, *PROGRAM)
    assert code == 0 and before > 0
    assert f"{history[5][:7]} version 6 (Author)" in out.splitlines()[0]
    assert "* changed wall_seconds by about " in out and "More: pwh explain " in out
    # Nothing is left of the work trees, and what is checked out is as it was.
    assert len(git("worktree", "list").splitlines()) == 1
    assert git("status", "--short", "--untracked-files=no") == ""
    code, stored, _ = run("bisect", whole, "--app", "work")
    assert (code, stored) == (0, out)
    with connection.connect(tmp_path / "pwh.duckdb", read_only=True) as con:
        ((commits,),) = rows(con, 'SELECT list(DISTINCT "commit") FROM runs')
    assert history[2] not in commits and {history[0], history[8]} <= set(commits)


def test_an_interrupt_keeps_what_has_landed(run, history):
    stop = "kill -INT $PPID; sleep 0.3"
    code, _, err = run("bisect", f"{history[0]}..HEAD", "--app", "x", "--", "sh", "-c", stop)
    assert code == 130
    assert "the same command continues with the runs that have landed" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("HEAD", "--", "true"), "is no range of commits here"),
        (("HEAD..HEAD", "--", "true"), "there is no commit in"),
        (("HEAD..HEAD~3", "--", "true"), "is not before"),
        (("nope..HEAD", "--", "true"), "is no range of commits here"),
        (("HEAD~3..HEAD",), "there is nothing to search"),
        (("HEAD~3..HEAD", "--certainty", "20%", "--", "true"), "out of range"),
    ],
)
def test_usage(run, history, options, message):
    code, _, err = run("bisect", *options)
    assert (code, message in err) == (2, True)


def test_an_application_without_runs_of_these_commits(run, history, demo_warehouse):
    code, out, err = run("--db", demo_warehouse, "bisect", "HEAD~3..HEAD", "--app", "no\x1b[1m")
    assert (code, out) == (5, "")
    assert "'no\\x1b[1m' has no runs of two of these commits" in err and "\x1b" not in err


def test_a_metric_that_no_run_has_ends_it_at_once(run, history, git):
    code, _, err = run("bisect", f"{history[0]}..HEAD", "--metric", "odd", *PROGRAM)
    assert (code, err.count("landed in")) == (5, 1)
    assert "have no 'odd' above 0" in err and len(git("worktree", "list").splitlines()) == 1


def test_outside_of_a_repository(run, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    code, _, err = run("bisect", "a..b", "--", "true")
    assert (code, "is not in a git repository" in err) == (2, True)
