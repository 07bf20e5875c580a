"""Whether what is stored is up to date with the rows, and all of it there; in the same words."""

from __future__ import annotations

from collections.abc import Sequence

from apps.output.numbers import counted
from warehouse import sqlfiles
from warehouse.session import Connection

REFRESH = "pwh refresh computes them anew"
_NAMED = 3


def not_fresh(con: Connection) -> list[str]:
    """Return what is wrong with the freshness of answers, in sentences; none if nothing is.

    Where all is well this reads no rows: every command and page can afford it.
    """
    sql = sqlfiles.read("queries/maintenance/all_counted")
    ((is_complete,),) = con.execute(sql).fetchall()
    return [
        *_sentence(
            [] if is_complete else changed_runs(con),
            "run",
            "had rows added or removed by hand, so answers about {them} are outdated",
        ),
        *_sentence(failed_answers(con), "answer", "could not be computed"),
    ]


def changed_runs(con: Connection) -> list[str]:
    """Return the runs whose rows are others than those that their answers were computed from."""
    found = con.execute("SELECT run_id FROM outdated_runs ORDER BY run_id").fetchall()
    return [run_id for (run_id,) in found]


def failed_answers(con: Connection) -> list[str]:
    """Return the answers that could not be computed, each with the reason."""
    found = con.execute(sqlfiles.read("queries/maintenance/failed_answers")).fetchall()
    return [f"{analysis} of {of} ({reason})" for analysis, of, reason in found]


def _sentence(found: Sequence[str], noun: str, problem: str) -> list[str]:
    if not found:
        return []
    named = ", ".join(found[:_NAMED]) + (" ..." if len(found) > _NAMED else "")
    them = "it" if len(found) == 1 else "them"
    return [f"{counted(len(found), noun)} {problem.format(them=them)}: {named}; {REFRESH}"]
