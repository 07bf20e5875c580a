"""Work trees of commits, built once: where programs of other versions run."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ingest.git import git, lines_of, work_tree
from warehouse.errors import UsageError

_BUILT, _FAILED = ".built", ".does-not-build"  # files beside work trees


def repository_of(folder: Path) -> Path:
    """Return the top of the work tree of a folder; raises `UsageError` where it is in none."""
    if (top := work_tree(folder)) is None:
        raise UsageError(
            "this folder is not in a git repository", hint="Commits are those of its repository."
        )
    return top


def commit_named(top: Path, name: str) -> str | None:
    """Return all digits of the commit that a name stands for in a repository, else None."""
    found = lines_of(
        top, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}"
    )
    return found[0] if found else None


def commit_before(top: Path) -> str:
    """Return what to compare with: the commit checked out where files differ, else its parent.

    Raises `UsageError` if there is none.
    """
    name = "HEAD" if lines_of(top, "diff", "--name-only", "HEAD") else "HEAD^"
    if (commit := commit_named(top, name)) is None:
        raise UsageError("there is no commit before this one", hint="Name a side: --against.")
    return commit[:12]


class WorkTrees:
    """Work trees of some commits of a repository, in a folder that another call finds again."""

    def __init__(self, top: Path, build: str | None) -> None:
        self._top, self._build = top, build
        self._inside = Path.cwd().relative_to(top)
        digest = hashlib.sha256(f"{top}\0{self._inside}\0{build}".encode()).hexdigest()[:12]
        state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
        self._home = Path(state).expanduser() / "pwh" / "work-trees" / digest
        try:
            self._home.mkdir(parents=True, exist_ok=True)
        except OSError:
            self._home = Path(tempfile.mkdtemp(prefix="pwh-work-trees-"))

    def is_built(self, commit: str) -> bool:
        """Return whether a commit is there already."""
        return (self._home / f"{commit}{_BUILT}").exists()

    def folder(self, commit: str) -> Path | None:
        """Return where a commit is checked out and built; None where it does not build.

        Raises `UsageError` where git cannot check it out.
        """
        tree = self._home / commit
        failed = self._home / f"{commit}{_FAILED}"
        if failed.exists():
            return None
        inside = tree / self._inside
        if not self.is_built(commit):
            # What was interrupted begins again, in its place: programs may contain its path.
            self._forget(tree)
            done = git(self._top, "worktree", "add", "--detach", "--force", str(tree), commit)
            if done.returncode:
                text = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
                raise UsageError(f"git cannot check out {commit[:9]}: {text}")
            is_usable = inside.is_dir() and self._is_built(inside)
            (self._home / f"{commit}{_BUILT if is_usable else _FAILED}").touch()
            if not is_usable:
                self._forget(tree)
                return None
        return inside

    def _is_built(self, inside: Path) -> bool:
        if self._build is None:
            return True
        done = subprocess.run(  # noqa: S603
            ["/bin/sh", "-c", self._build],
            cwd=inside,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
            check=False,
        )
        return done.returncode == 0

    def _forget(self, tree: Path) -> None:
        git(self._top, "worktree", "remove", "--force", str(tree))
        shutil.rmtree(tree, ignore_errors=True)

    def remove(self) -> None:
        """Remove all of them."""
        for tree in self._home.iterdir():
            if tree.is_dir():
                self._forget(tree)
        shutil.rmtree(self._home, ignore_errors=True)
        git(self._top, "worktree", "prune")
