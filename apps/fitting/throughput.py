"""`pwh fit throughput`: what there is to learn from, the reduction, and what is said of the fit."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from apps.output import table_text
from warehouse import models, sqlfiles
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.models import Fit

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

    from udfs.throughput.algorithms import Samples
    from udfs.throughput.fitting import Fitted, Thinned
    from udfs.throughput.network import Floats

_REDUCE = re.compile(r"som:(\d+),(\d*\.?\d+)")
_MEASURES = ("mean error", "median error", "Kendall's tau")


def parse_reduction(text: str | None) -> tuple[int, float] | None:
    """Read --reduce: classes of the map and the share kept; raises `UsageError`."""
    if text is None:
        return None
    found = _REDUCE.fullmatch(text.strip().lower())
    if found is None or not int(found[1]) or not 0 < float(found[2]) <= 1:
        raise UsageError(
            f"--reduce {text!r} is no reduction",
            hint="som:200,0.15 sorts segments into 200 classes and keeps 15 % of each.",
        )
    return int(found[1]), float(found[2])


def gather(con: DuckDBPyConnection, form: str | None) -> Gathered:
    """Read the measured segments of a form, by default the one with most.

    Raises `NothingToAnalyse` where there are too few.
    """
    there = measured(con)
    if not there:
        raise NothingToAnalyse(
            "there are no segments with measured cycles",
            hint="Ingest some: segments of traces with cycles, or blocks of machine code with "
            "cycles per 100 iterations.",
        )
    return read_segments(con, form or next(iter(there)))


def throughput_fit_report(
    con: DuckDBPyConnection, gathered: Gathered, fitted: Fitted, fit: Fit, version: int
) -> str:
    """Return the report on a model that was just stored."""
    used = models.in_force(con, KIND, fit.subject)
    force = "in force from now on" if used == version else f"a person chose throughput/{used}"
    lines = [
        f"Model throughput/{version} of {fit.subject}: {fit.algorithm}, {force}.",
        f"* It learned from {fit.description}, in {fitted.seconds:.0f} s.",
    ]
    if gathered.kept_out:
        why = ", ".join(f"{count} {reason}" for reason, count in gathered.kept_out.items())
        lines.append(f"* Kept out: {why}.")
    if fitted.thinned is not None:
        lines.append(f"* {_reduction_said(fitted.thinned)}")
    band = [value for _, _, what, value in fit.scores if what == "in the band"]
    if band:
        lines.append(f"* Its 90 % band held {band[0]:.0%} of the segments held out.")
    lines.append(f"* {_network_said(fitted)}")
    return "\n".join([*lines, "", "Errors of the predicted cycles", _score_table(fit)])


def _reduction_said(thinned: Thinned) -> str:
    faster = thinned.seconds_all / max(thinned.seconds_kept, 1e-9)
    return (
        f"Reduction: {thinned.kept} segments stand for {thinned.segments} "
        f"({thinned.classes} classes of the map). The network's mean error on groups held out is "
        f"{thinned.error_kept:.1%}, from all segments {thinned.error_all:.1%}; it took "
        f"{thinned.seconds_kept:.1f} s, from all {thinned.seconds_all:.1f} s "
        f"({faster:.1f} times as long)."
    )


def _network_said(fitted: Fitted) -> str:
    error = {
        name: value
        for name, split, what, value in fitted.scores
        if what == "mean error" and split == "groups held out"
    }
    better = [n for n, value in error.items() if n != "network" and value <= error["network"]]
    if better:
        return f"The network does not beat everything beside it: {', '.join(better)} did as well."
    return "The network is the best of all on groups held out."


def _score_table(fit: Fit) -> str:
    """Return a line for every algorithm: its scores on groups held out, then at random."""
    splits = list(dict.fromkeys(split for _, split, *_ in fit.scores))
    values = {(name, split, what): value for name, split, what, value in fit.scores}
    rows = [
        (
            f"{name}{' *' if name == fit.algorithm else ''}",
            *(
                _cell(values.get((name, split, what)), what)
                for split in splits
                for what in _MEASURES
            ),
        )
        for name in dict.fromkeys(name for name, *_ in fit.scores)
    ]
    heads = [
        f"{what}{'' if i == 0 else ' (random)'}" for i in range(len(splits)) for what in _MEASURES
    ]
    legend = [
        f"Held out: {splits[0]}; (random): {splits[1]}, which flatters: near-duplicates are seen.",
        "*: the model stored",
    ]
    return "\n".join([table_text(("algorithm", *heads), rows), *legend])


def _cell(value: float | None, what: str) -> str | None:
    if value is None:
        return None
    return f"{value:.2f}" if what == "Kendall's tau" else f"{value:.1%}"


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
    """Return how many segments of each form have measured cycles, those with most first."""
    rows = con.execute(
        "SELECT form, count(cycles) FROM segment_inputs GROUP BY form HAVING count(cycles) > 0 "
        "ORDER BY count(cycles) DESC, form DESC"
    ).fetchall()
    return dict(rows)


def read_segments(con: DuckDBPyConnection, form: str) -> Gathered:
    """Read the measured segments of a form.

    Raises `NothingToAnalyse` where there are too few, or too few programs or families of blocks.
    """
    import numpy as np
    import pyarrow.compute as pc

    found = con.execute(
        sqlfiles.read("queries/fit/throughput_training"), {"form": form}
    ).to_arrow_table()
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


def make_fit(gathered: Gathered, fitted: Fitted, subject: str | None, seed: int) -> Fit:
    """Return the model ready for `models.store`."""
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
    """Return lists of numbers, all of one length, as a matrix; NaN for NULL."""
    import numpy as np

    flat = lists.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat, np.float64).reshape(len(lists), -1)


def _too_little(found: str, needed: str, kept_out: Counter[str]) -> NothingToAnalyse:
    why = ", ".join(f"{count} {reason}" for reason, count in kept_out.most_common())
    return NothingToAnalyse(
        f"there are {found} to learn from" + (f" ({why})" if why else ""),
        hint=f"A model needs {needed} with measured cycles: ingest more.",
    )
