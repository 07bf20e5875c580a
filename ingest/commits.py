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
    found = [one for top in tops for one in _new_commits(con, Repository(top), wanted)]
    _write(con, found)
    con.execute(sqlfiles.read("derived/stated_commits").format(runs=runs), params)
    return _runs_of(con, found)


def take_all_commits(con: Connection, repository: Repository) -> tuple[list[Commit], list[str]]:
    """Store the commits of all runs that a repository has; return them, and the runs concerned."""
    named = con.execute('SELECT DISTINCT "commit" FROM runs WHERE "commit" IS NOT NULL').fetchall()
    repository.choose(_default(con))
    found = repository.commits({name for (name,) in named}, {})
    con.execute("DELETE FROM commits WHERE repository = $1", [repository.address])
    _write(con, found)
    return found, _runs_of(con, found)


def set_default(con: Connection, branch: str) -> None:
    """Set the branch that is the history of all applications, unless one of their own is set."""
    con.execute("DELETE FROM default_branches WHERE app = '*'")
    con.execute("INSERT INTO default_branches VALUES ('*', ?)", [branch])


def _new_commits(con: Connection, repository: Repository, wanted: Collection[str]) -> list[Commit]:
    """Return what a repository knows that the warehouse does not."""
    stored = con.execute(
        'SELECT "commit", position, merged_in IS NOT NULL, fork_position FROM commits '
        "WHERE repository = $1",
        [repository.address],
    ).fetchall()
    open_ones = {commit for commit, position, *_ in stored if position is None}
    settled = {commit for commit, position, *_ in stored if position is not None}
    new = {one for one in wanted if one not in settled}
    if not new:
        return []
    repository.choose(_default(con))
    known = {one: position for one, position, merged, _ in stored if position and not merged}
    return repository.commits(new | open_ones, known)


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


def _runs_of(con: Connection, commits: Collection[Commit]) -> list[str]:
    """Return the runs of commits."""
    if not commits:
        return []
    found = con.execute(
        sqlfiles.read("derived/runs_of_commits"),
        {"commits": json.dumps([one.commit for one in commits])},
    ).fetchall()
    return [run_id for (run_id,) in found]
