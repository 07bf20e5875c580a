"""`pwh fit bottlenecks`: what there is to learn from, clusters, labels, and the fitted model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from apps.fitting.clusters import cluster_namer, label_cluster
from apps.fitting.label_files import read_labels
from apps.fitting.labels import check_class
from apps.fitting.samples import fit_model, metric_sets, training_samples, unmatched_runs
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.models import Fit

if TYPE_CHECKING:
    import numpy as np
    from duckdb import DuckDBPyConnection

    from udfs.bottleneck.clusters import Clusters, Namer
    from udfs.bottleneck.training import Arrays, Floats, Training

Tell = Callable[[str], None]

# A fit holds out programs in so many groups, for every classifier.
FOLDS = 10
# Classifiers compare samples with each other: more labelled ones than these teach little more.
MOST_LABELLED = 5000
_CLASSES_NEEDED, _PROGRAMS_NEEDED = 2, 3


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a fit learns from: no connection is needed any more.

    `labels_of` says where the labels are from; `overruled` are classes by cluster number.
    """

    metric_set: str
    samples: Training
    scale: Arrays
    name: Namer
    labels_of: str
    from_file: bool
    overruled: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Learned:
    """The clusters, and the model; `medoids` (k x m) are log10 of metric + log_offset."""

    clusters: Clusters
    medoids: Floats
    fit: Fit


def gather(
    con: DuckDBPyConnection,
    metric_set: str | None,
    file: Path | None,
    overruled: Mapping[int, str],
    tell: Tell,
) -> Gathered:
    """Read the samples of a metric set and their labels.

    Raises `NothingToAnalyse`, `UsageError` or, of the file of labels, `InputError`.
    """
    from udfs.bottleneck.training import scale

    given, who = read_labels(con, file) if file is not None else (None, "")
    found = metric_sets(con, given)
    chosen = _chosen(con, metric_set, found, tell)
    if given is not None and (strangers := unmatched_runs(con, given)):
        tell(f"{file} speaks of {len(strangers)} runs without counters here: {strangers[0]} ...")
    tell(f"reading the samples of the metric set {chosen}")
    samples = training_samples(con, chosen, given)
    if file is not None and not (samples.labelled.any() or samples.costed.any()):
        raise NothingToAnalyse(
            f"no label of {file} speaks of a sample of the metric set {chosen}",
            hint="Its run_id are those of `pwh runs`; rank, thread, region and sample may be left "
            "out, or empty, for any.",
        )
    arrays = scale(samples.names, samples.metrics)
    return Gathered(
        metric_set=chosen,
        samples=samples,
        scale=arrays,
        name=cluster_namer(con, chosen, samples.names, arrays),
        labels_of=(f"labels of {file.name}" + (f" by {who}" if who else ""))
        if file is not None
        else "what people said",
        from_file=file is not None,
        overruled={number: check_class(con, kind) for number, kind in overruled.items()},
    )


def _chosen(
    con: DuckDBPyConnection, wanted: str | None, found: list[tuple[str, int, int]], tell: Tell
) -> str:
    """Return the metric set whose models are meant; without a wish the one with most labels."""
    if wanted is not None:
        known = dict(con.execute("SELECT metric_set, models_of FROM metric_sets").fetchall())
        if wanted not in known:
            raise UsageError(
                f"there is no metric set {wanted!r}", hint=f"There are {', '.join(sorted(known))}."
            )
        if known[wanted] != wanted:
            tell(f"the models of {known[wanted]} serve the metric set {wanted} too")
        found = [one for one in found if one[0] == known[wanted]]
    if not found:
        raise NothingToAnalyse(
            f"there are no samples of {'a known metric set' if wanted is None else wanted}",
            hint="Ingest counters first: perf stat, PAPI, LIKWID, Caliper, gem5 ...",
        )
    if len(found) > 1:
        others = ", ".join(f"{name} ({samples} samples)" for name, samples, _ in found[1:])
        tell(f"taking the metric set {found[0][0]}; --metric-set chooses another: {others}")
    return found[0][0]


def learn(gathered: Gathered, k: int | None, seed: int, tell: Tell) -> Learned:
    """Cluster the samples, see to labels, and fit; nothing is stored yet.

    Raises `NothingToAnalyse` where there is too little to learn from.
    """
    import numpy as np

    samples = gathered.samples
    found = _clustered(gathered, k, seed, tell)
    labels_of = gathered.labels_of
    if not gathered.from_file and not _enough(samples):
        samples, labels_of = _labelled_by(found, samples), _by_clusters(samples)
        tell(f"labels: {labels_of}")
    samples, left_out = _capped(samples, seed)
    if left_out:
        tell(f"learning from {MOST_LABELLED} labelled samples, drawn at random of "
             f"{MOST_LABELLED + left_out}")  # fmt: skip
    fit = fit_model(
        samples, gathered.metric_set, seed=seed, about=labels_of, progress=tell, folds=FOLDS
    )
    medoids = np.log10(np.maximum(samples.metrics[found.medoids], 0) + gathered.scale["log_offset"])
    return Learned(found, medoids, _with_clusters(fit, found, medoids))


def store(
    con: DuckDBPyConnection, gathered: Gathered, learned: Learned, said_by: str | None
) -> int:
    """Keep the model, and what was said of its clusters; give its version."""
    from warehouse import models

    for number, kind in gathered.overruled.items():
        medoid = learned.medoids[number - 1]
        label_cluster(con, gathered.metric_set, medoid, kind, said_by)
    return models.store(con, learned.fit)


def _clustered(gathered: Gathered, k: int | None, seed: int, tell: Tell) -> Clusters:
    from udfs.bottleneck.clusters import clustered
    from udfs.bottleneck.training import standardised
    from udfs.clustering.points import InsufficientData

    tell(f"clustering {len(gathered.samples.metrics)} samples")
    points = standardised(gathered.samples.metrics, gathered.scale)
    try:
        found = clustered(points, k, gathered.name, seed)
    except InsufficientData as error:
        raise NothingToAnalyse(
            f"the samples of {gathered.metric_set} cannot be clustered: {error}",
            hint="Ingest more samples of different programs.",
        ) from None
    classes = list(found.classes)
    for number, kind in gathered.overruled.items():
        if not 1 <= number <= len(classes):
            raise UsageError(f"there is no cluster {number}: they are 1 to {len(classes)}")
        classes[number - 1] = kind
    return replace(found, classes=classes)


def _enough(samples: Training) -> bool:
    known = samples.labelled
    return (
        len(set(samples.labels[known].tolist())) >= _CLASSES_NEEDED
        and len(set(samples.programs[known].tolist())) >= _PROGRAMS_NEEDED
    )


def _labelled_by(found: Clusters, samples: Training) -> Training:
    """Label what people said nothing of by its cluster's class."""
    import numpy as np

    from udfs.bottleneck.training import CLASSES

    number = {name: i for i, name in enumerate(CLASSES)}
    by_rule = np.array([number.get(name, -1) for name in found.classes])[found.labels]
    return replace(samples, labels=np.where(samples.labelled, samples.labels, by_rule))


def _by_clusters(samples: Training) -> str:
    said = int(samples.labelled.sum())
    return (
        f"the rules' classes of clusters, for people said too little ({said} samples of "
        f"{len(set(samples.programs[samples.labelled].tolist()))} programs)"
    )


def _capped(samples: Training, seed: int) -> tuple[Training, int]:
    """Leave out labels at random where there are too many; give how many."""
    import numpy as np

    known = np.flatnonzero(samples.labelled)
    if len(known) <= MOST_LABELLED:
        return samples, 0
    kept = np.random.default_rng(seed).choice(known, MOST_LABELLED, replace=False)
    labels = np.full(len(samples.labels), -1)
    labels[kept] = samples.labels[kept]
    return replace(samples, labels=labels), len(known) - MOST_LABELLED


def _with_clusters(fit: Fit, found: Clusters, medoids: Floats) -> Fit:
    """Put the clusters among the arrays, and the gap statistic into the history."""
    import numpy as np

    from udfs.bottleneck.training import CLASSES

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
