"""Training of throughput models behind `pwh fit throughput`: segments read, model assembled."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from apps.fitting.samples import matrix
from warehouse import sqlfiles
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.models import Fit
from warehouse.session import Connection

if TYPE_CHECKING:
    from udfs.throughput.algorithms import Samples
    from udfs.throughput.fitting import Fitted

KIND = "throughput"
_REDUCE = re.compile(r"som:(\d+),(\d*\.?\d+)")
_GROUPS_NEEDED, _SEGMENTS_NEEDED = 3, 50


def parse_reduction(text: str | None) -> tuple[int, float] | None:
    """Return the classes of the map and the share kept from --reduce; raises `UsageError`."""
    if text is None:
        return None
    found = _REDUCE.fullmatch(text.strip().lower())
    if found is None or not int(found[1]) or not 0 < float(found[2]) <= 1:
        raise UsageError(
            f"--reduce {text!r} is not a reduction",
            hint="Such as som:200,0.15: 200 classes of segments, of each of which 15 % are kept.",
        )
    return int(found[1]), float(found[2])


def choose_form(con: Connection) -> str:
    """Return the form with most measured segments; raises `NothingToAnalyse` without any."""
    rows = con.execute(
        "SELECT form FROM segment_inputs GROUP BY form HAVING count(cycles) > 0 "
        "ORDER BY count(cycles) DESC, form DESC"
    ).fetchall()
    if not rows:
        raise NothingToAnalyse(
            "there are no segments with measured cycles",
            hint="Ingest some: segments of traces with cycles, or blocks of machine code with "
            "cycles per 100 iterations.",
        )
    return str(rows[0][0])


@dataclass(frozen=True, slots=True)
class TrainingSegments:
    """Data that a fit learns from: segments, their machine, and how many were left out and why."""

    form: str
    samples: Samples
    machine: str | None
    left_out: dict[str, int]


def read_training_segments(con: Connection, form: str, core: str | None = None) -> TrainingSegments:
    """Read the measured segments of a form, and of a core where one is given.

    Raises `NothingToAnalyse` where there are too few, or too few programs or families of blocks.
    """
    import pyarrow.compute as pc

    found = con.execute(
        sqlfiles.read("queries/fit/throughput_training"), {"form": form, "core": core}
    ).to_arrow_table()
    left_out = Counter(found["kept_out"].drop_null().to_pylist())
    used = found.filter(pc.is_null(found["kept_out"]))
    if used.num_rows < _SEGMENTS_NEEDED:
        raise _too_few(f"{used.num_rows} segments", f"{_SEGMENTS_NEEDED} segments", left_out)
    x, bounds = matrix(used["features"]), matrix(used["bounds"])
    groups = _groups(form, used)
    if len(np.unique(groups)) < _GROUPS_NEEDED:
        kind = "programs" if form == "trace" else "families of blocks"
        raise _too_few(
            f"segments of {len(np.unique(groups))} {kind}", f"{_GROUPS_NEEDED} {kind}", left_out
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
    return TrainingSegments(form, samples, machine, dict(left_out.most_common()))


def make_fit(segments: TrainingSegments, fitted: Fitted, subject: str | None, seed: int) -> Fit:
    """Return the model ready for `models.store`."""
    n = len(segments.samples.cycles)
    kinds = len(np.unique(segments.samples.groups))
    what = "programs" if segments.form == "trace" else "families of blocks"
    thinned = fitted.thinned
    reduced = f", reduced to {thinned.kept_of_all}" if thinned else ""
    return Fit(
        kind=KIND,
        subject=subject or segments.machine or segments.form,
        algorithm=fitted.algorithm,
        inputs=segments.samples.inputs.names,
        description=f"{n} measured segments of {kinds} {what}{reduced}",
        arrays=fitted.arrays,
        seed=seed,
        scores=fitted.scores,
    )


def _groups(form: str, used: pa.Table) -> NDArray[np.str_]:
    """Return the group of near-duplicates of each segment: its program, or family of blocks."""
    if form == "trace":
        return np.array(used["program"].to_pylist(), np.str_)
    from udfs.throughput.families import families

    return families(used["hex"].to_pylist()).astype(np.str_)


def _too_few(found: str, needed: str, left_out: Counter[str]) -> NothingToAnalyse:
    reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.most_common())
    return NothingToAnalyse(
        f"there are {found} to learn from" + (f" ({reasons} left out)" if reasons else ""),
        hint=f"A model needs {needed} with measured cycles: ingest more.",
    )
