"""Reports of `pwh fit`: what a model learned from, how it scored, and whether it is in use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from apps.fitting import samples, throughput
from apps.output.numbers import counted, percent
from apps.output.tables import table_text
from apps.output.text import cell
from udfs.bottleneck.baselines import SIMPLE_RULES
from udfs.bottleneck.calibration import ERROR, LEAST_IF_EXACT, MOST_IF_EXACT, TENTH
from udfs.bottleneck.validation import LABELLED
from warehouse import models
from warehouse.models import Fit
from warehouse.session import Connection

if TYPE_CHECKING:
    from apps.fitting.bottlenecks import TrainedModel
    from apps.fitting.cores import MeasuredBlocks
    from apps.fitting.throughput import TrainingSegments
    from udfs.bottleneck.clusters import Clusters
    from udfs.throughput.estimate import Estimated
    from udfs.throughput.fitting import Fitted, Thinned

# A metric of a medoid is named where it is so many deviations off the mean.
_FAR = 0.5
_NAMED = 5
_BOTTLENECK_SCORES = "Scores: samples classified correctly (and Unknown, where some are)"
_RELIABILITY = (
    "Reliability on held-out programs: the probability stated, and the share of verdicts right"
)
_OF_TENTHS = ("stated", "right", "right at least, if exact", "right at most, if exact")
_CALIBRATION = (
    "Expected calibration error by samples and by runs (each counts once), what it would be for "
    "exact probabilities of as many runs (median, 90 % interval), and how often as large"
)
_THROUGHPUT_MEASURES = ("mean error", "median error", "Kendall's tau")
_BOUND = "tightest bound"
_COMMONEST = "commonest class"
_REFERENCE_RATES = ("fluctuation", "simt_efficiency", "sync_rate", "memory_share")


def bottleneck_fit_report(con: Connection, model: TrainedModel, version: int) -> str:
    """Return the report on a model of bottlenecks that was just stored."""
    fit, found = model.fit, model.clusters
    sentences = [
        fit_sentence(con, fit, version),
        f"* It learned from {fit.description}.",
        *(f"* {sentence}" for sentence in _cluster_sentences(found)),
        f"* {_training_sentence(fit)}",
    ]
    parts = [
        "\n".join(sentences),
        f"Clusters: medoids in deviations from the mean\n{_cluster_table(found, fit.inputs)}",
    ]
    if fit.search:
        parts.append(f"Search: accuracy of the autoencoder\n{_search_table(fit)}")
    parts.append(f"{_BOTTLENECK_SCORES}\n{_bottleneck_scores(fit)}")
    parts.append(f"{_RELIABILITY}\n{_reliability_table(fit)}")
    return "\n\n".join(parts)


def fit_sentence(con: Connection, fit: Fit, version: int) -> str:
    """Return which model was just stored, and whether it is in use, and if not, why."""
    of = "the metric set " if fit.kind == samples.KIND else ""
    named = f"Model {fit.kind}/{version} of {of}{fit.subject}"
    return f"{named}: {fit.algorithm}, {_in_use(con, fit, version)}."


def core_sentence(blocks: MeasuredBlocks, relative: str, estimated: Estimated) -> str:
    """Return what was estimated of a core, and by how much its simulation is better for it."""
    before, after = estimated.errors
    text = (
        f"core {blocks.core}: {counted(len(estimated.costs), 'row')} of instruction_costs and "
        f"{counted(len(estimated.ports), 'row')} of core_ports differ from {relative}'s; the mean "
        f"error of its simulation is {percent(after)} instead of {percent(before)} on families of "
        f"blocks held out of {counted(len(blocks.hexes), 'measured block')}"
    )
    if blocks.assumed:
        text += (
            f"; {counted(len(blocks.assumed), 'run')} without a machine are now of {blocks.core}"
        )
    return text


def throughput_fit_report(
    con: Connection, segments: TrainingSegments, fitted: Fitted, fit: Fit, version: int
) -> str:
    """Return the report on a model of throughput that was just stored."""
    lines = [
        fit_sentence(con, fit, version),
        f"* It learned from {fit.description}, in {fitted.seconds:.0f} s.",
    ]
    if segments.left_out:
        reasons = ", ".join(f"{count} {reason}" for reason, count in segments.left_out.items())
        lines.append(f"* Left out: {reasons}.")
    if fitted.thinned is not None:
        lines.append(f"* {_reduction_sentence(fitted.thinned)}")
    band = [value for _, _, what, value in fit.scores if what == "in the band"]
    if band:
        lines.append(f"* Its 90 % band contained {percent(band[0])} of the held-out segments.")
    lines.append(f"* {_network_sentence(fitted)}")
    table = ["Errors of the predicted cycles", _throughput_scores(fit)]
    return "\n".join([*lines, "", *table])


def reference_sentence(rows: Sequence[tuple[Any, ...]]) -> str:
    """Return which behaviours of a launch were stored, with its rates."""
    program, *_ = rows[0]
    rates = ", ".join(
        f"{name} {cell(value)}" for name, value in zip(_REFERENCE_RATES, rows[0][3:], strict=True)
    )
    return f"stored: {cell(program)} is {', '.join(row[1] for row in rows)} ({rates})"


def _in_use(con: Connection, fit: Fit, version: int) -> str:
    used = models.in_force(con, fit.kind, fit.subject)
    if used == version:
        return "in use from now on"
    if fit.kind == samples.KIND and (rule := _better_rule(fit)):
        instead = "no model is" if used is None else f"{fit.kind}/{used} is"
        return (
            f"not in use ({instead}), as on held-out programs it is right in {percent(rule[1])}, "
            f"and the simple rule {rule[0]} in {percent(rule[2])}; to use it all the same: "
            f"pwh fit choose {fit.kind}/{version}"
        )
    error = _held_out_errors(fit)
    if fit.kind == throughput.KIND and error[fit.algorithm] >= error[_BOUND]:
        instead = "no model is" if used is None else f"{fit.kind}/{used} is"
        return (
            f"not in use ({instead}), as its error on held-out groups, "
            f"{percent(error[fit.algorithm])}, is not below that of the tightest bound, "
            f"{percent(error[_BOUND])}; to use it all the same: pwh fit choose {fit.kind}/{version}"
        )
    return f"not in use, as {fit.kind}/{used} was chosen manually (model_choice)"


def _better_rule(fit: Fit) -> tuple[str, float, float] | None:
    """Return the simple rule that keeps a model from use (models_in_force), and both accuracies."""
    right = {
        name: value
        for name, split, what, value in fit.scores
        if what == "accuracy" and split == LABELLED
    }
    rule = max(SIMPLE_RULES, key=lambda name: right.get(name, 0.0))
    own, other = right[fit.algorithm], right.get(rule, 0.0)
    return (rule, own, other) if own < other or own <= right.get(_COMMONEST, 0.0) else None


def _held_out_errors(fit: Fit | Fitted) -> dict[str, float]:
    """Return the mean error of each algorithm on held-out groups."""
    return {
        name: value
        for name, split, what, value in fit.scores
        if what == "mean error" and split == "groups held out"
    }


def _cluster_sentences(found: Clusters) -> list[str]:
    sentences = [_cluster_count_sentence(found)]
    if len(found.tried) > 1:
        tried = ", ".join(map(str, found.tried))
        sentences.append(
            f"Some cluster matches no rule then, so {tried} were tried; with {len(found.classes)} "
            "the fewest samples are in such clusters."
        )
    if found.unknown:
        share = found.unknown / found.sizes.sum()
        sentences.append(
            f"{percent(share)} of the samples are in clusters that match no rule: Unknown. "
            "--overrule CLUSTER=CLASS labels a cluster."
        )
    return sentences


def _cluster_count_sentence(found: Clusters) -> str:
    if found.gap is None:
        return f"Number of clusters: {len(found.classes)}, as requested."
    k, reason = found.gap.k, found.gap.reason
    if reason and "no k meets" in reason:
        return f"The gap statistic finds no number of clusters ({reason})."
    first = "one cloud, no clusters" if k == 1 else f"{k} clusters"
    return f"The gap statistic finds {first}" + (f" ({reason})." if reason else ".")


def _training_sentence(fit: Fit) -> str:
    sentence = "Autoencoder: its shape was not searched for (--search)"
    if fit.search:
        layers, nodes, _, right = max(fit.search, key=lambda row: (row[3], -row[0] * row[1]))
        sentence = (
            f"Autoencoder: of {len(fit.search)} shapes {layers} x {nodes} (layers x nodes) is "
            f"best, {percent(right)} correct on held-out programs"
        )
    tuned = [row for row in fit.history if row[0] == "fine-tuning"]
    accuracy = [row[3] for row in tuned if row[2] == "validation accuracy"]
    if accuracy:
        sentence += (
            f"; fine-tuning took {counted(len(accuracy), 'epoch')}, validation accuracy "
            f"{percent(accuracy[0])} at first, {percent(max(accuracy))} at best"
        )
    return f"{sentence}."


def _cluster_table(found: Clusters, names: Sequence[str]) -> str:
    rows = [
        (number, int(size), kind, _profile(profile, names))
        for number, (size, kind, profile) in enumerate(
            zip(found.sizes, found.classes, found.profiles, strict=True), 1
        )
    ]
    return table_text(("cluster", "samples", "class", "profile"), rows)


def _profile(profile: Sequence[float], names: Sequence[str]) -> str:
    far = sorted(zip(profile, names, strict=True), key=lambda pair: -abs(pair[0]))
    parts = [f"{name} {value:+.1f}" for value, name in far[:_NAMED] if abs(value) >= _FAR]
    return ", ".join(parts) or "near the mean"


def _search_table(fit: Fit) -> str:
    nodes = sorted({row[1] for row in fit.search})
    right = {(row[0], row[1]): row[3] for row in fit.search}
    rows = [
        (layers, *(percent(right.get((layers, n))) for n in nodes))
        for layers in sorted({row[0] for row in fit.search})
    ]
    return table_text(("layers", *(f"{n} nodes" for n in nodes)), rows)


def _reliability_table(fit: Fit) -> str:
    """Return, for each split, the tenths of the probability, and what all of them come to."""
    values = {
        (split, measure): value for a, split, measure, value in fit.scores if a == fit.algorithm
    }
    rows = []
    for (split, measure), value in values.items():
        tenth, _, what = measure.partition(": ")
        if what == "samples" and tenth.startswith(TENTH):
            stated, right, least, most = (
                percent(values[split, f"{tenth}: {name}"]) for name in _OF_TENTHS
            )
            tenth = tenth.removeprefix(TENTH)
            rows.append((split, tenth, int(value), stated, right, f"{least} to {most}"))
    heads = ("split", "probability", "samples", "stated", "right", "right if exact (90 %)")
    return "\n\n".join([table_text(heads, rows), f"{_CALIBRATION}\n{_calibration_table(values)}"])


def _calibration_table(values: dict[tuple[str, str], float]) -> str:
    """Return how far probabilities are from the shares right, split by split."""

    def three_digits(split: str, measure: str) -> str:
        return f"{values[split, measure]:.3f}"

    rows = [
        (
            split,
            three_digits(split, ERROR),
            three_digits(split, f"{ERROR}, if exact"),
            f"{three_digits(split, LEAST_IF_EXACT)} to {three_digits(split, MOST_IF_EXACT)}",
            percent(values[split, f"{ERROR}: as large if exact"]),
            three_digits(split, f"{ERROR} of runs"),
            three_digits(split, f"{ERROR} of runs, if exact"),
            percent(1 - values[split, "unknown"]),
            percent(values.get((split, "accuracy of the answered"))),
        )
        for split, measure in values
        if measure == ERROR
    ]
    heads = (
        *("split", "samples", "if exact", "if exact (90 %)", "as large if exact"),
        *("runs", "if exact", "answered", "right of these"),
    )
    return table_text(heads, rows)


def _bottleneck_scores(fit: Fit) -> str:
    """Return the scores of every algorithm, the stored one marked, and a legend of the splits."""
    splits = list(dict.fromkeys(split for _, split, *_ in fit.scores))
    heads = [chr(ord("A") + i) for i in range(len(splits))]
    values = {(a, split, measure): value for a, split, measure, value in fit.scores}
    cells = {
        name: [_bottleneck_score(values, name, split) for split in splits]
        for name, *_ in fit.scores
    }
    legend = [f"{head}: {split}" for head, split in zip(heads, splits, strict=True)]
    return _score_table(fit, heads, cells, legend)


def _score_table(
    fit: Fit, heads: Sequence[str], cells: Mapping[str, Sequence[Any]], legend: Sequence[str]
) -> str:
    """Return the cells of each algorithm as a table in which the one stored is marked."""
    rows = [
        (f"{name}{' *' if name == fit.algorithm else ''}", *scores)
        for name, scores in cells.items()
    ]
    return "\n".join([table_text(("algorithm", *heads), rows), *legend, "*: the model stored"])


def _bottleneck_score(
    values: dict[tuple[str, str, str], float], algorithm: str, split: str
) -> str | None:
    right = values.get((algorithm, split, "accuracy"))
    if right is None:
        return percent(values.get((algorithm, split, "unknown or right")))
    unknown = values.get((algorithm, split, "unknown"), 0.0)
    return f"{percent(right)}" + (f" ({percent(unknown)})" if unknown >= 0.005 else "")


def _reduction_sentence(thinned: Thinned) -> str:
    faster = thinned.seconds_all / max(thinned.seconds_kept, 1e-9)
    return (
        f"Reduction: {thinned.kept} segments represent {thinned.segments} "
        f"({thinned.classes} classes of the map). The network's mean error on held-out groups is "
        f"{percent(thinned.error_kept)}, from all segments {percent(thinned.error_all)}; training "
        f"took {thinned.seconds_kept:.1f} s, from all {thinned.seconds_all:.1f} s "
        f"({faster:.1f} times as long)."
    )


def _network_sentence(fitted: Fitted) -> str:
    error = _held_out_errors(fitted)
    better = [n for n, value in error.items() if n != "network" and value <= error["network"]]
    if better:
        return f"The network is not better than all others: {', '.join(better)} did as well."
    return "The network is the best of all on held-out groups."


def _throughput_scores(fit: Fit) -> str:
    """Return the errors of every algorithm: on held-out groups, then on segments at random."""
    splits = list(dict.fromkeys(split for _, split, *_ in fit.scores))
    values = {(name, split, what): value for name, split, what, value in fit.scores}
    measures = [(split, what) for split in splits for what in _THROUGHPUT_MEASURES]
    cells = {
        name: [_throughput_score(values.get((name, *one)), one[1]) for one in measures]
        for name, *_ in fit.scores
    }
    heads = [f"{what}{'' if split == splits[0] else ' (random)'}" for split, what in measures]
    legend = [
        f"Test set: {splits[0]}; (random): {splits[1]}, which is optimistic: near-duplicates of "
        "the test set are trained on.",
    ]
    return _score_table(fit, heads, cells, legend)


def _throughput_score(value: float | None, what: str) -> str | None:
    if value is None:
        return None
    return f"{value:.2f}" if what == "Kendall's tau" else percent(value)
