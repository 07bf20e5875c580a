"""The command commits: what git knows of the commits that runs are of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from apps.commands.options import WaitOption, writing
from apps.output.numbers import counted
from apps.output.streams import print_data
from warehouse.errors import NothingToAnalyse, UsageError


def commits(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="A folder in a work tree of git.")] = Path(),
    default: Annotated[
        str | None,
        typer.Option(
            metavar="BRANCH", help="Set which branch is the history, of all applications."
        ),
    ] = None,
    wait: WaitOption = None,
) -> None:
    """Read the commits of all runs from a git repository: their order, branches and messages."""
    from ingest.analyse import analyse, until_analysed
    from ingest.commits import set_default, take_all_commits
    from ingest.git import Commit, Repository, work_tree
    from warehouse.transactions import transaction

    def take(failed: Mapping[str, str]) -> list[Commit]:
        with transaction(con):
            if default is not None:
                set_default(con, default)
            found, run_ids = take_all_commits(con, repository)
            analyse(con, run_ids, failed)
        return found

    with writing(context, wait) as con:
        top = work_tree(folder)
        if top is None:
            raise UsageError(f"{folder} is in no work tree of git", hint="Name a folder that is.")
        repository = Repository(top)
        found = until_analysed(take)
    if not found:
        raise NothingToAnalyse(
            f"{repository.address} has no commit of a run",
            hint="State commits with pwh ingest --commit, or land files that have them.",
        )
    lines = {
        f"on {repository.default}": [c for c in found if c.position and not c.merged_in],
        "merged into it": [c for c in found if c.merged_in],
        "on other branches": [c for c in found if c.fork_position and not c.position],
        "with dates only": [c for c in found if not c.position and not c.fork_position],
    }
    kinds = "; ".join(f"{len(of)} {kind}" for kind, of in lines.items() if of)
    print_data(f"{repository.address}: {counted(len(found), 'commit')} of runs: {kinds}")
