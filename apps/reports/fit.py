"""What `pwh fit bottlenecks` says: clusters, labels, the search, the scores, what is in force."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.fitting.samples import KIND
from apps.output import table_text
from warehouse import models

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from apps.fitting.bottlenecks import Learned
    from udfs.bottleneck.clusters import Clusters
    from warehouse.models import Fit

# A metric of a medoid is worth a word where it lies so many deviations off the mean.
_FAR = 0.5
_NAMED = 5
_LEGEND = "Scores: samples judged right (and Unknown, where some are)"


def bottleneck_fit_report(con: DuckDBPyConnection, learned: Learned, version: int) -> str:
    """Return the report on a model that was just stored."""
    fit, found = learned.fit, learned.clusters
    sentences = [
        f"Model {KIND}/{version} of the metric set {fit.subject}: {fit.algorithm}, "
        f"{_in_force(con, fit, version)}.",
        f"* It learned from {fit.description}.",
        *(f"* {sentence}" for sentence in _clusters_said(found)),
        *(f"* {sentence}" for sentence in _training_said(fit)),
    ]
    return "\n\n".join(
        [
            "\n".join(sentences),
            f"Clusters: medoids in deviations from the mean\n{_cluster_table(found, fit.inputs)}",
            f"Search: accuracy of the autoencoder\n{_search_table(fit)}",
            f"{_LEGEND}\n{_score_table(fit)}",
        ]
    )


def _in_force(con: DuckDBPyConnection, fit: Fit, version: int) -> str:
    used = models.in_force(con, KIND, fit.subject)
    if used == version:
        return "in force from now on"
    return f"not in force, for a person chose {KIND}/{used} (model_choice)"


def _clusters_said(found: Clusters) -> list[str]:
    sentences = [_number_said(found)]
    if len(found.tried) > 1:
        tried = ", ".join(map(str, found.tried))
        sentences.append(
            f"A cluster fits no rule there, so {tried} were tried; with {len(found.classes)} the "
            "fewest samples are in such clusters."
        )
    if found.unknown:
        share = found.unknown / found.sizes.sum()
        sentences.append(
            f"{share:.0%} of the samples are in clusters that fit no rule: Unknown. "
            "--overrule CLUSTER=CLASS names one."
        )
    return sentences


def _number_said(found: Clusters) -> str:
    if found.gap is None:
        return f"Number of clusters: {len(found.classes)}, as asked."
    k, reason = found.gap.k, found.gap.reason
    if reason and k == len(found.gap.gap):
        return (
            f"The gap statistic finds no number of clusters ({reason}); k = {k} is where it ends."
        )
    first = "one cloud, no clusters" if k == 1 else f"{k} clusters"
    return f"The gap statistic finds {first}" + (f" ({reason})." if reason else ".")


def _training_said(fit: Fit) -> list[str]:
    layers, nodes, _, right = max(fit.search, key=lambda row: (row[3], -row[0] * row[1]))
    sentence = (
        f"Autoencoder: of {len(fit.search)} shapes {layers} x {nodes} (layers x nodes) is best, "
        f"{right:.1%} right on programs held out"
    )
    tuned = [row for row in fit.history if row[0] == "fine-tuning"]
    accuracy = [row[3] for row in tuned if row[2] == "validation accuracy"]
    if accuracy:
        sentence += (
            f"; fine-tuning took {len(accuracy)} epochs, validation accuracy {accuracy[0]:.1%} at "
            f"first, {max(accuracy):.1%} at best"
        )
    return [f"{sentence}."]


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
    words = [f"{name} {value:+.1f}" for value, name in far[:_NAMED] if abs(value) >= _FAR]
    return ", ".join(words) or "near the mean"


def _search_table(fit: Fit) -> str:
    nodes = sorted({row[1] for row in fit.search})
    right = {(row[0], row[1]): row[3] for row in fit.search}
    rows = [
        (layers, *(_share(right.get((layers, n))) for n in nodes))
        for layers in sorted({row[0] for row in fit.search})
    ]
    return table_text(("layers", *(f"{n} nodes" for n in nodes)), rows)


def _score_table(fit: Fit) -> str:
    """Return a line for every algorithm, the chosen one marked, and what its columns mean."""
    splits = list(dict.fromkeys(split for _, split, *_ in fit.scores))
    heads = [chr(ord("A") + i) for i in range(len(splits))]
    values = {(a, split, measure): value for a, split, measure, value in fit.scores}
    lines = [
        (
            f"{algorithm}{' *' if algorithm == fit.algorithm else ''}",
            *(_score(values, algorithm, split) for split in splits),
        )
        for algorithm in dict.fromkeys(algorithm for algorithm, *_ in fit.scores)
    ]
    legend = [f"{head}: {split}" for head, split in zip(heads, splits, strict=True)]
    return "\n".join([table_text(("algorithm", *heads), lines), *legend, "*: the model stored"])


def _score(values: dict[tuple[str, str, str], float], algorithm: str, split: str) -> str | None:
    right = values.get((algorithm, split, "accuracy"))
    if right is None:
        fine = values.get((algorithm, split, "unknown or right"))
        return None if fine is None else f"{fine:.1%}"
    unknown = values.get((algorithm, split, "unknown"), 0.0)
    return f"{right:.1%}" + (f" ({unknown:.0%})" if unknown >= 0.005 else "")


def _share(value: float | None) -> str | None:
    return None if value is None else f"{value:.1%}"
