"""The commands diagnose and label: bottlenecks of runs, and manual labels."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from apps.commands import options
from apps.output.numbers import counted
from apps.output.streams import note, print_data
from apps.output.tables import relation_text
from apps.output.text import cell
from apps.output.writing import emit
from apps.queries.base import ask, ask_column
from apps.queries.runs import LATEST, resolve_run, resolve_runs, run_facts
from warehouse.errors import NothingToAnalyse
from warehouse.session import Connection


def diagnosed_runs(con: Connection, name: str) -> list[str]:
    """Return the runs of that name: all of an application's that have counters, or `resolve_runs`.

    Raises `NothingToAnalyse` where there are none.
    """
    return ask_column(con, "bottlenecks/runs", app=name) or resolve_runs(con, name)


def diagnose(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="RUN|APP", help="A run, latest, or an application.")
    ] = LATEST,
    by: Annotated[
        Literal["rank", "region"] | None,
        typer.Option(help="List a verdict for each rank or region."),
    ] = None,
    history: Annotated[
        bool, typer.Option("--history", help="List class, time and gain version by version.")
    ] = False,
    glyphs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=options.writable,
            help="Draw a star glyph for each run, process, region or sample, one ray per metric: "
            ".svg.",
        ),
    ] = None,
    style: options.FormatOption = "table",
    output: options.OutputOption = None,
) -> None:
    """Name the bottleneck that hardware counters show, what drove the verdict, and what helps."""
    from apps.reports.bottlenecks import bottleneck_sentences, bottleneck_tables
    from apps.reports.pictures import check_path

    if glyphs is not None:
        check_path(glyphs, (".svg",), "--glyphs")
    with options.reading(context) as con:
        if history:
            app = _application(con, name)
            found = ask(con, "bottlenecks/tuning_history", app=app)
            if found.limit(1).fetchone() is None:
                raise _no_history(app)
            emit(con, found, style, output)
            return
        runs = diagnosed_runs(con, name)
        title = f"Run {runs[0]}" if len(runs) == 1 else f"{len(runs)} runs of {name}"
        if glyphs is not None:
            _draw(con, runs, by, title, glyphs)
        of = {} if by else {"rank": None}
        rows = partial(ask, con, f"bottlenecks/{f'by_{by}' if by else 'classes'}", runs=runs, **of)

        def text() -> str:
            sentences = [f"* {sentence}" for sentence in bottleneck_sentences(con, runs)]
            tables = bottleneck_tables(con, runs, by)
            return "\n\n".join(["\n".join([title, "", *sentences]), *tables])

        emit(con, rows, style, output, text)


def _draw(con: Connection, runs: list[str], by: str | None, title: str, target: Path) -> None:
    from apps.reports.pictures import save_picture
    from apps.reports.star_glyphs import read_stars, stars_svg

    by, glyphs = read_stars(con, runs, by)
    save_picture(target, stars_svg(glyphs, f"{cell(title)}, by {by}").encode())
    shown = counted(len(glyphs.stars), "star")
    total = "" if len(glyphs.stars) == glyphs.places else f" of {glyphs.places}"
    note(f"{target}: {shown}{total}, one per {by}")


def _application(con: Connection, name: str) -> str:
    """Return the application of that name, or that of the run of that name."""
    runs = diagnosed_runs(con, name)
    app = run_facts(con, runs[0]).get("app")
    if app is None:
        raise _no_history(name)
    return str(app)


def _no_history(name: str) -> NothingToAnalyse:
    return NothingToAnalyse(
        f"{name!r} has no versions with counters",
        hint="Ingest counters with --app and --version.",
    )


def label(
    context: typer.Context,
    run: options.RunArgument,
    what: Annotated[str, typer.Argument(metavar="CLASS", help="Balance, Mem, DTB ...")],
    rank: Annotated[int | None, typer.Option(help="Only this process.")] = None,
    thread: Annotated[int | None, typer.Option(help="Only this thread.")] = None,
    region: Annotated[str | None, typer.Option(help="Only this code region.")] = None,
    sample: Annotated[int | None, typer.Option(help="Only this sample.")] = None,
    labelled_by: options.LabellerOption = None,
    wait: options.WaitOption = None,
) -> None:
    """Label the bottleneck of a run manually; the label overrules every model."""
    from apps.fitting.labels import add_label

    place = {"rank": rank, "thread": thread, "region": region, "sample": sample}
    with options.writing(context, wait) as con:
        run_id = resolve_run(con, run)
        known = add_label(con, run_id, what, labelled_by, place)
        shown = relation_text(
            ask(con, "bottlenecks/classes", runs=[run_id], rank=None).project(
                "class, samples, share"
            )
        )
    note(f"{run_id} is {known}" + "".join(f", {k} {v}" for k, v in place.items() if v is not None))
    print_data(shown)
