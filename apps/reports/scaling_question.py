"""Which set of runs is predicted, at which counts: what the verdict and the tables are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.output.numbers import counted
from apps.output.tables import Row
from apps.output.text import cell, sql_command, sql_text, version_text
from apps.queries.base import ask_column, ask_dicts
from apps.queries.runs import LATEST, resolve_app, resolve_run, run_facts
from apps.queries.scaling import ScalingSet, scaling_program, scaling_sets
from apps.reports.flags import first_text
from ingest.parsing.parameters import COUNTS
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection, Relation

# How runs without an application name are listed; they are chosen by one of their runs.
UNNAMED = "(no application)"
_NO_RUNS = (
    "Ingest profiles (TAU, Score-P, Caliper, mpiP, Extra-P ...) of runs at different counts, or a "
    "CSV with the columns app, ranks and wall_seconds; --app and --ranks state what a file leaves "
    "out. An Extra-P file without METRIC lands as counters: add the line METRIC time before its "
    "data, and ingest it again."
)
_NOT_COMPUTED = "Function times are there: pwh refresh computes what follows from them."
MORE_COUNTS = "A model needs at least three counts: ingest runs at others."
CALLS = "calls"
"""Kind of what sets are scaled by in which only communication was measured."""
GAIN = 1.5
"""Speed-up that doubling the count has to buy to be worth it."""
# Predictions are searched up to this many times the largest count.
REACH = 64
# Flags under which a time beyond the measured counts is a guess.
_GUESSED = {
    *("break_not_extrapolatable", "times_rounded", "last_counts_off"),
    *("poor_fit", "several_problems"),
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a program: which set of runs, at which counts, of which problem size.

    `scaling` and `kind` (of the parameter) are as measured unless the user states others.
    `problem_size` is None for that of the runs. `is_stated` is whether the user states the scaling.
    """

    which: ScalingSet
    counts: tuple[int, ...]
    scaling: str
    kind: str
    problem_size: float | None
    is_stated: bool = False

    @property
    def target(self) -> int:
        """The count at which functions are ranked."""
        return self.counts[-1]

    @property
    def is_count(self) -> bool:
        """Whether the parameter counts what runs at once, so that there are speed-ups."""
        return self.kind in COUNTS

    @property
    def is_weak(self) -> bool:
        """Whether the problem grows with the count."""
        return self.scaling == "weak"

    @property
    def stated(self) -> tuple[str | None, str | None]:
        """The scaling and the kind of parameter that the user states, None where as measured."""
        which = self.which
        scaling = self.scaling if self.is_stated else None
        return scaling, None if self.kind == which.kind else self.kind


def choose_set(
    con: Connection, app: str, version: str | None = None, machine: str | None = None
) -> tuple[ScalingSet, list[ScalingSet]]:
    """Return the named set of runs, the newest of several, and the others.

    `app` is an application, one of its runs, or `latest`. Raises `NothingToAnalyse` where there
    is no such set, or none with three different counts.
    """
    found = scaling_sets(con, app, version, machine)
    others = found
    if not found and app not in ask_column(con, "scaling/apps"):
        others = scaling_sets(con, LATEST)
        found = _of_run(con, app, version, machine, others)
    if not found:
        known = ask_column(con, "scaling/apps")
        if app in known and version is None and machine is None:
            raise NothingToAnalyse(f"{app!r} has no set of runs yet", hint=_NOT_COMPUTED)
        raise NothingToAnalyse(
            f"there are no function times at known counts for {app!r}"
            + (f", version {version!r}" if version else "")
            + (f", machine {machine!r}" if machine else ""),
            hint=f"There are some for: {', '.join(known[:8])}. pwh scale lists all sets of runs."
            if known
            else how_to_begin(con, _app_of(con, app)),
        )
    best = next((one for one in found if one.is_modelled), found[0])
    if not best.is_modelled:
        raise NothingToAnalyse(few_counts(best), hint=MORE_COUNTS)
    return best, [one for one in others if one != best and one.app == best.app]


def how_to_begin(con: Connection, app: str | None = None) -> str:
    """Return what to type where nothing can be predicted of an application, or of any."""
    if app is None and ask_column(con, "scaling/apps"):
        return _NOT_COMPUTED
    found = ask_dicts(con, "scaling/wall_times", app=app)
    if not found:
        return _NO_RUNS
    (row,) = found
    app, counts = row["app"], row["counted_by"]
    which = "app IS NULL" if app is None else f"app = {sql_text(app)}"
    sql = f"SELECT run_id, {counts}, wall_seconds FROM runs WHERE {which}"
    missing = f", and write the missing {counts} into it." if row["uncounted"] else "."
    return (
        f"The wall time is known of {counted(row['runs'], 'run')} of "
        f"{UNNAMED if app is None else cell(app)}. Make them a table: {sql_command(sql)} -f csv "
        f"-o walls.csv{missing} Then: pwh ingest walls.csv"
    )


def _app_of(con: Connection, name: str) -> str | None:
    """Return the application of that name or of that run; None if there is none."""
    try:
        return resolve_app(con, name)
    except NothingToAnalyse:
        return None


def _of_run(
    con: Connection,
    name: str,
    version: str | None,
    machine: str | None,
    sets: Sequence[ScalingSet],
) -> list[ScalingSet]:
    """Return the set of a run; another version or machine of its application where named."""
    try:
        facts = run_facts(con, resolve_run(con, name))
    except NothingToAnalyse:
        return []
    keys = (facts.get("app"), version or facts.get("version"), machine or facts.get("machine"))
    return [one for one in sets if (one.app, one.version, one.machine) == keys]


def few_counts(which: ScalingSet) -> str:
    """Return why a set of runs has no model."""
    return f"{set_name(which)} was measured at {counted(which.counts, 'count')}"


def set_name(which: ScalingSet) -> str:
    """Return a set of runs in words: its application, version and machine."""
    parts = [UNNAMED if which.app is None else cell(which.app)]
    parts += [f"version {version_text(which.version)}"] if which.version else []
    parts += [f"on {cell(which.machine)}"] if which.machine else []
    return " ".join(parts)


def complete_question(
    which: ScalingSet,
    counts: Sequence[int],
    scaling: str | None,
    problem_size: float | None,
    kinds: Mapping[str, str] | None = None,
) -> Question:
    """Return the question with defaults filled in: 2, 4 and 8 times the largest count.

    `kinds` are those of parameters that the user states, by name.
    """
    if wrong := next((name for name in kinds or {} if name != which.parameter), None):
        raise UsageError(
            f"{set_name(which)} is not scaled by {wrong!r}",
            hint=f"It is scaled by {which.parameter}, so --parameter {which.parameter}=KIND. What "
            "another parameter is, is stated as its file lands: pwh ingest --replace --parameter "
            "NAME=KIND FILE",
        )
    kind = (kinds or {}).get(which.parameter, which.kind)
    targets = tuple(sorted(set(counts))) or tuple(which.largest * k for k in (2, 4, 8))
    if targets[0] < 1:
        raise UsageError("counts of --at must be 1 or more", hint="Such as --at 512,1024,4096")
    other = None if problem_size == which.problem_size else problem_size
    return Question(which, targets, scaling or which.scaling, kind, other, scaling is not None)


def predict_program(con: Connection, question: Question) -> Relation:
    """Return the program's predicted time, speed-up, efficiency and core hours."""
    return scaling_program(
        con, question.which, question.counts, *question.stated, question.problem_size
    )


def why_guessed(row: Row) -> str | None:
    """Return why a predicted time is a guess, None where it is none."""
    return first_text(row["flags"], _GUESSED)


def predict_grid(con: Connection, question: Question) -> Relation:
    """Return the program's predicted time at measured counts and about two an octave."""
    counts = ask_column(
        con, "scaling/program_counts", set_id=question.which.set_id, counts=list(question.counts)
    )
    return scaling_program(con, question.which, counts, *question.stated, question.problem_size)
