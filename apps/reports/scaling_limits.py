"""Up to which count more processes make a program faster, and are worth their cores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from apps.output.numbers import percent
from apps.output.tables import Row
from apps.reports.flags import first_text
from apps.reports.scaling_question import REACH, Question, why_guessed

# An efficiency below this is not worth its cores.
FLOOR = 0.5
GAIN = 1.5
"""Speed-up that doubling the count has to buy to be worth it."""
# What a time may be over the shortest one, and changes little.
_LITTLE = 0.05
# Times over the shortest one that are equal to it.
_EQUAL = 1 + 1e-6


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """The count beyond which more processes make a program slower, with its 90 % interval.

    `high` is None where the program may get faster up to the farthest predicted count, and
    `is_predicted` false where the predictions are still shorter further on.
    """

    about: int
    low: int
    high: int | None
    is_predicted: bool = True


def turning_point(
    question: Question, every: Sequence[Row], turning: Sequence[Row]
) -> TurningPoint | None:
    """Return the turning point of strong scaling as measured, None where it is unknown.

    `every` are the rows of `predict_grid`, `turning` those of `scaling_turning`.
    """
    rows = _within_reach(question, every)
    is_measured = question.problem_size is None
    if (
        not rows
        or not turning
        or not question.is_count
        or question.scaling != "strong"
        or not is_measured
    ):
        return None
    low, high = turning[0]["low"], turning[0]["high"]
    if low is None or (low <= rows[0]["parallelism"] and high is None):
        return None
    about = _fastest(rows)
    if high is not None and about > high and about == rows[-1]["parallelism"]:
        if turning[0]["fastest"] == question.which.largest:
            # As in scaling_turning_point, which knows no predictions of sums of functions.
            return TurningPoint(about, round(low), None)
        fastest = round(min(max(turning[0]["fastest"], low), high))
        return TurningPoint(fastest, round(min(low, fastest)), round(high), is_predicted=False)
    if any(row["parallelism"] == about and row["measured"] for row in rows):
        # Between measured counts the interval knows more than the line that joins them.
        shortest = min(row["predicted"] for row in rows)
        first = next(row["parallelism"] for row in rows if row["predicted"] <= shortest * _EQUAL)
        about = round(max(first, low))
    upper = None if high is None else round(max(high, about))
    return TurningPoint(about, round(min(low, about)), upper)


def limit_sentences(question: Question, every: Sequence[Row], turning: Sequence[Row]) -> list[str]:
    """Return where the program is fastest, and up to which count it is efficient.

    `every` are the rows of `predict_grid`, `turning` those of `scaling_turning`.
    """
    rows = _within_reach(question, every)
    if not rows or not question.is_count:
        return []
    is_measured = question.problem_size is None
    why = None if is_measured else why_guessed(rows[-1])
    if why:
        return [f"Up to which count adding more makes it faster is unknown: {why}."]
    sentences = []
    if question.scaling == "strong":
        sentences.append(
            _turning_sentence(turning_point(question, every, turning), rows, turning[0])
            if is_measured and turning
            else _turning_elsewhere(rows)
        )
    is_modelled = not (turning and is_measured) or turning[0]["low"] is not None
    efficient = _efficient if is_modelled else _efficient_measured
    return [*sentences, efficient(question, rows)]


def worth_sentences(
    question: Question, every: Sequence[Row], gain: float = GAIN, weight: float = 1.0
) -> list[str]:
    """Return up to which count doubling buys a speed-up, and the count of least time times cost.

    `every` are the rows of `predict_grid`, of which guesses are left out; the cost is count times
    time, to the power `weight`.
    """
    known = {
        row["parallelism"]: row["predicted"]
        for row in _within_reach(question, every)
        if not row["is_guess"]
    }
    if not known or not question.is_count or question.scaling != "strong":
        return []
    last = None
    for count, seconds in known.items():
        double = known.get(2 * count)
        if double is None:
            continue
        if seconds / double < gain:
            break
        last = 2 * count
    buys = f"a speed-up of {gain:g}"
    sentence = (
        f"Doubling the count never buys {buys}"
        if last is None
        else f"Doubling the count buys {buys} up to {last}"
    )
    best = min(known, key=lambda count: (known[count] * (count * known[count]) ** weight, count))
    cost = "cost" if weight == 1 else f"cost^{weight:g}"
    return [f"{sentence}; time x {cost} is least at {best}."]


def _within_reach(question: Question, rows: Sequence[Row]) -> list[Row]:
    """Return the rows with a prediction, up to the farthest count at which it is looked at."""
    reach = question.which.largest * REACH
    return [row for row in rows if row["predicted"] is not None and row["parallelism"] <= reach]


def _turning_sentence(point: TurningPoint | None, rows: Sequence[Row], turning: Row) -> str:
    """Return beyond which count more processes make it slower, with the 90 % interval."""
    first, farthest = rows[0]["parallelism"], rows[-1]["parallelism"]
    if turning["low"] is None:
        why = why_guessed(turning) or first_text(turning["flags"], {"new_regime"})
        why = why or "there is no model"
        return (
            f"Beyond which count adding more makes it slower is unknown: {why}. "
            f"Of the measured counts {turning['fastest']} is the fastest."
        )
    if point and point.high == first:
        return f"Adding more than {first}, the smallest count, makes it slower (90 %)."
    measured = [row for row in rows if row["measured"]]
    shortest = min(row["predicted"] for row in measured)
    alike = [r["parallelism"] for r in measured if r["predicted"] <= shortest * (1 + _LITTLE)]
    is_plateau = alike[-1] == measured[-1]["parallelism"] > alike[0]
    # Times that are sure to get shorter beyond are none.
    if is_plateau and (point is None or point.low <= alike[-1]):
        return (
            f"From {alike[0]} to {alike[-1]}, the largest count, adding more changes the time by "
            f"{percent(_LITTLE)} at most; beyond it is not known to get faster."
        )
    if point is None:
        return (
            "Beyond which count adding more makes it slower is unknown: the measured times allow "
            f"any from {first} on."
        )
    if point.about == farthest:
        sure = _last_followed(rows)
        return (
            f"Up to {sure} adding more does not make it slower; it could from {point.low} on "
            f"(90 %){_guessed_beyond(sure, farthest)}."
        )
    upper = f"more than {farthest}" if point.high is None else point.high
    later = "" if point.is_predicted else ", though its model predicts shorter times far beyond"
    return (
        f"Adding more than about {point.about} makes it slower (90 %: {point.low} to {upper})"
        f"{later}."
    )


def _turning_elsewhere(rows: Sequence[Row]) -> str:
    """Return the same at a problem size that was not measured, where no interval is known."""
    about, farthest = _fastest(rows), rows[-1]["parallelism"]
    if about == farthest:
        return f"Up to {farthest} adding more is not predicted to make it slower."
    return f"Adding more than about {about} is predicted to make it slower."


def _fastest(rows: Sequence[Row]) -> int:
    """Return the count with the shortest time; beyond the measured ones between those of the grid.

    There it is the vertex of the parabola through the logarithms of the shortest time and its
    neighbours. Of equal times it is the last.
    """
    shortest = min(row["predicted"] for row in rows)
    place = max(i for i, row in enumerate(rows) if row["predicted"] <= shortest * _EQUAL)
    best: int = rows[place]["parallelism"]
    if rows[place]["measured"] or place in {0, len(rows) - 1}:
        return best
    (x0, y0), (x1, y1), (x2, y2) = (
        (math.log(row["parallelism"]), math.log(row["predicted"]))
        for row in rows[place - 1 : place + 2]
    )
    one, other = (y1 - y0) / (x1 - x0), (y2 - y1) / (x2 - x1)
    if not other > one:
        return best
    vertex = (x0 + x1) / 2 - one * (x2 - x0) / 2 / (other - one)
    return round(math.exp(min(max(vertex, x0), x2)))


def _efficient(question: Question, rows: Sequence[Row]) -> str:
    """Return up to which count the efficiency is over the floor, with the 90 % interval."""
    floor, farthest = percent(FLOOR), rows[-1]["parallelism"]
    sure = _last_followed(rows)
    rows = _until_under_floor(question, rows)
    about = _last_efficient(_efficiencies(question, rows, "predicted"), rows)
    if about is None:
        return f"Its efficiency is over {floor} nowhere."
    # The longest and shortest times that are likely.
    longest, shortest = (_efficiencies(question, rows, end) for end in ("high", "low"))
    low = _last_efficient(longest, rows) or rows[0]["parallelism"]
    high = _last_efficient(shortest, rows) or about
    if about == farthest:
        text = f"Its efficiency stays over {floor} up to {sure}"
        only = f"; it could until {low} only (90 %)" if low < sure else ""
        return f"{text}{only}{_guessed_beyond(sure, farthest)}."
    text = f"The largest count with an efficiency over {floor} is about {about}"
    if low == high:
        return f"{text}."
    upper = f"more than {farthest}" if high == farthest else high
    return f"{text} (90 %: {low} to {upper})."


def _last_followed(rows: Sequence[Row]) -> int:
    """Return the last count whose time is no guess."""
    first: int = rows[0]["parallelism"]
    return max((row["parallelism"] for row in rows if not row["is_guess"]), default=first)


def _guessed_beyond(sure: int, farthest: int) -> str:
    return f"; beyond {sure} its times are guesses" if sure < farthest else ""


def _until_under_floor(question: Question, rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows up to the measured count from which all are surely under the floor."""
    shortest = _efficiencies(question, rows, "low")
    measured = [i for i, row in enumerate(rows) if row["measured"]]
    over = max((i for i in measured if shortest[i] >= FLOOR), default=-1)
    end = next((i for i in measured if i > over), len(rows))
    return rows[: end + 1]


def _efficiencies(question: Question, rows: Sequence[Row], time: str) -> list[float]:
    """Return the efficiencies against the first row, also of guesses, by predicted, low or high."""
    first = rows[0]
    works = [
        1 if question.scaling == "weak" else row["parallelism"] / first["parallelism"]
        for row in rows
    ]
    times = (row[time] or row["predicted"] for row in rows)
    return [first["predicted"] / (one * work) for one, work in zip(times, works, strict=True)]


def _last_efficient(efficiencies: Sequence[float], rows: Sequence[Row]) -> int | None:
    """Return the last count with an efficiency over the floor, between those of the grid."""
    last = max((i for i, one in enumerate(efficiencies) if one >= FLOOR), default=None)
    if last is None:
        return None
    begin: int = rows[last]["parallelism"]
    if last == len(rows) - 1:
        return begin
    x0, x1 = (math.log(row["parallelism"]) for row in rows[last : last + 2])
    y0, y1 = (math.log(one / FLOOR) for one in efficiencies[last : last + 2])
    return int(math.exp(x0 + (x1 - x0) * y0 / (y0 - y1)) + 1e-9)


def _efficient_measured(question: Question, rows: Sequence[Row]) -> str:
    """Return the same by the measured counts alone, where no model carries what lies between."""
    known = zip(rows, _efficiencies(question, rows, "predicted"), strict=True)
    over = [row["parallelism"] for row, one in known if row["measured"] and one >= FLOOR]
    if not over:
        return f"Its efficiency is over {percent(FLOOR)} at no measured count."
    floor = percent(FLOOR)
    return f"Of the measured counts {over[-1]} is the largest with an efficiency over {floor}."
