"""Classes of clusters: by the rules in bottleneck_rules, and by manual labels of clusters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from warehouse import sqlfiles

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from duckdb import DuckDBPyConnection

    Floats = npt.NDArray[np.float64]


def cluster_classifier(
    con: DuckDBPyConnection, metric_set: str, names: Sequence[str], scale: Mapping[str, Floats]
) -> Callable[[Floats], list[str]]:
    """Return the function that classifies medoids (k x m, standardised by `scale`).

    Rules apply first (bottleneck_rules); then each manual label (cluster_classes) applies to the
    medoid nearest to the labelled one, the latest label last. Labels of medoids with another
    number of metrics are skipped.
    """
    import numpy as np

    from udfs.bottleneck.clusters import profile_classes

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


def label_cluster(
    con: DuckDBPyConnection, metric_set: str, medoid: Floats, kind: str, labelled_by: str | None
) -> None:
    """Store a manual label of the cluster of a medoid (m: log10 of metric + log_offset)."""
    con.execute(
        "INSERT INTO cluster_classes (metric_set, medoid, class, said_by, said_at) "
        "VALUES (?, ?, ?, ?, now())",
        [metric_set, medoid.tolist(), kind, labelled_by],
    )
