"""The command bisect: which of many commits changed a metric, with as few runs as are needed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from apps.commands import options
from apps.commands.record import INTERRUPTED, configuration, land_recorded, recorded_side
from apps.output.numbers import counted
from apps.output.streams import note, print_data
from apps.output.tables import Row
from apps.queries.base import ask_dicts
from apps.queries.explanations import comparable
from warehouse.errors import NothingToAnalyse, UsageError

if TYPE_CHECKING:
    from apps.recording.session import Recorded, Side
    from apps.recording.work_trees import WorkTrees
    from udfs.measuring.bisection import Belief

_BUILD_RUNS = 3.0  # what building a commit is taken to cost before one was built, in runs


def bisect(
    context: typer.Context,
    commits: Annotated[
        str,
        typer.Argument(metavar="GOOD..BAD", help="A commit before the change, and one after it."),
    ],
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- COMMAND...]",
            help="The program to measure; without it, only stored runs of --app are searched.",
        ),
    ] = None,
    metric: Annotated[str, typer.Option(help="Metric that changed.")] = "wall_seconds",
    build: Annotated[
        str | None, typer.Option(metavar="'COMMAND'", help="What builds a commit in its work tree.")
    ] = None,
    runs: Annotated[int, typer.Option(min=0, help="Most runs to record.")] = 40,
    certainty: Annotated[
        str, typer.Option(metavar="P%", help="Probability of the commit at which to stop.")
    ] = "95%",
    app: options.ProgramOption = None,
    machine: options.HardwareOption = None,
    tool: Annotated[
        list[str] | None,
        typer.Option(metavar="TOOL", help="As of pwh record; none unless stated. Repeatable."),
    ] = None,
    wait: options.WaitOption = None,
) -> None:
    """Find the commit that changed a metric, by stored runs and by those that tell most."""
    from apps.recording.process import check_program
    from apps.recording.standard_input import open_missing
    from apps.recording.work_trees import WorkTrees, repository_of

    enough = options.parse_share(certainty, "--certainty")
    if not 0.5 <= enough < 1:
        raise UsageError(f"--certainty {certainty} is out of range", hint="Such as 95%")
    if not command and app is None:
        raise UsageError("there is nothing to search", hint="Name --app, or -- COMMAND to run.")
    open_missing()
    top = repository_of(Path.cwd())
    names = _range(top, commits)
    if not command:
        search = _Search(context, names, {"app": app, "machine": machine}, metric)
        search.read()
        if len(set(search.places)) < 2:
            raise NothingToAnalyse(
                f"{app!r} has no runs of two of these commits with {metric!r}",
                hint="Add -- COMMAND to record some.",
            )
        _report(context, top, search, enough)
        return
    check_program(command)
    trees = WorkTrees(top, build)
    search = _Search(context, names, {"app": app, "machine": machine}, metric, command, tool or [])
    search.prepare()
    code = _measure(search, trees, runs, enough, 60.0 if wait is None else wait)
    if code == INTERRUPTED:
        note("stopped; the same command continues with the runs that have landed")
        raise typer.Exit(code)
    trees.remove()
    if runs and not search.rows:
        raise NothingToAnalyse(
            f"the runs of {search.facts['app']!r} have no {metric!r} above 0",
            hint='pwh sql "SELECT DISTINCT metric FROM run_metrics" lists all metrics.',
        )
    if len(set(search.places)) < 2:
        raise NothingToAnalyse("fewer than two of these commits could be measured")
    _report(context, top, search, enough)


@dataclass(slots=True)
class _Search:
    """State of a search through commits: values, and what it takes to measure more."""

    context: typer.Context
    commits: Sequence[str]
    facts: dict[str, Any]
    metric: str
    command: Sequence[str] = ()
    tools: Sequence[str] = ()
    side: Side | None = None
    configuration: Sequence[str] | None = None
    rows: Sequence[Row] = ()
    skipped: set[int] = field(default_factory=set)

    @property
    def places(self) -> list[int]:
        """The commit of each value."""
        place = {commit: at for at, commit in enumerate(self.commits)}
        return [place[row["commit"]] for row in self.rows]

    @property
    def values(self) -> list[float]:
        """The logarithms of the values."""
        return [log(row["value"]) for row in self.rows]

    def prepare(self) -> None:
        """Find out what stored runs of the command are called, and read them."""
        from apps.recording import surroundings

        app, machine = self.facts["app"], self.facts["machine"] or surroundings.machine()
        facts = {"version": None, "machine": machine}
        side = recorded_side(self.command, app, facts, {}, list(self.tools), {}, Path())
        self.side = side
        self.facts = {"app": side.facts["app"], "machine": side.facts["machine"]}
        self.configuration = configuration(side)
        self.read()

    def read(self) -> None:
        """Read the values of all commits from the warehouse."""
        db = self.context.obj
        if self.command and isinstance(db, Path) and not db.exists():
            return
        with options.reading(self.context, after_changes=bool(self.command)) as con:
            self.rows = ask_dicts(
                con,
                "record/values",
                commits=list(self.commits),
                metric=self.metric,
                configuration=self.configuration,
                **self.facts,
            )

    def belief(self) -> Belief:
        """Return what the values say."""
        from udfs.measuring.bisection import belief

        return belief(len(self.commits), self.places, self.values)

    def next(self, costs: Sequence[float]) -> tuple[int, int]:
        """Return the commit to measure next, and how often."""
        from udfs.measuring.bisection import next_measurement

        return next_measurement(len(self.commits), self.places, self.values, costs)

    def record(self, folder: Path, often: int, wait: float) -> tuple[list[Recorded], int]:
        """Run the program of a commit and land its runs; return them, and an exit code."""
        from apps.recording import surroundings
        from apps.recording.session import Session

        version = surroundings.git_version(folder)
        facts = {"version": version.name, "machine": self.facts["machine"], **version.facts}
        if self.side is None:
            raise ValueError("prepare() comes first")
        # What building leaves in tracked files is no change of the commit.
        side = replace(self.side, facts={**self.side.facts, **facts}, folder=folder)
        session = Session(self.facts["app"], often)
        recorded: list[Recorded] = []
        code = 0
        try:
            for _ in range(often):
                one = session.record(side)
                recorded.append(one)
                if one.done.interrupted or one.done.exit_code:
                    code = INTERRUPTED if one.done.interrupted else one.done.exit_code
                    break
        except KeyboardInterrupt:
            code = INTERRUPTED
        if not recorded:
            session.discard()
            return [], code
        landing = land_recorded(self.context, session, recorded, wait, keep=False)
        if landing:
            raise typer.Exit(landing)
        return recorded, code


def _range(top: Path, text: str) -> list[str]:
    """Return the commits of GOOD..BAD along first parents, the good one first.

    Raises `UsageError` where that is no such range.
    """
    from apps.recording.work_trees import commit_named
    from ingest.git import git, lines_of

    good, mark, bad = text.partition("..")
    first, last = (commit_named(top, name or "HEAD") for name in (good, bad.lstrip(".")))
    if not mark or first is None or last is None:
        raise UsageError(f"{text!r} is no range of commits here", hint="Such as v1.0..HEAD")
    if git(top, "merge-base", "--is-ancestor", first, last).returncode != 0:
        raise UsageError(f"{good} is not before {bad}", hint="Name the earlier commit first.")
    between = lines_of(top, "rev-list", "--first-parent", "--reverse", f"{first}..{last}")
    if not between:
        raise UsageError(f"there is no commit in {text}")
    return [first, *between]


def _measure(search: _Search, trees: WorkTrees, runs: int, enough: float, wait: float) -> int:
    """Measure until a commit is certain enough or all runs are spent; return an exit code."""
    done, built, spent = 0, 0, 0.0
    seconds = 0.0  # of a run
    try:
        while done < runs:
            if _is_certain(search, enough):
                return 0
            build = _BUILD_RUNS if not built else spent / built / max(seconds, 1e-3)
            costs = [
                float("inf") if at in search.skipped else 0.0 if trees.is_built(commit) else build
                for at, commit in enumerate(search.commits)
            ]
            if sum(cost < float("inf") for cost in costs) < 2:
                return 0
            at, often = search.next(costs)
            began = time.monotonic()
            is_new = not trees.is_built(search.commits[at])
            folder = trees.folder(search.commits[at])
            if folder is None:
                note(f"skipped: {search.commits[at][:9]} does not build")
                search.skipped.add(at)
                continue
            if is_new:
                built, spent = built + 1, spent + time.monotonic() - began
            recorded, code = search.record(folder, min(often, runs - done), wait)
            if code == INTERRUPTED:
                return code
            if code:
                note(f"skipped: the program fails at {search.commits[at][:9]}")
                search.skipped.add(at)
                continue
            done += len(recorded)
            seconds = sum(one.done.wall for one in recorded) / len(recorded)
            search.read()
            if not search.rows:  # none has this metric
                return 0
            known = search.belief()
            note(
                f"{counted(len(search.rows), 'run')}: {search.commits[known.culprit][:9]} has a "
                f"probability of {known.at.max():.0%}, "
                f"{counted(len(known.not_told_apart(enough)), 'commit')} not told apart"
            )
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _is_certain(search: _Search, enough: float) -> bool:
    """Return whether a commit is probable enough, with those before it that do not build."""
    if len(set(search.places)) < 2:
        return False
    at = search.belief().at
    total = most = 0.0
    for place, share in enumerate(at):
        total += float(share)
        if place not in search.skipped:
            most, total = max(most, total), 0.0
    return max(most, total) >= enough


def _report(context: typer.Context, top: Path, search: _Search, enough: float) -> None:
    from apps.reports.bisection import bisected_text
    from apps.reports.explanations import leading_cause
    from ingest.git import lines_of

    known = search.belief()
    named = known.not_told_apart(enough)
    words = ("log", "--no-walk=unsorted", "--format=%h %s (%an)")
    subjects = lines_of(top, *words, *(search.commits[at] for at in named))
    places = search.places
    print_data(bisected_text(search.metric, search.commits, known, named, subjects, places))
    if known.none > 0.5:
        return
    sides: tuple[list[str], list[str]] = ([], [])
    for row, at in zip(search.rows, places, strict=True):
        sides[at >= known.culprit].append(row["run_id"])
    if all(sides):
        with options.reading(context, after_changes=True) as con:
            cause = leading_cause(con, comparable(con, sides[1], sides[0]))
        if cause is not None:
            print_data(f"* {cause.text}")
        near = [
            next(row["run_id"] for row, at in zip(search.rows, places, strict=True) if at == one)
            for one in (
                min(at for at in places if at >= known.culprit),
                max(at for at in places if at < known.culprit),
            )
        ]
        print_data(f"More: pwh explain {near[0]} --against {near[1]}")
