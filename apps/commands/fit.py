"""Commands that train and choose models: fit bottlenecks, behaviour, throughput, choose."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import typer

from apps.commands import options
from apps.output.progress import note_progress
from apps.output.streams import note, print_data, write_text
from apps.output.writing import emit
from apps.queries.base import ask
from apps.queries.runs import resolve_run
from udfs.progress import Progress
from warehouse.errors import UsageError

_Trained = TypeVar("_Trained")
# Classifiers of bottlenecks; auto is the best on held-out programs.
Algorithm = Literal[
    "auto", "autoencoder", "tree", "neighbours", "logistic", "forest", "boosting", "networks"
]

fit = options.group(
    "fit", "Train models on the warehouse's rows, each stored as a new version; choose one."
)


def bottlenecks(
    context: typer.Context,
    metric_set: Annotated[
        str | None, typer.Option(help="Metric set; by default the one with most labelled samples.")
    ] = None,
    k: Annotated[
        str, typer.Option(metavar="auto|N", help="Number of clusters; auto: by the gap statistic.")
    ] = "auto",
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV or Parquet: run_id, class, and any of rank, thread, region, sample, "
            "program, family, who, frac_mem, frac_dtb, frac_icache, frac_dma.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random choices.")] = 0,
    overrule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLUSTER=CLASS", help="Label a cluster manually, also for later fits."
        ),
    ] = None,
    labelled_by: options.LabellerOption = None,
    search: Annotated[
        bool,
        typer.Option(
            "--search",
            help="Search depth and width of the autoencoder (12 shapes): some minutes more.",
        ),
    ] = False,
    algorithm: Annotated[
        Algorithm,
        typer.Option(
            help="Classifier; auto: the best on held-out programs. autoencoder: the stacked sparse "
            "autoencoder of Feng, Liu and He."
        ),
    ] = "auto",
    style: options.FormatOption = "table",
    output: options.OutputOption = None,
    wait: options.WaitOption = None,
) -> None:
    """Train a model that classifies bottlenecks from counters; compare classifiers."""
    options.need("fit")
    from apps.fitting.bottlenecks import read_training_data, store_model, train
    from apps.reports.fit import bottleneck_fit_report, fit_sentence
    from ingest.analyse import analyse_all
    from warehouse.transactions import transaction

    clusters, overruled = _clusters(k), _overruled(overrule or ())
    # Others can ingest while this computes, so the warehouse is open at the ends only.
    with options.reading(context, wait) as con:
        data = read_training_data(con, metric_set, labels, overruled, note_progress)
    model = _until_interrupted(
        lambda progress: train(
            data, clusters, seed, progress, search=search, algorithm=_full_name(algorithm)
        )
    )
    with options.writing(context, wait) as con:
        with transaction(con):
            version = store_model(con, data, model, labelled_by)
        analyse_all(con)
        if style != "table":
            note(fit_sentence(con, model.fit, version))
            scores = ask(con, "fit/scores", kind=model.fit.kind, version=version)
            emit(con, scores, style, output)
            return
        text = bottleneck_fit_report(con, model, version)
    write_text(text, output)


def _full_name(algorithm: Algorithm) -> str | None:
    from udfs.bottleneck.judging import ALGORITHMS

    if algorithm == "auto":
        return None
    return next(name for name in ALGORITHMS if algorithm in name)


def _until_interrupted(train: Callable[[Progress], _Trained]) -> _Trained:
    """Train with progress on stderr; where a user interrupts it, print what was found and exit."""
    found: list[str] = []

    def progress(step: str, left: float | None = None) -> None:
        note_progress(step, left)
        if "% right" in step:
            found.append(step.removeprefix("holding out programs: "))

    try:
        return train(progress)
    except KeyboardInterrupt:
        note(f"interrupted; so far: {'; '.join(found) or 'no classifier is scored yet'}")
        note("nothing is stored: the model in use is the one before")
        raise typer.Exit(130) from None


def behaviour(
    context: typer.Context,
    run: Annotated[
        str | None,
        typer.Argument(
            help="A run whose behaviour is known; without one, show the thresholds so far."
        ),
    ] = None,
    behaviours: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BEHAVIOUR...",
            help="divergent, synchronising, data-bound, compute-bound, or 'not divergent', "
            "'not synchronising'.",
        ),
    ] = None,
    launch: Annotated[int | None, typer.Option(min=0, help="Launch of the run.")] = None,
    program: Annotated[
        str | None, typer.Option(help="Name of the program; RUN, launch N by default.")
    ] = None,
    labelled_by: Annotated[
        str | None, typer.Option("--by", help="Who assigns the label, and why.")
    ] = None,
    style: options.FormatOption = "table",
    output: options.OutputOption = None,
    wait: options.WaitOption = None,
) -> None:
    """Learn the thresholds of divergence and synchronisation from launches of known behaviour."""
    if run is not None:
        from apps.fitting.behaviour import add_reference, only_launch
        from apps.reports.fit import reference_sentence
        from ingest.analyse import analyse_all
        from warehouse.transactions import transaction

        with options.writing(context, wait) as con:
            run_id = resolve_run(con, run)
            which = only_launch(con, run_id) if launch is None else launch
            with transaction(con):
                rows = add_reference(
                    con, run_id, which, behaviours or (), labelled_by or _user(), program
                )
            analyse_all(con)
        note(reference_sentence(rows))
    with options.reading(context, wait, after_changes=True) as con:
        emit(con, ask(con, "threads/thresholds"), style, output)


def throughput(
    context: typer.Context,
    reduce: Annotated[
        str | None,
        typer.Option(
            metavar="som:N,SHARE",
            help="Train on few representative segments: a self-organising map of N classes, then "
            "k-means in each; such as som:200,0.15.",
        ),
    ] = None,
    form: Annotated[
        Literal["trace", "code"] | None,
        typer.Option(
            help="Traced segments or machine code; by default the form with most measured segments."
        ),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option(help="Machine that the model is of; by default that of the runs."),
    ] = None,
    core: Annotated[
        str | None,
        typer.Option(
            help="Estimate the rows of this core first (cores, core_ports, instruction_costs) from "
            "measured blocks of machine code, of runs on it and of runs that name no machine."
        ),
    ] = None,
    relative: Annotated[
        str | None,
        typer.Option(help="With --core, the core to begin with; by default that which fits best."),
    ] = None,
    optimiser: Annotated[
        Literal["lbfgs", "scg", "lm"] | None,
        typer.Option(
            help="Use a network whatever its score, trained by Levenberg-Marquardt (lm; slow for "
            "many segments), scaled conjugate gradients (scg) or L-BFGS."
        ),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Iterations of a network's training, at most.")
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(min=0, help="A training ends where an iteration lowers the loss by less."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random choices.")] = 0,
    style: options.FormatOption = "table",
    output: options.OutputOption = None,
    wait: options.WaitOption = None,
) -> None:
    """Train a model of a core's throughput on measured segments; compare it with other models."""
    from apps.fitting import throughput as fitting
    from apps.reports.fit import fit_sentence, throughput_fit_report
    from ingest.analyse import analyse_all
    from udfs.throughput.fitting import fit_throughput
    from warehouse import models
    from warehouse.transactions import transaction

    reduction = fitting.parse_reduction(reduce)
    if relative is not None and core is None:
        raise UsageError("--relative is for --core", hint="Name the core to estimate: --core NAME")
    if core is not None:
        form, subject, core = "code", subject or core.lower(), core.lower()
        if not _estimate_core(context, core, relative, seed, wait):
            return
    with options.reading(context, wait, after_changes=core is not None) as con:
        segments = fitting.read_training_segments(con, form or fitting.choose_form(con), core)
    stated = {"optimiser": optimiser, "iterations": iterations, "precision": precision}
    training = {name: value for name, value in stated.items() if value is not None}
    fitted = fit_throughput(segments.samples, reduction, seed, note_progress, **training)
    fit = fitting.make_fit(segments, fitted, subject, seed)
    with options.writing(context, wait) as con:
        with transaction(con):
            version = models.store(con, fit)
        analyse_all(con)
        if style != "table":
            note(fit_sentence(con, fit, version))
            emit(con, ask(con, "fit/scores", kind=fit.kind, version=version), style, output)
            return
        text = throughput_fit_report(con, segments, fitted, fit, version)
    write_text(text, output)


def _estimate_core(
    context: typer.Context, core: str, relative: str | None, seed: int, wait: float | None
) -> bool:
    """Estimate the rows of a core and store them; return whether models are fitted to its code."""
    from apps.fitting.cores import SIMULATED, estimate_core, read_measured_blocks, store_core
    from apps.reports.fit import core_sentence
    from ingest.analyse import analyse_all
    from warehouse.transactions import transaction

    with options.reading(context, wait) as con:
        blocks = read_measured_blocks(con, core, relative)
    relative, estimated = estimate_core(blocks, seed, note_progress)
    is_modelled = blocks.isa == SIMULATED
    with options.writing(context, wait) as con:
        with transaction(con):
            store_core(con, blocks, relative, estimated)
        if not is_modelled:
            analyse_all(con)
    note(core_sentence(blocks, relative, estimated))
    if not is_modelled:
        note(f"predictions for {blocks.isa} are bounds: there is no model to fit")
    return is_modelled


def choose(
    context: typer.Context,
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="Kind and version, such as throughput/3.")
    ],
    chosen_by: Annotated[str | None, typer.Option("--by", help="Who chooses it.")] = None,
    wait: options.WaitOption = 60.0,
) -> None:
    """Use a stored model for its subject, whatever is fitted later."""
    from ingest.analyse import analyse_all
    from warehouse import models
    from warehouse.transactions import transaction

    kind, _, version = model.partition("/")
    if not version.isdecimal():
        raise UsageError(
            f"{model!r} is not a kind and a version",
            hint="Such as throughput/3. List them: pwh sql 'FROM models'",
        )
    with options.writing(context, wait) as con:
        with transaction(con):
            models.choose(con, kind, int(version), chosen_by or _user())
        analyse_all(con)
    print_data(f"{model} is in use from now on")


def _clusters(text: str) -> int | None:
    """Return the number of clusters from --k, None for auto."""
    if text.lower() == "auto":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--k {text!r} is not a number of clusters", hint="--k auto, or --k 6")
    return int(text)


def _overruled(pairs: Sequence[str]) -> dict[int, str]:
    """Return classes by cluster number from --overrule."""
    found = {}
    for pair in pairs:
        number, _, kind = pair.partition("=")
        if not number.strip().isdecimal() or not kind.strip():
            raise UsageError(
                f"--overrule {pair!r} is not a cluster and a class", hint="Such as --overrule 3=Mem"
            )
        found[int(number)] = kind.strip()
    return found


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError(
            "the name of the user is unknown", hint="Name who assigns the label: --by NAME"
        ) from None


for command in (bottlenecks, behaviour, throughput, choose):
    fit.command(command.__name__)(command)
