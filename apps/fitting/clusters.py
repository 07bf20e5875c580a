"""Names of clusters: by rules that are rows, and by what people say of single clusters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from warehouse import sqlfiles

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from duckdb import DuckDBPyConnection

    Floats = npt.NDArray[np.float64]


def cluster_namer(
    con: DuckDBPyConnection, metric_set: str, names: Sequence[str], scale: Mapping[str, Floats]
) -> Callable[[Floats], list[str]]:
    """Return the function that names medoids (k x m, standardised by `scale`) of a metric set.

    Rules come first (bottleneck_rules); then every word of a person (cluster_classes) holds for
    the medoid nearest to the one that it was said of, the latest last. Words on medoids with
    another number of metrics are passed over.
    """
    import numpy as np

    from udfs.bottleneck.clusters import profile_classes

    rules = con.execute(sqlfiles.read("queries/fit/bottleneck_profiles")).fetchall()
    meant = dict(
        con.execute(
            "SELECT metric, any_value(indicates) FROM metric_definitions "
            "WHERE metric_set = ? AND metric IS NOT NULL GROUP BY metric",
            [metric_set],
        ).fetchall()
    )
    said = con.execute(
        "SELECT medoid, class FROM cluster_classes WHERE metric_set = ? AND len(medoid) = ? "
        "ORDER BY said_at",
        [metric_set, len(names)],
    ).fetchall()
    # No metric is below the logarithm of what is added to it, whatever zero was written as.
    floor = np.log10(scale["log_offset"])
    words = [
        ((np.maximum(medoid, floor) - scale["mean"]) / scale["deviation"], kind)
        for medoid, kind in said
    ]
    indicates = [meant.get(name) for name in names]

    def name(profiles: Floats) -> list[str]:
        classes = profile_classes(profiles, indicates, rules)
        for medoid, kind in words:
            classes[int(np.linalg.norm(profiles - medoid, axis=1).argmin())] = kind
        return classes

    return name


def label_cluster(
    con: DuckDBPyConnection, metric_set: str, medoid: Floats, kind: str, said_by: str | None
) -> None:
    """Keep a person's word on the cluster of a medoid (m: log10 of metric + log_offset)."""
    con.execute(
        "INSERT INTO cluster_classes (metric_set, medoid, class, said_by) VALUES (?, ?, ?, ?)",
        [metric_set, medoid.tolist(), kind, said_by],
    )
