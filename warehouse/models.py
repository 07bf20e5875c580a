"""Fitted models: stored as versioned rows, exported as one Parquet file, chosen for use.

A model is a kind ("bottlenecks") and a version number; its weights are rows of numbers, so no
pickle is ever read. In use for a subject is the manually chosen model, else the newest
that was fitted here, else the newest that came with pwh (the view `models_in_force`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse import sqlfiles
from warehouse.errors import NothingToAnalyse
from warehouse.version import __version__

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from warehouse.session import Connection

_PARTS = {
    "model_arrays": ("name", "shape", "values"),
    "model_scores": ("algorithm", "split", "measure", "value"),
    "model_history": ("stage", "iteration", "measure", "value"),
    "model_search": ("layers", "nodes", "measure", "value"),
}


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted model, and how it was trained.

    `arrays` are the weights by name, of any shape; `inputs` the names of the inputs in order.
    `scores` are rows (algorithm, split, measure, value), `history` (stage, iteration, measure,
    value), `search` (layers, nodes, measure, value).
    """

    kind: str
    subject: str | None
    algorithm: str
    inputs: Sequence[str]
    description: str
    arrays: Mapping[str, npt.NDArray[np.float64]]
    seed: int | None = None
    scores: Sequence[tuple[str, str, str, float]] = field(default=())
    history: Sequence[tuple[str, int, str, float]] = field(default=())
    search: Sequence[tuple[int, int, str, float]] = field(default=())


def store(con: Connection, fit: Fit) -> int:
    """Store a model that was fitted here; return its version.

    The caller handles the transaction.
    """
    version = _next_version(con, fit.kind)
    con.execute(
        "INSERT INTO models VALUES (?, ?, ?, ?, ?, ?, ?, now(), false, ?)",
        [
            *(fit.kind, version, fit.subject, fit.algorithm, list(fit.inputs)),
            *(fit.description, fit.seed, __version__),
        ],
    )
    arrays = [(name, list(a.shape), a.ravel()) for name, a in fit.arrays.items()]
    rows: tuple[Sequence[Sequence[Any]], ...] = (arrays, fit.scores, fit.history, fit.search)
    for (table, columns), part in zip(_PARTS.items(), rows, strict=True):
        _insert(con, table, columns, part, (fit.kind, version))
    return version


def load(con: Connection, kind: str, version: int) -> dict[str, npt.NDArray[np.float64]]:
    """Return the arrays of a model by name.

    Raises `NothingToAnalyse` where there is no such model.
    """
    import numpy as np

    rows = con.execute(
        'SELECT name, shape, "values" FROM model_arrays WHERE kind = ? AND version = ?',
        [kind, version],
    ).fetchall()
    if not rows:
        raise NothingToAnalyse(
            f"there is no model {kind}/{version}", hint=f"Fit one: pwh fit {kind}"
        )
    return {name: np.array(values, np.float64).reshape(shape) for name, shape, values in rows}


def in_force(con: Connection, kind: str, subject: str | None = None) -> int | None:
    """Return the version of the model that is used for a subject; None if there is none."""
    row = con.execute(
        "SELECT version FROM models_in_force WHERE kind = ? AND subject IS NOT DISTINCT FROM ?",
        [kind, subject],
    ).fetchone()
    return int(row[0]) if row else None


def choose(con: Connection, kind: str, version: int, chosen_by: str | None = None) -> None:
    """Choose a model for its subject, also over models that are fitted later.

    Raises `NothingToAnalyse` where there is no such model.
    """
    done = con.execute(
        "INSERT INTO model_choice "
        "SELECT kind, subject, version, ?, now() FROM models WHERE kind = ? AND version = ?",
        [chosen_by, kind, version],
    ).fetchone()
    if not done or not done[0]:
        raise NothingToAnalyse(
            f"there is no model {kind}/{version}",
            hint="List them: pwh sql 'FROM models'",
        )


def shipped_files() -> tuple[Path, ...]:
    """Return the models that come with pwh, one Parquet file each."""
    return tuple(sorted((sqlfiles.SQL / "models").glob("*.parquet")))


def export(con: Connection, kind: str, version: int, path: Path) -> None:
    """Write a model to a Parquet file of one row, for other warehouses.

    Raises `NothingToAnalyse` where there is no such model.
    """
    if not con.execute(
        "SELECT 1 FROM models WHERE kind = ? AND version = ?", [kind, version]
    ).fetchone():
        raise NothingToAnalyse(f"there is no model {kind}/{version}")
    con.execute(
        f"COPY ({sqlfiles.read('model_export')}) TO $path (FORMAT parquet, COMPRESSION zstd)",
        {"kind": kind, "version": version, "path": str(path)},
    )


def land(con: Connection, path: Path, *, shipped: bool = True) -> int:
    """Store a model from a file that `export` wrote; return its version here.

    The caller handles the transaction.
    """
    kind = con.execute("SELECT kind FROM read_parquet(?)", [str(path)]).fetchall()[0][0]
    version = _next_version(con, kind)
    con.execute(
        "INSERT INTO models BY NAME SELECT kind, $version AS version, subject, algorithm, inputs, "
        "description, seed, fitted_at, $shipped AS shipped, pwh_version FROM read_parquet($path)",
        {"version": version, "shipped": shipped, "path": str(path)},
    )
    for table in _PARTS:
        # The names of the tables are those of the constant above.
        con.execute(
            f"INSERT INTO {table} BY NAME SELECT kind, $version AS version, unnest({table}, "
            "max_depth := 2) FROM read_parquet($path)",
            {"version": version, "path": str(path)},
        )
    return version


def _next_version(con: Connection, kind: str) -> int:
    row = con.execute(
        "SELECT coalesce(max(version), 0) + 1 FROM models WHERE kind = ?", [kind]
    ).fetchall()[0]
    return int(row[0])


def _insert(
    con: Connection,
    table: str,
    columns: tuple[str, ...],
    rows: Sequence[Sequence[Any]],
    model: tuple[str, int],
) -> None:
    import pyarrow as pa

    if not rows:
        return
    parts = dict(zip(columns, (list(column) for column in zip(*rows, strict=True)), strict=True))
    kind, version = model
    given = pa.table({"kind": [kind] * len(rows), "version": [version] * len(rows), **parts})
    con.register("_model_part", given)
    con.execute(f"INSERT INTO {table} BY NAME FROM _model_part")
    con.unregister("_model_part")
