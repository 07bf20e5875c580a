"""Small git repositories for tests: a commit a day, so that dates are known."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class Repository:
    """A repository in a folder; `commits` are the hashes by subject."""

    def __init__(self, folder: Path, *, branch: str = "main") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.commits: dict[str, str] = {}
        self._day = 0
        self.git("init", "-q", "-b", branch)

    def git(self, *words: str) -> str:
        """Run git here; return what it prints."""
        self._day += words[0] in ("commit", "merge")
        date = f"2026-01-{self._day or 1:02}T00:00:00Z"
        names = ("-c", "user.name=x", "-c", "user.email=x@example.com")
        return subprocess.run(
            ["git", "-C", self.folder, *names, *words],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date},
        ).stdout.strip()

    def commit(self, *subjects: str) -> None:
        """Make a commit of each subject."""
        for subject in subjects:
            self.git("commit", "-q", "--allow-empty", "-m", subject)
            self.commits[subject] = self.git("rev-parse", "HEAD")

    def merge(self, branch: str, subject: str) -> None:
        """Merge a branch into what is checked out, as a commit of its own."""
        self.git("merge", "-q", "--no-ff", "-m", subject, branch)
        self.commits[subject] = self.git("rev-parse", "HEAD")

    def checkout(self, *words: str) -> None:
        """Check out a branch, or make one: -b NAME."""
        self.git("checkout", "-q", *words)
