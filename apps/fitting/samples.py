"""Samples to train models of bottlenecks on, and the fit of a model to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from udfs.arrays import Floats
from udfs.bottleneck.training import CAUSE_OF, CAUSES, CLASSES, Training
from udfs.progress import Progress, silent
from warehouse import sqlfiles
from warehouse.errors import NothingToAnalyse
from warehouse.models import Fit
from warehouse.session import Connection

KIND = "bottlenecks"

# Columns of a table of labels, and the types that DuckDB and pyarrow share.
LABEL_COLUMNS = {
    "run_id": "string",
    "rank": "int64",
    "thread": "int64",
    "region": "string",
    "sample": "int64",
    "class": "string",
    "program": "string",
    "family": "string",
    "frac_mem": "double",
    "frac_dtb": "double",
    "frac_icache": "double",
    "frac_dma": "double",
}

# The family of programs without a known one.
_NO_FAMILY = "other programs"


def fit_model(
    samples: Training,
    metric_set: str,
    *,
    seed: int = 0,
    about: str = "",
    progress: Progress = silent,
    **options: Any,
) -> Fit:
    """Fit a model of a metric set, ready for `models.store`, which puts it in force.

    `about` names the origin of the labels in the description; `options` are those of
    `udfs.bottleneck.fit.fit`. Raises `NothingToAnalyse` where there are too few labelled samples
    or programs.
    """
    from udfs.bottleneck import fit as fitting

    try:
        fitted = fitting.fit(samples, seed=seed, progress=progress, **options)
    except ValueError as error:
        raise NothingToAnalyse(
            str(error), hint="Label samples: pwh label, or pwh fit bottlenecks --labels FILE"
        ) from None
    return Fit(
        kind=KIND,
        subject=metric_set,
        algorithm=fitted.algorithm,
        inputs=samples.names,
        description=f"{fitted.description}; {about}" if about else fitted.description,
        arrays=fitted.arrays,
        seed=seed,
        scores=fitted.scores,
        history=fitted.history,
        search=fitted.search,
    )


def metric_sets(con: Connection, labels: pa.Table | None = None) -> list[tuple[str, int, int]]:
    """Return the metric sets that have samples: set, samples, and samples usable for training.

    The set with most labelled samples comes first.
    """
    with _label_table(con, labels):
        found = con.execute(sqlfiles.read("queries/fit/bottleneck_sets")).fetchall()
    return [(name, samples, usable) for name, samples, usable, _ in found]


def unmatched_runs(con: Connection, labels: pa.Table) -> list[str]:
    """Return the labelled runs that have no counters."""
    with _label_table(con, labels):
        return [
            name
            for (name,) in con.execute(sqlfiles.read("queries/fit/bottleneck_unmatched")).fetchall()
        ]


def training_samples(con: Connection, metric_set: str, labels: pa.Table | None = None) -> Training:
    """Return the samples of a metric set that have all its metrics, with labels and measured costs.

    `labels` has the columns LABEL_COLUMNS; without it, labels are the rows of bottleneck_labels.
    Cost shares are those of `labels`, else of bottleneck_costs; events that do not happen in a
    sample cost nothing there. Raises `NothingToAnalyse` where there is no such sample.
    """
    with _label_table(con, labels):
        found = con.execute(
            sqlfiles.read("queries/fit/bottleneck_training"),
            {"metric_set": metric_set, "by_people": labels is None},
        ).to_arrow_table()
    if not found.num_rows:
        raise NothingToAnalyse(
            f"there are no samples with all metrics of the set {metric_set!r}",
            hint=_missing_metrics(con, metric_set),
        )
    names = tuple(found["names"][0].as_py())
    metrics = matrix(found["metrics"])
    number = {name: i for i, name in enumerate(CLASSES)}
    return Training(
        names=names,
        metrics=metrics,
        labels=np.array([number.get(name, -1) for name in found["label"].to_pylist()], np.int64),
        programs=np.array(found["program"].to_pylist(), np.str_),
        families=np.array(found["family"].fill_null(_NO_FAMILY).to_pylist(), np.str_),
        runs=np.array(found["run"].to_pylist(), np.str_),
        shares=_with_zero_costs(matrix(found["shares"]), names, metrics),
    )


@contextmanager
def _label_table(con: Connection, labels: pa.Table | None) -> Iterator[None]:
    """Register the labels as the table _training_labels, empty without labels."""
    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in LABEL_COLUMNS.items()])
    con.register("_training_labels", schema.empty_table() if labels is None else labels)
    try:
        yield
    finally:
        con.unregister("_training_labels")


def _missing_metrics(con: Connection, metric_set: str) -> str:
    rows = con.execute(
        sqlfiles.read("queries/fit/bottleneck_missing"), {"metric_set": metric_set}
    ).fetchall()
    if not rows:
        return "The view sample_metrics gives the reason for each sample."
    return f"Not measured: {', '.join(name for (name,) in rows)} (see the view metric_coverage)."


def matrix(lists: pa.ChunkedArray) -> Floats:
    """Return lists of numbers, all of one length, as a matrix; NaN for NULL."""
    flat = lists.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat, np.float64).reshape(len(lists), -1)


def _with_zero_costs(shares: Floats, names: Sequence[str], metrics: Floats) -> Floats:
    """Return cost shares (n x 4), 0 where one is not known but none of its events happened."""
    some = np.isfinite(shares).any(axis=1)
    for k, cause in enumerate(CAUSES):
        mine = [i for i, name in enumerate(names) if CAUSE_OF.get(name) == cause]
        if mine:
            idle = some & np.isnan(shares[:, k]) & (metrics[:, mine] == 0).all(axis=1)
            shares[idle, k] = 0
    return shares
