"""Commands that train and store models: fit bottlenecks, behaviour, throughput."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from apps.commands.options import FormatOption, OutputOption, WaitOption, reading, writing
from apps.output import Format, emit, note, write_text
from apps.queries.base import ask
from apps.queries.threads import behaviour_thresholds
from warehouse.errors import UsageError

app = typer.Typer(
    name="fit",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Train a model on the warehouse's rows, and store it as a new version.",
)


def bottlenecks(
    context: typer.Context,
    metric_set: Annotated[
        str | None, typer.Option(help="The metrics; by default those with most labelled samples.")
    ] = None,
    k: Annotated[
        str, typer.Option(metavar="auto|N", help="How many clusters; auto: gap statistic.")
    ] = "auto",
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV or Parquet: run_id, class, and any of rank, thread, region, sample, "
            "program, family, who, frac_mem, frac_dtb, frac_icache, frac_dma.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of all random choices.")] = 0,
    overrule: Annotated[
        list[str] | None,
        typer.Option(metavar="CLUSTER=CLASS", help="A person's word on a cluster; it stays."),
    ] = None,
    said_by: Annotated[str | None, typer.Option("--by", help="Who says so.")] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
    wait: WaitOption = 60.0,
) -> None:
    """Learn to name bottlenecks from counters: clusters, labels, classifiers side by side."""
    from apps.fitting.bottlenecks import gather, learn, store
    from apps.reports.fit import bottleneck_fit_report
    from ingest.load import transaction

    clusters, overruled = _clusters(k), _overruled(overrule or ())
    # Others can ingest while this computes, so the warehouse is open at the ends only.
    with reading(context, wait) as con:
        gathered = gather(con, metric_set, labels, overruled, note)
    learned = learn(gathered, clusters, seed, note)
    with writing(context, wait) as con:
        with transaction(con):
            version = store(con, gathered, learned, said_by)
        if style is not Format.table:
            scores = ask(con, "fit/scores", kind=learned.fit.kind, version=version)
            emit(con, scores, style, output)
            return
        text = bottleneck_fit_report(con, learned, version)
    write_text(text, output)


def behaviour(
    context: typer.Context,
    run: Annotated[
        str | None,
        typer.Argument(help="A run whose behaviour is known; without one, what is known so far."),
    ] = None,
    behaviours: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BEHAVIOUR",
            help="divergent, synchronising, data-bound, compute-bound, or 'not divergent', "
            "'not synchronising'.",
        ),
    ] = None,
    launch: Annotated[int | None, typer.Option(min=0, help="Which launch of the run.")] = None,
    program: Annotated[
        str | None, typer.Option(help="A name for it; RUN, launch N by default.")
    ] = None,
    said_by: Annotated[str | None, typer.Option("--by", help="Who says so, and from what.")] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
    wait: WaitOption = 60.0,
) -> None:
    """Learn over which rates threads diverge or synchronise, from launches known to do so."""
    if run is not None:
        from apps.fitting.behaviour import keep_reference

        with writing(context, wait) as con:
            said = keep_reference(con, run, behaviours or (), launch, program, said_by)
        note(said)
    with reading(context, wait) as con:
        emit(con, behaviour_thresholds(con), style, output)


class Form(StrEnum):
    """What segments are recorded as."""

    trace = "trace"
    code = "code"


def throughput(
    context: typer.Context,
    reduce: Annotated[
        str | None,
        typer.Option(
            metavar="som:N,SHARE",
            help="Learn from few segments that stand for all: a self-organising map of N "
            "classes, then k-means in each; som:200,0.15.",
        ),
    ] = None,
    form: Annotated[
        Form | None,
        typer.Option(help="Traced segments or machine code; by default what is measured most."),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option(help="Machine that it is a model of; by default that of the runs."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of all random choices.")] = 0,
    style: FormatOption = Format.table,
    output: OutputOption = None,
    wait: WaitOption = 60.0,
) -> None:
    """Learn what a core sustains from measured segments: network, trees and bounds beside it."""
    from apps.fitting.throughput import gather, make_fit, parse_reduction, throughput_fit_report
    from ingest.load import transaction
    from udfs.throughput.fitting import fit_throughput as fitting
    from warehouse import models

    reduction = parse_reduction(reduce)
    with reading(context, wait) as con:
        gathered = gather(con, form and form.value)
    fitted = fitting(gathered.samples, reduction, seed, note)
    fit = make_fit(gathered, fitted, subject, seed)
    with writing(context, wait) as con:
        with transaction(con):
            version = models.store(con, fit)
        if style is not Format.table:
            emit(con, ask(con, "fit/scores", kind=fit.kind, version=version), style, output)
            return
        text = throughput_fit_report(con, gathered, fitted, fit, version)
    write_text(text, output)


def _clusters(text: str) -> int | None:
    """Read --k: None for auto."""
    if text.lower() == "auto":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--k {text!r} is no number of clusters", hint="--k auto, or --k 6")
    return int(text)


def _overruled(words: Sequence[str]) -> dict[int, str]:
    """Read --overrule: classes by cluster number."""
    found = {}
    for word in words:
        number, _, kind = word.partition("=")
        if not number.strip().isdecimal() or not kind.strip():
            raise UsageError(
                f"--overrule {word!r} is no cluster and class", hint="Such as --overrule 3=Mem"
            )
        found[int(number)] = kind.strip()
    return found


COMMANDS: tuple[Callable[..., Any], ...] = (bottlenecks, behaviour, throughput)
for command in COMMANDS:
    app.command(command.__name__)(command)
