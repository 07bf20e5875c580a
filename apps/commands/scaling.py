"""The command scale: how a program's time changes with the number of processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from apps.commands import options
from apps.output.formats import Format
from apps.output.numbers import counted
from apps.output.streams import note, write_text
from apps.output.tables import dicts
from apps.output.text import cell
from apps.output.writing import emit
from apps.queries.base import ask, ask_dicts
from apps.queries.scaling import ScalingSet, scaling_functions
from apps.reports.scaling_question import GAIN, Question
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection

_COMPARE = "compare"
_NAMING = "to name runs without an application: pwh ingest FILES --app NAME --replace"


def scale(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="APP | compare APP V1 V2",
            help="An application, a run, or latest; or two versions to compare. "
            "Without it the sets of runs are listed.",
        ),
    ] = None,
    version: Annotated[str | None, typer.Option(help="A version; the newest by default.")] = None,
    machine: Annotated[str | None, typer.Option(help="A machine; the newest by default.")] = None,
    at: Annotated[
        str, typer.Option(help="Counts to predict for; 2, 4 and 8 times the largest by default.")
    ] = "",
    problem_size: Annotated[
        float | None, typer.Option(help="Problem size to predict for; the runs' own by default.")
    ] = None,
    weak: Annotated[
        bool | None,
        typer.Option(
            "--weak/--strong", help="Whether the problem grows with the count or is fixed."
        ),
    ] = None,
    parameter: options.ParameterOption = None,
    gain: Annotated[
        float,
        typer.Option(min=1.0, max=2.0, help="Speed-up that doubling has to buy to be worth it."),
    ] = GAIN,
    cost_weight: Annotated[
        float,
        typer.Option(min=0.0, help="Exponent of the cost, count times time, beside the time."),
    ] = 1.0,
    bases: Annotated[
        Literal["all", "patent"],
        typer.Option(help="Laws to fit: all that are known, or the patent's bases alone."),
    ] = "all",
    style: options.FormatOption = "table",
    output: options.OutputOption = None,
) -> None:
    """Predict how a program scales, and which functions will limit it."""
    from apps.reports.scaling_question import choose_set, complete_question

    counts, kinds = _counts(at), options.parse_parameters(parameter or [])
    with options.reading(context) as con:
        if not words:
            _list_sets(con, style, output)
            return
        if words[0] == _COMPARE and len(words) > 1:
            _compare(con, words[1:], machine, counts, style, output)
            return
        if len(words) > 1:
            raise UsageError(
                f"{' '.join(words)!r} is more than one application",
                hint="pwh scale APP, or pwh scale compare APP V1 V2",
            )
        which, others = choose_set(con, words[0], version, machine)
        if bases == "patent":
            _patent(con, which, complete_question(which, counts, None, None), style, output)
            return
        scaling = None if weak is None else "weak" if weak else "strong"
        question = complete_question(which, counts, scaling, problem_size, kinds)
        _predict(con, which, others, question, gain, cost_weight, style, output)


def _list_sets(con: Connection, style: Format, output: Path | None) -> None:
    """List the sets of runs that can be predicted, with what each has."""
    from apps.reports.scaling_question import how_to_begin
    from apps.reports.scaling_tables import SETS

    rows = ask(con, "scaling/contents", every=True, app=None)
    found = dicts(rows)
    if not found:
        raise NothingToAnalyse("there is no set of runs at known counts", hint=how_to_begin(con))
    emit(con, rows, style, output, partial(SETS.text, found))
    if style != "table":
        return
    note("pwh scale APP predicts one of them, pwh scale RUN that of a run")
    if any(row["app"] is None for row in found):
        note(_NAMING)


def _predict(
    con: Connection,
    which: ScalingSet,
    others: Sequence[ScalingSet],
    question: Question,
    gain: float,
    weight: float,
    style: Format,
    output: Path | None,
) -> None:
    from apps.reports import scaling_tables as tables
    from apps.reports.imbalance import IMBALANCE, listed_imbalance, scaling_imbalance_sentences
    from apps.reports.scaling import scaling_sentences
    from apps.reports.scaling_limits import worth_sentences
    from apps.reports.scaling_question import predict_grid, predict_program

    if style != "table":
        emit(con, predict_program(con, question), style, output)
        return
    functions = dicts(scaling_functions(con, which, question.target, question.problem_size))
    imbalance = ask_dicts(con, "imbalance/scaling", set_id=which.set_id)
    turning = ask_dicts(con, "scaling/turning", set_id=which.set_id, kind=question.kind)
    grid = dicts(predict_grid(con, question))
    program = [row for row in grid if row["parallelism"] in question.counts]
    params = {"set_id": which.set_id, "gain": gain, "cost_weight": weight}
    worth = worth_sentences(question, ask_dicts(con, "scaling/worth", **params), gain, weight)
    sentences = scaling_sentences(question, grid, functions, turning, worth)
    sentences += scaling_imbalance_sentences(imbalance)
    first, growing = tables.ranked(functions)
    efficiencies = ask_dicts(con, "scaling/efficiencies", set_id=which.set_id, kind=question.kind)
    laws = ask_dicts(con, "scaling/laws", set_id=which.set_id, kind=question.kind)
    at = imbalance[0]["parallelism"] if imbalance else None
    shown = (
        (f"Largest shares at {question.target}", tables.RANKED, first),
        ("Shares that grow fastest", tables.RANKED, growing),
        (
            "Efficiencies (POP) at the measured counts",
            *(tables.EFFICIENCIES, tables.known_efficiencies(efficiencies)),
        ),
        (f"Laws of speed-up, against {which.smallest}", tables.LAWS, laws),
        (f"Imbalance over ranks at {at}", IMBALANCE, listed_imbalance(imbalance)),
    )
    parts = [
        "\n".join(f"* {sentence}" for sentence in sentences),
        tables.PROGRAM.text(program),
        *(table.text(rows, title) for title, table, rows in shown if rows),
    ]
    if others:
        parts += _other_sets(con, which.app, others)
    write_text("\n\n".join(parts), output)
    if which.app is None:
        note(_NAMING)


def _patent(
    con: Connection, which: ScalingSet, question: Question, style: Format, output: Path | None
) -> None:
    """Print what the patent's bases alone predict of each function."""
    from apps.reports.scaling_tables import PATENT

    rows = ask(con, "scaling/patent", set_id=which.set_id, counts=list(question.counts))
    found = [row for row in dicts(rows) if row["parallelism"] == question.target]
    title = (
        f"By the patent's bases alone, exponents free: predicted at {question.target}, from "
        f"{which.counts} counts ({which.smallest} to {which.largest})"
    )
    emit(con, rows, style, output, lambda: PATENT.text(found, title))


def _other_sets(con: Connection, app: str | None, others: Sequence[ScalingSet]) -> Iterator[str]:
    """Yield a table of the sets that can be predicted, too, and how many cannot."""
    from apps.reports.scaling_question import UNNAMED
    from apps.reports.scaling_tables import LEAST_COUNTS, SETS

    keys = [(one.app, one.version, one.machine) for one in others]
    rest = [
        row
        for row in ask_dicts(con, "scaling/contents", every=False, app=app)
        if (row["app"], row["version"], row["machine"]) in keys
    ]
    how = "a run" if app is None else "--version and --machine"
    name = UNNAMED if app is None else cell(app)
    models = [row for row in rest if row["counts"] >= LEAST_COUNTS]
    if models:
        yield SETS.text(models, f"Other sets of runs of {name}: choose by {how}")
    if few := len(rest) - len(models):
        yield f"{counted(few, 'other set')} of runs of {name}: fewer than {LEAST_COUNTS} counts."


def _compare(
    con: Connection,
    words: list[str],
    machine: str | None,
    counts: list[int],
    style: Format,
    output: Path | None,
) -> None:
    from apps.reports.scaling_question import choose_set
    from apps.reports.scaling_versions import COMPARED, version_comparison_text

    if len(words) != 3:
        raise UsageError(
            "compare needs an application and two versions", hint="pwh scale compare APP V1 V2"
        )
    before, _ = choose_set(con, words[0], words[1], machine)
    after, _ = choose_set(con, words[0], words[2], machine or before.machine)
    at = counts[-1] if counts else COMPARED * max(before.largest, after.largest)
    sets = {"before": before.set_id, "after": after.set_id}
    rows = ask(con, "scaling/comparison", **sets, at=at)
    times = ask_dicts(con, "scaling/comparison_times", **sets)
    text = partial(version_comparison_text, before, after, rows, times, at)
    emit(con, rows, style, output, text)


def _counts(text: str) -> list[int]:
    """Return the counts of --at: 512,1024,4096."""
    try:
        counts = [int(word) for word in text.replace(",", " ").split()]
    except ValueError:
        counts = [0]
    if any(not 1 <= count < 2**31 for count in counts):
        raise UsageError(
            f"--at {text!r} is not a list of counts", hint="Such as --at 512,1024,4096"
        )
    return counts
