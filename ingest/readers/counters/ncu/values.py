"""Nsight Compute's numbers and units, as Arrow arrays."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ingest.parsing.lines import quoted
from warehouse.errors import InputError

_FIGURE = r"^[-+]?([1-9]\d{0,2}(,\d{3})+|\d+)(\.\d+)?([eE][-+]?\d{1,3})?$"
# 1,234 and 1.234 are 1234 in one country and 1.234 in another.
_AMBIGUOUS = r"^[-+]?[1-9]\d{0,2}[.,]\d{3}$"
_POINT_IS_DECIMAL = (
    r"^[-+]?(?:\d{1,3}(?:,\d{3}){2,}|\d{1,3}(?:,\d{3})+\.\d+|0\.\d+|\d+\.(?:\d{1,2}|\d{4,})"
    r"|\d{4,}\.\d+)(?:[eE][-+]?\d+)?$"
)
_COMMA_GROUPS = r"^[-+]?\d{1,3},\d{3}$"
_POINT_GROUPS = r"^[-+]?[1-9]\d{0,2}\.\d{3}$"
_COUNTS = (
    r"(?:\.sum|^launch__\w+_size|^launch__registers_per_thread|^Registers Per Thread"
    r"|^(?:Block|Grid) Size|^Threads)$"
)
_WHOLE = ("", "inst", "warp", "block", "thread", "register/thread", "cycle", "sector", "request")
_LIKE_A_FIGURE = r"^[-+]?\d[\d.,']*$"
_UNKNOWN = ("", "n/a", "nan", "-nan", "inf", "-inf", "no data")
_TIMES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_PARTS = {"n": 1e9, "u": 1e6, "m": 1e3}
_SHORT = {"ns": "nsecond", "us": "usecond", "ms": "msecond", "s": "second"}
_SCALED = {"byte": "KMGT", "hz": "KMGT", "second": "num", "bit": "KMGT", "inst": "KMGT"}


class Separators:
    """Finds out whether a file writes 1,234.5 as ncu does, or the separators of others.

    `settled` is whether some number shows it; `first` describes the first that could be either.
    """

    def __init__(self) -> None:
        self.settled = False
        self.first: tuple[str, str, int] | None = None

    def look_at(
        self, plain: pa.ChunkedArray, names: pa.ChunkedArray, units: pa.ChunkedArray, line: int
    ) -> None:
        """Take numbers with names and units of their metrics; counts are whole numbers.

        Raises `InputError` for a count that is whole only if points separate thousands.
        """
        count = pc.and_(
            pc.match_substring_regex(names, _COUNTS),
            pc.is_in(pc.fill_null(units, ""), value_set=pa.array(_WHOLE)),
        )
        fraction = pc.and_(count, pc.match_substring_regex(plain, _POINT_GROUPS))
        if pc.any(fraction, min_count=0).as_py():
            at = fraction.to_pylist().index(True)
            raise _foreign(f"the count {names[at]} is {quoted(str(plain[at]))}", line + at)
        grouped = pc.and_(count, pc.match_substring_regex(plain, _COMMA_GROUPS))
        shown = pc.or_(grouped, pc.match_substring_regex(plain, _POINT_IS_DECIMAL))
        self.settled = self.settled or bool(pc.any(shown, min_count=0).as_py())
        unclear = pc.match_substring_regex(plain, _AMBIGUOUS)
        if self.first is None and pc.any(unclear, min_count=0).as_py():
            at = unclear.to_pylist().index(True)
            self.first = (str(names[at]), str(plain[at]), line + at)

    def check(self) -> None:
        """Raise `InputError` where a number could be a thousand times larger or smaller."""
        if self.first is not None and not self.settled:
            name, value, line = self.first
            problem = f"{name} is {quoted(value)}, and no other number shows what separates what"
            raise _foreign(problem, line)


def check_any(landed: int) -> None:
    """Raise `InputError` where a file has no metric."""
    if not landed:
        raise InputError(
            "there are no metrics",
            where="end of the file",
            expected="a metric of at least one kernel launch",
            hint="Did ncu profile a kernel?",
        )


def _foreign(problem: str, line: int) -> InputError:
    return InputError(
        problem,
        where=f"line {line}",
        expected="a number such as 1,234.5",
        hint="Numbers of other languages: record with LC_ALL=C.",
    )


def numbers(
    text: pa.ChunkedArray,
    names: pa.ChunkedArray,
    units: pa.ChunkedArray,
    first: int,
    separators: Separators,
) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Return the numbers (NULL where not measured), and which rows contain a number or lack one.

    `first` is the line of the first row, `separators` what the file showed so far.

    Raises `InputError` where a number is written as ncu does not write it (decimal commas).
    """
    plain = pc.utf8_trim_whitespace(pc.fill_null(text, ""))
    good = pc.match_substring_regex(plain, _FIGURE)
    odd = pc.and_not(pc.match_substring_regex(plain, _LIKE_A_FIGURE), good)
    if pc.any(odd, min_count=0).as_py():
        at = odd.to_pylist().index(True)
        raise _foreign(f"{names[at]} is {quoted(str(plain[at]))}", first + at)
    separators.look_at(plain, names, units, first)
    digits = pc.replace_substring(plain, ",", "")
    figures = pc.cast(pc.if_else(good, digits, pa.scalar(None, pa.string())), pa.float64())
    figures = pc.if_else(pc.is_finite(figures), figures, pa.scalar(None, pa.float64()))
    unknown = pc.is_in(pc.utf8_lower(plain), value_set=pa.array(_UNKNOWN))
    return figures, pc.or_(good, unknown)


def in_base_units(
    figures: pa.ChunkedArray, units: pa.ChunkedArray | pa.Array
) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Scale numbers to base units; return the numbers and their units, NULL if there is none."""
    kinds = pc.unique(pc.fill_null(units, "")).to_pylist()
    bases = [_base(unit) for unit in kinds]
    at = pc.index_in(pc.fill_null(units, ""), value_set=pa.array(kinds, pa.string()))
    times, parts, names = zip(*bases, strict=True) if bases else ((), (), ())
    figures = pc.multiply(figures, pc.take(pa.array(times, pa.float64()), at))
    # Dividing by a whole number rounds once: 12.5 us are 1.25e-05 s.
    figures = pc.divide(figures, pc.take(pa.array(parts, pa.float64()), at))
    return figures, pc.take(pa.array([name or None for name in names], pa.string()), at)


def _base(unit: str) -> tuple[float, float, str]:
    """Return a multiplier and a divisor to the base unit, and its name.

    Kbyte/second is 1000 times byte/second.
    """
    above, slash, below = unit.partition("/")
    times, parts, name = _scaled(above)
    if not slash:
        return times, parts, name
    under = _scaled(below)
    return times * under[1], parts * under[0], f"{name}/{under[2]}"


def _scaled(unit: str) -> tuple[float, float, str]:
    unit = _SHORT.get(unit, unit)
    for base, prefixes in _SCALED.items():
        if unit[1:] == base and unit[0] in prefixes:
            return _TIMES.get(unit[0], 1.0), _PARTS.get(unit[0], 1.0), base
    return 1.0, 1.0, unit
