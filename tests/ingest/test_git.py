"""What git says of commits: places along the default branch, merges, forks, the unknown."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime

import pytest

from ingest import git
from ingest.git import Repository, checked_out, head_of
from tests.helpers.repositories import Repository as Made


@pytest.fixture
def made(tmp_path):
    """Return main of a, b, c and the merge of x, y, which began at b; z began at c."""
    one = Made(tmp_path / "repo")
    one.commit("a", "b")
    one.checkout("-b", "topic")
    one.commit("x", "y")
    one.checkout("main")
    one.commit("c")
    one.checkout("-b", "open")
    one.commit("z")
    one.checkout("main")
    one.merge("topic", "m")
    one.commit("d")
    return one


def places(made, wanted=None, known=None, default=None):
    """Return (position, merged_in, fork_position, branches) by subject."""
    repository = Repository(made.folder)
    repository.choose(default)
    found = repository.commits(wanted or made.commits.values(), known or {})
    names = {commit: subject for subject, commit in made.commits.items()}
    return {
        one.subject: (
            *(one.position, names.get(one.merged_in or ""), one.fork_position),
            list(one.branches),
        )
        for one in found
    }


def test_places_of_commits(made):
    assert places(made) == {
        "a": (1, None, None, ["main"]),
        "b": (2, None, None, ["main"]),
        "c": (3, None, None, ["main"]),
        "m": (4, None, None, ["main"]),
        "d": (5, None, None, ["main"]),
        "x": (4, "m", 2, ["main", "topic"]),
        "y": (4, "m", 2, ["main", "topic"]),
        "z": (None, None, 3, ["open"]),
    }


def test_places_are_the_same_from_one_that_is_known(made):
    every = places(made)
    known = {made.commits["c"]: 3}
    wanted = [made.commits[subject] for subject in ("d", "m")]
    assert places(made, wanted, known) == {name: every[name] for name in ("d", "m")}
    assert places(made, None, known) == every, "what is older is walked to"
    # One that is known elsewhere is none of the first parents.
    assert places(made, wanted, {made.commits["z"]: 9}) == {n: every[n] for n in ("d", "m")}


def test_first_digits_are_enough_and_others_are_not_there(made):
    wanted = [made.commits["b"][:8].upper(), "0" * 40, "v1.0; rm -rf", "--help", ""]
    assert list(places(made, wanted)) == ["b"]


def test_the_default_branch_can_be_another(made):
    assert places(made, default="open")["z"] == (4, None, None, ["open"])
    assert places(made, default="open")["d"][0] is None
    made.git("branch", "-m", "main", "devel")
    assert places(made)["d"] == (None, None, None, []), "no usual name: dates alone order"


def test_a_fast_forward_joins_the_history(made):
    made.checkout("-b", "quick")
    made.commit("q")
    assert places(made)["q"] == (None, None, 5, ["quick"])
    made.checkout("main")
    made.git("merge", "-q", "--ff-only", "quick")
    assert places(made)["q"] == (6, None, None, ["main"])


def test_what_was_kept_of_a_history_that_was_rewritten(made):
    old = Repository(made.folder)
    old.choose(None)
    found = old.commits(made.commits.values(), {})
    known = {
        c.commit: (c.position, c.committed_at) for c in found if c.position and not c.merged_in
    }
    assert old.kept(known) is None
    made.git("reset", "-q", "--hard", made.commits["b"])
    assert old.kept(known) is None, "an older state of it"
    made.commit("e", "f")
    assert old.kept(known) == 2
    made.git("reset", "-q", "--hard", made.commits["d"])
    made.commit("g")
    assert old.kept(known) is None
    # main merged into what was made beside it, which then is main
    made.checkout("-b", "beside", made.commits["c"])
    made.commit("h")
    made.merge("main", "i")
    made.git("branch", "-f", "main", "beside")
    assert old.kept(known) == 3


@pytest.mark.parametrize(
    ("named", "branch"),
    [
        ({}, None),
        ({"GITHUB_HEAD_REF": "topic", "GITHUB_BASE_REF": "main"}, "topic"),
        ({"GITHUB_HEAD_REF": "main", "GITHUB_BASE_REF": "main"}, "fork:main"),
        ({"BRANCH_NAME": "PR-7", "CHANGE_BRANCH": "topic", "CHANGE_TARGET": "main"}, "topic"),
        ({"CIRCLE_BRANCH": "main"}, "main"),
    ],
)
def test_ci_systems_name_the_branch_of_what_they_check_out(made, monkeypatch, named, branch):
    for variable in (*git._CI_BRANCHES, *git._CI_TARGETS):
        monkeypatch.delenv(variable, raising=False)
    for variable, name in named.items():
        monkeypatch.setenv(variable, name)
    made.checkout("--detach")
    head_of.cache_clear()
    found = head_of(made.folder)
    assert found is not None and found.branch == branch


def test_a_shallow_clone_has_dates_alone(made, tmp_path):
    clone = tmp_path / "clone"
    url = f"file://{made.folder}"
    subprocess.run(["git", "clone", "-q", "--depth", "2", url, clone], check=True)
    repository = Repository(clone)
    repository.choose(None)
    found = repository.commits(made.commits.values(), {})
    assert {one.subject: one.position for one in found} == {"d": None, "m": None}
    assert all(one.committed_at is not None for one in found)


@pytest.mark.parametrize(
    ("remote", "address", "page"),
    [
        ("https://me:token@github.com/o/r.git", "https://github.com/o/r", "/commit/"),
        ("git@gitlab.example.org:g/s/r.git", "https://gitlab.example.org/g/s/r", "/-/commit/"),
        ("ssh://git@bitbucket.org:22/o/r", "https://bitbucket.org/o/r", "/commits/"),
    ],
)
def test_addresses_have_no_password_and_commits_a_page(made, remote, address, page):
    made.git("remote", "add", "origin", remote)
    (found,) = Repository(made.folder).commits([made.commits["a"]], {})
    assert (found.repository, found.url) == (address, f"{address}{page}{made.commits['a']}")


def test_without_a_remote_the_folder_is_the_address(made):
    (found,) = Repository(made.folder).commits([made.commits["a"]], {})
    assert (found.repository, found.url) == (str(made.folder), None)


def test_what_was_checked_out_when_a_file_was_written(made, tmp_path):
    head_of.cache_clear()
    late, early = datetime(2026, 6, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC)
    file = made.folder / "new.json"
    file.write_text("{}")
    found = checked_out(file, late)
    assert found is not None and (found.commit, found.branch) == (made.commits["d"], "main")
    assert checked_out(file, early) is None, "it is older than the commit"
    assert checked_out(tmp_path / "outside.json", late) is None
    (made.folder / "old").mkdir()
    kept = made.folder / "old" / "kept.json"
    kept.write_text("{}")
    made.git("add", "old/kept.json")
    assert checked_out(kept, late) is None, "git has it, so it is of an earlier time"


def test_a_repository_that_the_environment_names_is_another(made, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_DIR", os.fspath(tmp_path / "none"))
    assert places(made)["a"][0] == 1


def test_without_git_nothing_is_known(made, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert places(made) == {}
