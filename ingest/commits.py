"""Commits that runs are of: from git where it has them, else as files state them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict
from pathlib import Path

from ingest.git import Commit, Repository, work_tree
from warehouse import sqlfiles
from warehouse.session import Connection


def take_commits(con: Connection, run_ids: Collection[str], folders: Iterable[Path]) -> list[str]:
    """Store the commits of runs, from the repositories of folders; return the runs concerned.

    These are also runs of commits that were on no default branch before and may be now.
    """
    runs, params = sqlfiles.of_runs(run_ids)
    named = con.execute(
        f'SELECT DISTINCT "commit" FROM runs WHERE {runs} AND "commit" IS NOT NULL', params
    ).fetchall()
    if not named:
        return []
    wanted = {name.lower() for (name,) in named}
    tops = dict.fromkeys(top for folder in folders if (top := work_tree(folder)) is not None)
    touched = [one for top in tops for one in _read(con, Repository(top), wanted)[1]]
    con.execute(sqlfiles.read("derived/stated_commits").format(runs=runs), params)
    return _runs_of(con, touched)


def take_all_commits(con: Connection, repository: Repository) -> tuple[list[Commit], list[str]]:
    """Store the commits of all runs that a repository has; return them, and the runs concerned."""
    named = con.execute('SELECT DISTINCT "commit" FROM runs WHERE "commit" IS NOT NULL').fetchall()
    found, touched = _read(con, repository, {name.lower() for (name,) in named}, again=True)
    return found, _runs_of(con, touched)


def set_default(con: Connection, branch: str) -> None:
    """Set the branch that is the history of all applications, unless one of their own is set."""
    con.execute("DELETE FROM default_branches WHERE app = '*'")
    con.execute("INSERT INTO default_branches VALUES ('*', ?)", [branch])


def _read(
    con: Connection, repository: Repository, wanted: Collection[str], *, again: bool = False
) -> tuple[list[Commit], list[str]]:
    """Store what a repository knows that the warehouse does not; with `again` all of it.

    Returns what it has, and the commits whose places may be others now: also those that a push has
    taken off the default branch since.
    """
    stored = con.execute(
        'SELECT "commit", position, merged_in IS NOT NULL, committed_at FROM commits '
        "WHERE repository = $1",
        [repository.address],
    ).fetchall()
    settled = {commit for commit, position, *_ in stored if position is not None}
    new = set(wanted) if again else {one for one in wanted if one not in settled}
    if not new:
        return [], []
    repository.choose(_default(con))
    first_parents = {
        one: (position, date) for one, position, merged, date in stored if position and not merged
    }
    kept = repository.kept(first_parents)
    gone = set()
    if kept is not None:
        gone = {one for one, position, *_ in stored if position and position > kept}
        con.execute(
            "UPDATE commits SET position = NULL, merged_in = NULL, fork_position = nullif($2, 0), "
            "branches = [] WHERE repository = $1 AND position > $2",
            [repository.address, kept],
        )
    open_ones = {commit for commit, position, *_ in stored if position is None} | gone
    known = {one: place for one, (place, _) in first_parents.items() if one not in gone}
    found = repository.commits(new | open_ones, {} if again else known)
    _write(con, found)
    return found, [*gone, *(one.commit for one in found)]


def _default(con: Connection) -> str | None:
    """Return the default branch that is set for all applications."""
    found = con.execute("SELECT branch FROM default_branches WHERE app = '*'").fetchone()
    return None if found is None else str(found[0])


def _write(con: Connection, commits: Collection[Commit]) -> None:
    """Write commits of one repository after the other, in place of what was stored of them."""
    if commits:
        con.execute(
            'DELETE FROM commits WHERE (repository, "commit") IN (SELECT (r, c) FROM (SELECT '
            "unnest(from_json($repositories, '[\"VARCHAR\"]')) AS r, "
            "unnest(from_json($commits, '[\"VARCHAR\"]')) AS c))",
            {
                "repositories": json.dumps([one.repository for one in commits]),
                "commits": json.dumps([one.commit for one in commits]),
            },
        )
        rows = json.dumps([asdict(one) for one in commits], default=str)
        con.execute(sqlfiles.read("derived/commits"), {"commits": rows})


def _runs_of(con: Connection, commits: Collection[str]) -> list[str]:
    """Return the runs of commits."""
    if not commits:
        return []
    asked = {"commits": json.dumps(list(commits))}
    return [
        run_id
        for (run_id,) in con.execute(sqlfiles.read("derived/runs_of_commits"), asked).fetchall()
    ]
