"""Which commit changed a metric, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from apps.output.numbers import counted, percent, signed_percent
from apps.output.text import cell
from udfs.measuring.bisection import Belief

_MOST = 12


def bisected_text(
    metric: str,
    commits: Sequence[str],
    known: Belief,
    named: Sequence[int],
    subjects: Sequence[str],
    places: Sequence[int],
) -> str:
    """Return the commit that changed a metric, its probability, and those not told apart from it.

    Args:
        metric: its name.
        commits: all commits, the good one first.
        known: what the values say.
        named: the commits not told apart.
        subjects: one line for each of these.
        places: the commit of each value.
    """
    measured = f"{counted(len(places), 'run')} of {counted(len(set(places)), 'commit')}"
    if known.none > 0.5:
        return (
            f"no change of {cell(metric)} is found between {commits[0][:9]} and "
            f"{commits[-1][:9]}: its probability is {percent(1 - known.none)}, by {measured}"
        )
    lines = dict(zip(named, map(cell, subjects), strict=False))
    culprit = lines.get(known.culprit, commits[known.culprit][:9])
    change = signed_percent(math.expm1(known.after - known.before))
    text = [
        f"{culprit}",
        f"* changed {cell(metric)} by about {change}, with a probability of "
        f"{percent(float(known.at.max()))}, by {measured}",
    ]
    others = [lines.get(at, commits[at][:9]) for at in named if at != known.culprit]
    if others:
        text.append(f"* not told apart from it: {counted(len(others), 'commit')}")
        text += [f"  {line}" for line in others[:_MOST]]
        if len(others) > _MOST:
            text.append(f"  and {len(others) - _MOST} more")
    if known.outliers:
        text.append(f"* left out as disturbed: {counted(len(known.outliers), 'run')}")
    return "\n".join(text)
