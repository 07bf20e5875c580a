"""Models of throughput, fitted to the measured segments of a warehouse."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse import sqlfiles
from warehouse.errors import NothingToAnalyse
from warehouse.models import Fit

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

    from udfs.throughput.algorithms import Samples
    from udfs.throughput.fitting import Fitted
    from udfs.throughput.network import Floats

KIND = "throughput"
_GROUPS_NEEDED, _SEGMENTS_NEEDED = 3, 50


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a fit learns from, the machine it was measured on, and how many were kept out why."""

    form: str
    samples: Samples
    machine: str | None
    kept_out: dict[str, int]


def measured(con: DuckDBPyConnection) -> dict[str, int]:
    """Give how many segments of each form have measured cycles, those with most first."""
    rows = con.execute(
        "SELECT form, count(cycles) FROM segment_inputs GROUP BY form HAVING count(cycles) > 0 "
        "ORDER BY count(cycles) DESC, form DESC"
    ).fetchall()
    return dict(rows)


def gather(con: DuckDBPyConnection, form: str) -> Gathered:
    """Read the measured segments of a form.

    Raises `NothingToAnalyse` where there are too few, or too few programs or families of blocks.
    """
    import numpy as np
    import pyarrow.compute as pc

    found = con.execute(sqlfiles.read("throughput_training"), {"form": form}).to_arrow_table()
    kept_out = Counter(found["kept_out"].drop_null().to_pylist())
    used = found.filter(pc.is_null(found["kept_out"]))
    if used.num_rows < _SEGMENTS_NEEDED:
        raise _too_little(f"{used.num_rows} segments", f"{_SEGMENTS_NEEDED} segments", kept_out)
    x, bounds = _matrix(used["features"]), _matrix(used["bounds"])
    groups = _groups(form, used)
    if len(np.unique(groups)) < _GROUPS_NEEDED:
        kind = "programs" if form == "trace" else "families of blocks"
        raise _too_little(
            f"segments of {len(np.unique(groups))} {kind}", f"{_GROUPS_NEEDED} {kind}", kept_out
        )
    from udfs.throughput.algorithms import Samples
    from udfs.throughput.inputs import CODE, TRACE

    inputs = CODE if form == "code" else TRACE
    cycles, instructions, width = (
        used[name].cast("double").to_numpy() for name in ("cycles", "instructions", "width")
    )
    samples = Samples(
        x, cycles, bounds, instructions, groups, width, inputs, is_code=form == "code"
    )
    machines = set(used["machine"].to_pylist())
    machine = machines.pop() if len(machines) == 1 else None
    return Gathered(form, samples, machine, dict(kept_out.most_common()))


def as_fit(gathered: Gathered, fitted: Fitted, subject: str | None, seed: int) -> Fit:
    """Give the model ready for `models.store`."""
    import numpy as np

    n = len(gathered.samples.cycles)
    kinds = len(np.unique(gathered.samples.groups))
    what = "programs" if gathered.form == "trace" else "families of blocks"
    thinned = fitted.thinned
    by = f", {thinned.kept_of_all} of them standing for all" if thinned else ""
    return Fit(
        kind=KIND,
        subject=subject or gathered.machine or gathered.form,
        algorithm=fitted.algorithm,
        inputs=gathered.samples.inputs.names,
        description=f"{n} measured segments of {kinds} {what}{by}",
        arrays=fitted.arrays,
        seed=seed,
        scores=fitted.scores,
    )


def _groups(form: str, used: pa.Table) -> NDArray[np.str_]:
    """Say what near-duplicates have in common: the program, or the family of blocks."""
    import numpy as np

    if form == "trace":
        return np.array(used["program"].to_pylist(), np.str_)
    from udfs.throughput.families import families

    return families(used["hex"].to_pylist()).astype(np.str_)


def _matrix(lists: pa.ChunkedArray) -> Floats:
    """Give lists of numbers, all of one length, as a matrix; NaN for NULL."""
    import numpy as np

    flat = lists.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat, np.float64).reshape(len(lists), -1)


def _too_little(found: str, needed: str, kept_out: Counter[str]) -> NothingToAnalyse:
    why = ", ".join(f"{count} {reason}" for reason, count in kept_out.most_common())
    return NothingToAnalyse(
        f"there are {found} to learn from" + (f" ({why})" if why else ""),
        hint=f"A model needs {needed} with measured cycles: ingest more.",
    )
