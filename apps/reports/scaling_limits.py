"""Up to which count more processes make a program faster, and are worth their cores."""

from __future__ import annotations

from collections.abc import Sequence

from apps.output.numbers import percent
from apps.output.tables import Row
from apps.reports.flags import first_text
from apps.reports.scaling_question import REACH, Question, why_guessed
from udfs.scaling.limits import (
    FLOOR,
    Efficient,
    Times,
    Turning,
    efficiencies,
    efficient_counts,
    fastest_count,
)

# What a time may be over the shortest one, and changes little.
_LITTLE = 0.05


def turning_point(question: Question, turning: Sequence[Row]) -> Turning | None:
    """Return the turning point of strong scaling as measured, None where it is unknown.

    `turning` are the rows of the question `scaling/turning`.
    """
    if (
        not turning
        or turning[0]["turning"] is None
        or not question.is_count
        or question.scaling != "strong"
        or question.problem_size is not None
    ):
        return None
    (row,) = turning
    high = None if row["high"] is None else round(row["high"])
    return Turning(row["turning"], round(row["low"]), high, row["is_predicted"])


def drawn_turning_point(
    question: Question, every: Sequence[Row], turning: Sequence[Row]
) -> Turning | None:
    """Return the turning point, None where it gets faster up to the last time that is no guess."""
    point, rows = turning_point(question, turning), _within_reach(question, every)
    last = max((row["parallelism"] for row in rows if not row["is_guess"]), default=0)
    return point if point and point.about < last else None


def limit_sentences(question: Question, every: Sequence[Row], turning: Sequence[Row]) -> list[str]:
    """Return where the program is fastest, and up to which count it is efficient.

    `every` are the rows of `predict_grid`, `turning` those of `scaling_turning`.
    """
    reached = _within_reach(question, every)
    if not reached or not question.is_count:
        return []
    # Of times that are guesses nothing follows.
    rows = [row for row in reached if not row["is_guess"]] or reached[:1]
    guesses = "" if len(rows) == len(reached) else f"; beyond {_last(rows)} its times are guesses"
    is_measured = question.problem_size is None
    why = None if is_measured else why_guessed(reached[-1])
    if why:
        return [f"Up to which count adding more makes it faster is unknown: {why}."]
    sentences = []
    if question.scaling == "strong":
        sentences.append(
            _turning_sentence(turning_point(question, turning), rows, turning[0], guesses)
            if is_measured and turning
            else _turning_elsewhere(rows, guesses)
        )
    if turning and is_measured and turning[0]["low"] is None:
        return [*sentences, _efficient_measured(question, rows)]
    is_stored = turning and is_measured and question.scaling == question.which.scaling
    found = _stored(turning[0]) if is_stored else efficient_counts(_times(rows), question.is_weak)
    return [*sentences, _efficient(found, rows, guesses)]


def worth_sentences(
    question: Question, worth: Sequence[Row], gain: float, weight: float
) -> list[str]:
    """Return up to which count doubling buys a speed-up, and the count of least time times cost.

    `worth` are the rows of the question `scaling/worth`; nothing is said of other problem sizes.
    """
    if not worth or not question.is_count or question.is_weak or question.problem_size is not None:
        return []
    (row,) = worth
    buys, last = f"a speed-up of {gain:g}", row["last"]
    sentence = f"Doubling the count never buys {buys}"
    if row["doubling"] is not None:
        beyond = " at least" if 2 * row["doubling"] > last else ""
        sentence = f"Doubling the count buys {buys} up to {row['doubling']}{beyond}"
    cost = "cost" if weight == 1 else f"cost^{weight:g}"
    verb = "is least at" if row["cheapest"] < last else "falls up to"
    return [f"{sentence}; time x {cost} {verb} {row['cheapest']}."]


def _within_reach(question: Question, rows: Sequence[Row]) -> list[Row]:
    """Return the rows with a prediction, up to the farthest count at which it is looked at."""
    reach = question.which.largest * REACH
    return [row for row in rows if row["predicted"] is not None and row["parallelism"] <= reach]


def _turning_sentence(
    point: Turning | None, rows: Sequence[Row], turning: Row, guesses: str
) -> str:
    """Return beyond which count more processes make it slower, with the 90 % interval.

    `guesses` is from which count on the times are guesses, in words.
    """
    first, farthest = rows[0]["parallelism"], _last(rows)
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
    beyond = [row for row in rows if row["parallelism"] > alike[-1]]
    is_plateau &= all(row["low"] <= shortest * (1 + _LITTLE) for row in beyond)
    # Times that are sure to get shorter or longer beyond are none.
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
    if point.about >= farthest:
        return _not_slower(farthest, _certain(point.low, farthest) + guesses)
    upper = f"more than {farthest}" if point.high is None else point.high
    later = "" if point.is_predicted else ", though its model predicts shorter times far beyond"
    makes = "makes" if point.about <= _last(measured) else "is predicted to make"
    return (
        f"Adding more than about {point.about} {makes} it slower (90 %: {point.low} to {upper})"
        f"{later}."
    )


def _turning_elsewhere(rows: Sequence[Row], guesses: str) -> str:
    """Return the same at a problem size that was not measured, where no interval is known."""
    about, farthest = fastest_count(_times(rows)), _last(rows)
    if about == farthest:
        return _not_slower(farthest, guesses)
    return f"Adding more than about {about} is predicted to make it slower."


def _not_slower(farthest: int, how_far: str) -> str:
    return f"Up to {farthest} adding more is not predicted to make it slower{how_far}."


def _times(rows: Sequence[Row]) -> Times:
    columns = (
        [row["parallelism"] for row in rows],
        [row["predicted"] for row in rows],
        *([row[end] or row["predicted"] for row in rows] for end in ("low", "high")),
        [row["measured"] for row in rows],
    )
    return Times(*columns)


def _stored(row: Row) -> Efficient | None:
    if row["efficient"] is None:
        return None
    return Efficient(row["efficient"], row["efficient_low"], row["efficient_high"])


def _efficient(found: Efficient | None, rows: Sequence[Row], guesses: str) -> str:
    """Return up to which count the efficiency is over the floor, with the 90 % interval."""
    floor, farthest = percent(FLOOR), _last(rows)
    if found is None:
        return f"Its efficiency is over {floor} nowhere."
    about, low, high = found
    if about == farthest:
        text = f"Up to {farthest} its efficiency is predicted to stay over {floor}"
        return f"{text}{_certain(low, farthest)}{guesses}."
    text = f"The largest count with an efficiency over {floor} is about {about}"
    if low == high:
        return f"{text}."
    upper = f"more than {farthest}" if high == farthest else high
    return f"{text} (90 %: {low} to {upper})."


def _last(rows: Sequence[Row]) -> int:
    """Return the largest count."""
    count: int = rows[-1]["parallelism"]
    return count


def _certain(low: int, farthest: int) -> str:
    """Return how far what is predicted up to the farthest count is certain, if less."""
    return f", but that is certain (90 %) only up to {low}" if low < farthest else ""


def _efficient_measured(question: Question, rows: Sequence[Row]) -> str:
    """Return the same by the measured counts alone, where no model carries what lies between."""
    times = _times(rows)
    known = zip(rows, efficiencies(times, times.seconds, question.is_weak), strict=True)
    over = [row["parallelism"] for row, one in known if row["measured"] and one >= FLOOR]
    if not over:
        return f"Its efficiency is over {percent(FLOOR)} at no measured count."
    floor = percent(FLOOR)
    return f"Of the measured counts {over[-1]} is the largest with an efficiency over {floor}."
