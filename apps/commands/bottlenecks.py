"""Commands on bottlenecks: diagnose, label."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from apps.commands.options import FormatOption, OutputOption, WaitOption, reading, writing
from apps.output import Format, as_text, cell, emit, note, print_data, write_text
from apps.queries.bottlenecks import (
    bottleneck_classes,
    bottlenecks_by,
    diagnosed_runs,
    tuning_history,
)
from apps.queries.runs import LATEST, resolve_run, run_facts
from warehouse.errors import NothingToAnalyse


class Place(StrEnum):
    """What verdicts are given by."""

    rank = "rank"
    region = "region"


def diagnose(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="RUN|APP", help="A run, latest, or an application.")
    ] = LATEST,
    by: Annotated[Place | None, typer.Option(help="A verdict for each of these.")] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Version by version: class, time, gain.")
    ] = False,
    glyphs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw a star for each run, process, region or sample, a ray a metric: .svg.",
        ),
    ] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Name the bottleneck that hardware counters show, what drove the verdict, and what helps."""
    from apps.reports.bottlenecks import bottleneck_sentences, bottleneck_tables
    from apps.reports.pictures import check_path

    if glyphs is not None:
        check_path(glyphs, (".svg",), "--glyphs")
    with reading(context) as con:
        if history:
            emit(con, _history(con, name), style, output)
            return
        runs = diagnosed_runs(con, name)
        about = f"Run {runs[0]}" if len(runs) == 1 else f"{len(runs)} runs of {name}"
        if glyphs is not None:
            _draw(con, runs, by.value if by else None, about, glyphs)
        if style is not Format.table:
            rows = bottlenecks_by(con, runs, by.value) if by else bottleneck_classes(con, runs)
            emit(con, rows, style, output)
            return
        said = [f"* {sentence}" for sentence in bottleneck_sentences(con, runs)]
        text = "\n".join([about, "", *said])
        text = "\n\n".join([text, *bottleneck_tables(con, runs, by.value if by else None)])
        write_text(text, output)


def _draw(con: Any, runs: list[str], by: str | None, about: str, target: Path) -> None:
    from apps.reports.pictures import save_picture
    from apps.reports.star_glyphs import read_stars, stars_svg

    by, drawn = read_stars(con, runs, by)
    save_picture(target, stars_svg(drawn, f"{cell(about)}, by {by}").encode())
    shown = len(drawn.stars)
    of = "" if shown == drawn.places else f" of {drawn.places}"
    note(f"drew {shown}{of} stars, one a {by}, in {target}")


def _history(con: Any, name: str) -> Any:
    app = name
    rows = tuning_history(con, app)
    if not rows.limit(1).fetchall():
        facts = run_facts(con, diagnosed_runs(con, name)[0])
        app = facts.get("app", "")
        rows = tuning_history(con, app)
    if not rows.limit(1).fetchall():
        raise NothingToAnalyse(
            f"{name!r} has no versions with counters",
            hint="Ingest counters with --app and --version.",
        )
    return rows


def label(
    context: typer.Context,
    run: Annotated[str, typer.Argument(help="A run, the beginning of its id, or latest.")],
    what: Annotated[str, typer.Argument(metavar="CLASS", help="Balance, Mem, DTB ...")],
    rank: Annotated[int | None, typer.Option(help="Only this process.")] = None,
    thread: Annotated[int | None, typer.Option(help="Only this thread.")] = None,
    region: Annotated[str | None, typer.Option(help="Only this code region.")] = None,
    sample: Annotated[int | None, typer.Option(help="Only this sample.")] = None,
    said_by: Annotated[str | None, typer.Option("--by", help="Who says so.")] = None,
    wait: WaitOption = 60.0,
) -> None:
    """Record a person's word on the bottleneck of a run; it overrules every model."""
    from apps.fitting.labels import add_label

    place = {"rank": rank, "thread": thread, "region": region, "sample": sample}
    with writing(context, wait) as con:
        run_id = resolve_run(con, run)
        known = add_label(con, run_id, what, said_by, place)
        shown = as_text(bottleneck_classes(con, [run_id]).project("class, samples, share"))
    note(f"{run_id} is {known}" + "".join(f", {k} {v}" for k, v in place.items() if v is not None))
    print_data(shown)


COMMANDS: tuple[Callable[..., Any], ...] = (diagnose, label)
