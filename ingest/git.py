"""Facts that git knows of the commits of runs: read only, from what is there, never fetched."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

_SECONDS = 20
_USUAL = ("main", "master", "trunk")
_FORMAT = "--format=%H%x1f%P%x1f%an%x1f%ct%x1f%s"
_HASH = re.compile(r"[0-9a-f]{7,64}")
# user@host:path, scheme://user:password@host/path
_SCP = re.compile(r"(?:[^@/]+@)?([^:/]+):(?!//)(.+)")
_URL = re.compile(r"(?:https?|ssh|git)://(?:[^@/]*@)?([^/:]+)(?::\d+)?/(.+?)(?:\.git)?/?")
# Branches of what CI systems check out without a name: of a request to merge first.
_CI_BRANCHES = (
    *("GITHUB_HEAD_REF", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CHANGE_BRANCH"),
    *("SYSTEM_PULLREQUEST_SOURCEBRANCH", "TRAVIS_PULL_REQUEST_BRANCH"),
    *("CI_COMMIT_BRANCH", "BRANCH_NAME", "BUILD_SOURCEBRANCH", "TRAVIS_BRANCH"),
    *("CIRCLE_BRANCH", "BUILDKITE_BRANCH", "BITBUCKET_BRANCH", "CIRRUS_BRANCH"),
)
# What they ask to be merged into.
_CI_TARGETS = (
    *("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CHANGE_TARGET"),
    *("SYSTEM_PULLREQUEST_TARGETBRANCH", "BUILDKITE_PULL_REQUEST_BASE_BRANCH"),
    *("BITBUCKET_PR_DESTINATION_BRANCH", "CIRRUS_BASE_BRANCH"),
)
# Set where git itself runs a program, of a repository that may be another one.
_OF_ANOTHER = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: a row of the table `commits`, whose columns these are."""

    repository: str
    commit: str
    parents: Sequence[str] = ()
    author: str | None = None
    committed_at: datetime | None = None
    subject: str | None = None
    position: int | None = None
    merged_in: str | None = None
    fork_position: int | None = None
    branches: Sequence[str] = ()
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """Checked-out state: the commit, when it was made, and the branch where it has a name."""

    commit: str
    committed_at: datetime
    branch: str | None


def git(
    folder: Path, *words: str, lines: Collection[str] = ()
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder, with lines as its standard input."""
    inherited = {name: text for name, text in os.environ.items() if name not in _OF_ANOTHER}
    environment = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "none"}
    command = ["git", "-c", "log.showSignature=false", "-C", str(folder), *words]
    try:
        return subprocess.run(  # noqa: S603
            command,
            capture_output=True,
            check=False,
            env=inherited | environment,
            timeout=_SECONDS,
            input="".join(f"{line}\n" for line in lines).encode(),
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, b"", b"git takes too long")
    except OSError:
        return subprocess.CompletedProcess(command, 127, b"", b"git is not installed")


def lines_of(folder: Path, *words: str, lines: Collection[str] = ()) -> list[str]:
    """Return the lines that git prints; none where it fails."""
    done = git(folder, *words, lines=lines)
    return done.stdout.decode("utf-8", "replace").splitlines() if done.returncode == 0 else []


def work_tree(folder: Path) -> Path | None:
    """Return the top of the work tree that a folder is in; None where it is in none."""
    folder = folder.resolve()
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)


def checked_out(path: Path, modified_at: datetime | None) -> Head | None:
    """Return what was checked out when a file was written.

    None of a file outside of a work tree, one that git keeps, or one older than the commit.
    """
    folder = path.resolve().parent
    top = work_tree(folder)
    head = None if top is None else head_of(top)
    if head is None or modified_at is None or modified_at < head.committed_at:
        return None
    return None if path.resolve().name in _kept(folder) else head


@cache
def _kept(folder: Path) -> frozenset[str]:
    return frozenset(git(folder, "ls-files", "-z").stdout.decode("utf-8", "replace").split("\0"))


@cache
def head_of(folder: Path) -> Head | None:
    """Return what is checked out in a folder; None where there is no commit yet."""
    if not (found := lines_of(folder, "log", "-1", "--format=%H %ct")):
        return None
    commit, seconds = found[0].split()
    branch = lines_of(folder, "symbolic-ref", "--quiet", "--short", "HEAD")
    return Head(commit, _date(seconds), branch[0] if branch else _ci_branch())


def _ci_branch() -> str | None:
    """Return the branch that a CI system names: of a fork, whose main is not ours, fork:main."""
    named = [name for variable in _CI_BRANCHES if (name := os.environ.get(variable))]
    if named and named[0] in {os.environ.get(variable) for variable in _CI_TARGETS}:
        return f"fork:{named[0]}"
    return named[0] if named else None


def _date(seconds: str) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)


@dataclass(slots=True)
class Repository:
    """The repository of a work tree.

    `address` is that of its remote, without a password, else its folder.
    """

    top: Path
    address: str = ""
    default: str | None = None
    _refs: list[str] = field(default_factory=list)
    _page: str | None = None

    def __post_init__(self) -> None:
        remote = lines_of(self.top, "config", "--get", "remote.origin.url")
        if remote and (found := _SCP.fullmatch(remote[0]) or _URL.fullmatch(remote[0])):
            place = f"{found[1]}/{found[2].removesuffix('.git')}"
            self.address = self._page = f"https://{place}"
        else:
            self.address = str(self.top)

    def choose(self, default: str | None) -> None:
        """Choose the default branch: the one named, else that of the remote, else a usual name."""
        remote = lines_of(self.top, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
        named = [name.removeprefix("refs/remotes/origin/") for name in remote]
        for name in (default,) if default else (*named, *_USUAL):
            refs = (f"refs/heads/{name}", f"refs/remotes/origin/{name}")
            self._refs = [
                ref for ref in refs if lines_of(self.top, "rev-parse", "-q", "--verify", ref)
            ]
            if self._refs:
                self.default = name
                return

    def kept(self, known: Mapping[str, tuple[int, datetime]]) -> int | None:
        """Return the last position of the default branch that was kept when it was rewritten.

        `known` are positions and dates of its first parents. None where it continues these, or is
        an older state of them.
        """
        places = {one: place for one, (place, _) in known.items()}
        for ref in () if not known or self._is_shallow() else self._refs:
            line, length = self._first_parents(ref, set(), places)
            here = {one: length - at for one, at in places.items() if at <= length < at + len(line)}
            same = [places[one] for one, at in here.items() if line[at] == one]
            if len(same) == len(here):
                return None
            (tip,) = lines_of(self.top, "log", "-1", "--format=%ct", ref)
            if _date(tip) > max(date for _, date in known.values()):
                return max(same, default=0)
        return None

    def _is_shallow(self) -> bool:
        return lines_of(self.top, "rev-parse", "--is-shallow-repository") != ["false"]

    def commits(self, wanted: Collection[str], known: Mapping[str, int]) -> list[Commit]:
        """Return those of some commits, named by their first digits or more, that are there.

        `known` are positions of first parents of the default branch, which stay what they are.
        """
        hashes = sorted(one for one in {name.lower() for name in wanted} if _HASH.fullmatch(one))
        if not hashes:
            return []
        wanted = [f"{one}^{{commit}}" for one in hashes]
        checked = lines_of(self.top, "cat-file", "--batch-check", lines=wanted)
        there = sorted({line.split()[0] for line in checked if " commit " in line})
        found = {one.commit: one for one in self._described(there)}
        for ref in () if self._is_shallow() else self._refs:
            left = {one: c for one, c in found.items() if c.position is None}
            found |= self._placed(left, ref, known) if left else {}
        return list(found.values())

    def _described(self, there: Sequence[str]) -> Iterator[Commit]:
        if not there:
            return
        words = ("log", "--no-walk=unsorted", "--stdin", "-z", _FORMAT)
        for line in (
            git(self.top, *words, lines=there).stdout.decode("utf-8", "replace").split("\0")
        ):
            if line:
                commit, parents, author, seconds, subject = line.split("\x1f", 4)
                page = None if self._page is None else _page(self._page, commit)
                date = _date(seconds)
                yield Commit(self.address, commit, parents.split(), author, date, subject, url=page)

    def _placed(
        self, commits: Mapping[str, Commit], ref: str, known: Mapping[str, int]
    ) -> dict[str, Commit]:
        """Return commits with their places in the history of a ref."""
        line, length = self._first_parents(ref, set(commits), known)
        places = {one: length - i for i, one in enumerate(line)}
        on = (self.default or "",)
        return {
            one: replace(commit, position=places[one], branches=on, fork_position=None)
            if one in places
            else self._beside(commit, ref, line, length)
            for one, commit in commits.items()
        }

    def _first_parents(
        self, ref: str, wanted: set[str], known: Mapping[str, int]
    ) -> tuple[list[str], int]:
        """Return the first parents of a ref, the last one first, and how many there are.

        Only as far as to the last one that is known, where that is as far as it takes.
        """
        words = ("rev-list", "--first-parent", ref)
        if known:
            last = max(known, key=known.__getitem__)
            line = [*lines_of(self.top, *words, f"^{last}"), last]
            below = line[-2:-1] and lines_of(self.top, "rev-parse", f"{line[-2]}^1")
            if (below or lines_of(self.top, "rev-parse", ref)) == [last] and wanted <= set(line):
                return line, known[last] + len(line) - 1
        line = lines_of(self.top, *words)
        return line, len(line)

    def _beside(self, commit: Commit, ref: str, line: Sequence[str], length: int) -> Commit:
        """Return a commit that is no first parent: where it was merged, or where it forked."""
        one = commit.commit
        later = lines_of(self.top, "rev-list", "--first-parent", ref, f"^{one}")
        names = lines_of(
            *(self.top, "for-each-ref", "--contains", one, "--format=%(refname)"),
            *("refs/heads", "refs/remotes"),
        )
        branches = sorted({re.sub("^refs/(heads|remotes/[^/]+)/", "", name) for name in names})
        fork = max(length - len(later), commit.fork_position or 0)
        commit = replace(
            commit,
            branches=[name for name in branches if name != "HEAD"],
            # Two histories may have nothing in common.
            fork_position=fork or None,
        )
        if git(self.top, "merge-base", "--is-ancestor", one, ref).returncode == 0:
            above = set(lines_of(self.top, "rev-list", "--ancestry-path", f"{one}..{ref}"))
            merges = [i for i, of in enumerate(line) if of in above]
            place = merges[-1] if merges else 0
            return replace(commit, position=length - place, merged_in=line[place])
        return commit


def _page(site: str, commit: str) -> str:
    """Return the address of a commit's page."""
    host = site.split("/")[2]
    between = (
        "/-/commit/" if "gitlab" in host else "/commits/" if "bitbucket" in host else "/commit/"
    )
    return f"{site}{between}{commit}"
