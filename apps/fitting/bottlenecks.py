"""Training of models of bottlenecks behind `pwh fit bottlenecks`: data, clusters, labels, model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from apps.fitting.label_files import read_labels
from apps.fitting.labels import check_class
from apps.fitting.samples import fit_model, metric_sets, training_samples, unmatched_runs
from apps.output.numbers import counted
from udfs.arrays import Floats
from udfs.bottleneck.clusters import Clusters, Namer, clustered, profile_classes
from udfs.bottleneck.training import CLASSES, Arrays, Training, scale, standardised
from udfs.clustering.points import InsufficientData
from udfs.progress import Progress
from warehouse import models, sqlfiles
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.models import Fit
from warehouse.session import Connection


def cluster_classifier(
    con: Connection, metric_set: str, names: Sequence[str], scale: Mapping[str, Floats]
) -> Callable[[Floats], list[str]]:
    """Return the function that classifies medoids (k x m, standardised by `scale`).

    Rules apply first (bottleneck_rules); then each manual label (cluster_classes) applies to the
    medoid nearest to the labelled one, the latest label last. Labels of medoids with another
    number of metrics are skipped.
    """
    rules = con.execute(sqlfiles.read("queries/fit/bottleneck_profiles")).fetchall()
    indicated_by = dict(
        con.execute(
            "SELECT metric, any_value(indicates) FROM metric_definitions "
            "WHERE metric_set = ? AND metric IS NOT NULL GROUP BY metric",
            [metric_set],
        ).fetchall()
    )
    labelled = con.execute(
        "SELECT medoid, class FROM cluster_classes WHERE metric_set = ? AND len(medoid) = ? "
        "ORDER BY said_at",
        [metric_set, len(names)],
    ).fetchall()
    # No metric is below the logarithm of its offset, however zero was stored.
    floor = np.log10(scale["log_offset"])
    labels = [
        ((np.maximum(medoid, floor) - scale["mean"]) / scale["deviation"], kind)
        for medoid, kind in labelled
    ]
    indicates = [indicated_by.get(name) for name in names]

    def classify(profiles: Floats) -> list[str]:
        classes = profile_classes(profiles, indicates, rules)
        for medoid, kind in labels:
            classes[int(np.linalg.norm(profiles - medoid, axis=1).argmin())] = kind
        return classes

    return classify


# Cross-validation holds out programs in so many groups, for every classifier.
FOLDS = 5
# Classifiers compare samples with each other: more labelled ones than these add little.
MOST_LABELLED = 5000
_CLASSES_NEEDED, _PROGRAMS_NEEDED = 2, 3


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Data that a fit learns from; no connection is needed any more.

    `labels_from` names the origin of the labels; `overruled` are classes by cluster number.
    """

    metric_set: str
    samples: Training
    scale: Arrays
    classify: Namer
    labels_from: str
    from_file: bool
    overruled: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """The clusters, and the model; `medoids` (k x m) are log10 of metric + log_offset."""

    clusters: Clusters
    medoids: Floats
    fit: Fit


def read_training_data(
    con: Connection,
    metric_set: str | None,
    file: Path | None,
    overruled: Mapping[int, str],
    progress: Progress,
) -> TrainingData:
    """Read the samples of a metric set and their labels.

    Raises `NothingToAnalyse`, `UsageError` or, of the file of labels, `InputError`.
    """
    labels, labelled_by = read_labels(file) if file is not None else (None, "")
    found = metric_sets(con, labels)
    chosen = _choose_metric_set(con, metric_set, found, progress)
    if labels is not None and (unmatched := unmatched_runs(con, labels)):
        runs = counted(len(unmatched), "run")
        progress(f"{file} has labels of {runs} without counters: {unmatched[0]} ...")
    progress(f"reading the samples of the metric set {chosen}")
    samples = training_samples(con, chosen, labels)
    if file is not None and not (samples.labelled.any() or samples.costed.any()):
        raise NothingToAnalyse(
            f"no label of {file} matches a sample of the metric set {chosen}",
            hint="run_id is that of `pwh runs`; rank, thread, region and sample may be left out, "
            "or empty, for any.",
        )
    arrays = scale(samples.names, samples.metrics)
    return TrainingData(
        metric_set=chosen,
        samples=samples,
        scale=arrays,
        classify=cluster_classifier(con, chosen, samples.names, arrays),
        labels_from=(f"labels of {file.name}" + (f" by {labelled_by}" if labelled_by else ""))
        if file is not None
        else "manual labels",
        from_file=file is not None,
        overruled={number: check_class(con, kind) for number, kind in overruled.items()},
    )


def _choose_metric_set(
    con: Connection,
    requested: str | None,
    found: list[tuple[str, int, int]],
    progress: Progress,
) -> str:
    """Return the metric set whose models serve `requested`; by default the one with most labels."""
    if requested is not None:
        known = dict(con.execute("SELECT metric_set, models_of FROM metric_sets").fetchall())
        if requested not in known:
            raise UsageError(
                f"there is no metric set {requested!r}", hint=f"Known: {', '.join(sorted(known))}."
            )
        if known[requested] != requested:
            progress(f"the models of {known[requested]} serve the metric set {requested} too")
        found = [one for one in found if one[0] == known[requested]]
    if not found:
        raise NothingToAnalyse(
            f"there are no samples of {'a known metric set' if requested is None else requested}",
            hint="Ingest counters first: perf stat, PAPI, LIKWID, Caliper, gem5 ...",
        )
    if len(found) > 1:
        others = ", ".join(f"{name} ({samples} samples)" for name, samples, _ in found[1:])
        progress(f"taking the metric set {found[0][0]}; --metric-set chooses another: {others}")
    return found[0][0]


def train(
    data: TrainingData,
    k: int | None,
    seed: int,
    progress: Progress,
    *,
    search: bool = False,
    algorithm: str | None = None,
) -> TrainedModel:
    """Cluster the samples, complete the labels, and fit a model; nothing is stored yet.

    With `search`, depth and width of the autoencoder are searched for, which takes minutes; an
    `algorithm` is used whatever its score.
    Raises `NothingToAnalyse` where there is too little to learn from.
    """
    from udfs.bottleneck.fit import DEFAULT_SHAPE, SEARCH

    samples = data.samples
    found = _cluster(data, k, seed, progress)
    labels_from = data.labels_from
    if not data.from_file and not _has_enough_labels(samples):
        samples, labels_from = _label_by_clusters(found, samples), _cluster_label_origin(samples)
        progress(f"labels: {labels_from}")
    samples, left_out = _limit_labels(samples, seed)
    if left_out:
        progress(f"training on {MOST_LABELLED} labelled samples, chosen at random from "
             f"{MOST_LABELLED + left_out}")  # fmt: skip
    fit = fit_model(
        samples,
        data.metric_set,
        seed=seed,
        about=labels_from,
        progress=progress,
        folds=FOLDS,
        shapes=SEARCH if search else (DEFAULT_SHAPE,),
        algorithm=algorithm,
    )
    medoids = np.log10(np.maximum(samples.metrics[found.medoids], 0) + data.scale["log_offset"])
    return TrainedModel(found, medoids, _with_clusters(fit, found, medoids))


def store_model(
    con: Connection, data: TrainingData, model: TrainedModel, labelled_by: str | None
) -> int:
    """Store the model, and the manual labels of its clusters; return its version."""
    for number, kind in data.overruled.items():
        medoid = model.medoids[number - 1]
        con.execute(
            "INSERT INTO cluster_classes (metric_set, medoid, class, said_by, said_at) "
            "VALUES (?, ?, ?, ?, now())",
            [data.metric_set, medoid.tolist(), kind, labelled_by],
        )
    return models.store(con, model.fit)


def _cluster(data: TrainingData, k: int | None, seed: int, progress: Progress) -> Clusters:
    progress(f"clustering {len(data.samples.metrics)} samples")
    points = standardised(data.samples.metrics, data.scale)
    try:
        found = clustered(points, k, data.classify, seed)
    except InsufficientData as error:
        raise NothingToAnalyse(
            f"the samples of {data.metric_set} cannot be clustered: {error}",
            hint="Ingest more samples of different programs.",
        ) from None
    classes = list(found.classes)
    for number, kind in data.overruled.items():
        if not 1 <= number <= len(classes):
            raise UsageError(f"there is no cluster {number}: they are 1 to {len(classes)}")
        classes[number - 1] = kind
    return replace(found, classes=classes)


def _has_enough_labels(samples: Training) -> bool:
    known = samples.labelled
    return (
        len(set(samples.labels[known].tolist())) >= _CLASSES_NEEDED
        and len(set(samples.programs[known].tolist())) >= _PROGRAMS_NEEDED
    )


def _label_by_clusters(found: Clusters, samples: Training) -> Training:
    """Return the samples, each without a manual label with the class of its cluster."""
    number = {name: i for i, name in enumerate(CLASSES)}
    by_rule = np.array([number.get(name, -1) for name in found.classes])[found.labels]
    return replace(samples, labels=np.where(samples.labelled, samples.labels, by_rule))


def _cluster_label_origin(samples: Training) -> str:
    labelled = int(samples.labelled.sum())
    programs = len(set(samples.programs[samples.labelled].tolist()))
    return (
        "classes of clusters by the rules, as there are too few manual labels "
        f"({counted(labelled, 'sample')} of {counted(programs, 'program')})"
    )


def _limit_labels(samples: Training, seed: int) -> tuple[Training, int]:
    """Drop labels at random where there are too many; return the samples and how many."""
    known = np.flatnonzero(samples.labelled)
    if len(known) <= MOST_LABELLED:
        return samples, 0
    kept = np.random.default_rng(seed).choice(known, MOST_LABELLED, replace=False)
    labels = np.full(len(samples.labels), -1)
    labels[kept] = samples.labels[kept]
    return replace(samples, labels=labels), len(known) - MOST_LABELLED


def _with_clusters(fit: Fit, found: Clusters, medoids: Floats) -> Fit:
    """Return the model with the clusters in its arrays and the gap statistic in its history."""
    numbers = [CLASSES.index(c) if c in CLASSES else len(CLASSES) for c in found.classes]
    arrays = {
        **fit.arrays,
        "medoids": medoids,
        "medoid_classes": np.array(numbers, np.float64),
        "medoid_sizes": found.sizes.astype(np.float64),
    }
    return replace(fit, arrays=arrays, history=[*fit.history, *_gap_rows(found)])


def _gap_rows(found: Clusters) -> list[tuple[str, int, str, float]]:
    if found.gap is None:
        return []
    curves: tuple[tuple[str, np.ndarray], ...] = (("gap", found.gap.gap), ("s", found.gap.s))
    return [
        ("gap statistic", k, measure, float(value))
        for measure, values in curves
        for k, value in enumerate(values, 1)
    ]
