"""Work trees of commits: built once, in the place where programs run."""

from __future__ import annotations

import subprocess

import pytest

from apps.recording.work_trees import WorkTrees, commit_named, repository_of


@pytest.fixture
def commit(tmp_path, monkeypatch):
    """Return the commit of a new repository, the folder of which is the current one."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "sources"
    folder.mkdir()
    monkeypatch.chdir(folder)
    author = ("-c", "user.name=Author", "-c", "user.email=author@example.org")
    for words in (("init",), ("commit", "--allow-empty", "--message", "one")):
        subprocess.run(["git", *author, *words], check=True, capture_output=True)
    return commit_named(repository_of(folder), "HEAD")


def test_a_commit_is_built_once_and_stays_where_it_was_built(commit, tmp_path):
    top = tmp_path / "sources"
    trees = WorkTrees(top, "pwd >>place")
    folder = trees.folder(commit)
    assert (folder / "place").read_text() == f"{folder}\n"
    again = WorkTrees(top, "pwd >>place")
    assert again.is_built(commit) and again.folder(commit) == folder
    assert (folder / "place").read_text() == f"{folder}\n"
    trees.remove()
    assert not folder.exists() and not trees.is_built(commit)


def test_what_does_not_build_is_not_tried_again(commit, tmp_path):
    trees = WorkTrees(tmp_path / "sources", f"echo x >>{tmp_path / 'tried'}; false")
    assert trees.folder(commit) is None and trees.folder(commit) is None
    assert (tmp_path / "tried").read_text() == "x\n"
    assert not trees.is_built(commit)
