"""Tables of runs, one a row, with their wall times or other metrics; other columns become tags."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ingest.base import Item, LeftOut, Select
from ingest.parsing.plain_csv import named
from ingest.parsing.units import UNIT_OF
from ingest.readers.plain.matches import best_match
from ingest.readers.plain.repetitions import without_copies
from ingest.readers.plain.tables import RUN_TYPES, check_type, number_of, source_of, value
from warehouse.errors import InputError
from warehouse.sqlfiles import identifier

WALL_TIME = "wall_seconds"
# In SQL, as dividing by thousands rounds less than multiplying by thousandths does.
_TO_SECONDS = {
    "s": "",
    "ms": " / 1000",
    "us": " / 1000000",
    "ns": " / 1000000000",
    "min": " * 60",
    "h": " * 3600",
}
# Of these a name says its unit, whatever else it says.
_PLAIN_UNITS = ("ms", "us", "ns")
_SIZES = {unit.lower(): unit for unit in ("B", "kB", "MB", "GB", "KiB", "MiB", "GiB")}
_SIZES |= {"bytes": "B", "byte": "B"}
_WITH_UNIT = re.compile(r"(.+?) *[(\[] *([^()\[\]]+?) *[)\]]")
# A row that has one of these, and a measurement of the whole, is a run.
_OF_RUNS = frozenset(("run_id", "run", "version", "commit", "tag:commit", "started_at"))
_TAG = "tag:"
_N = "(?:n|num|no|numof|numberof)?"
_SPELLINGS = {
    "ranks": re.compile(
        rf"{_N}(?:mpi)?(?:ranks|procs|processes)|{_N}mpitasks|ntasks|np|(?:rank|proc|process)count"
    ),
    "threads": re.compile(rf"{_N}(?:omp|openmp)?(?:num)?threads|threadcount"),
    "nodes": re.compile(rf"{_N}(?:compute)?nodes|nodecount"),
    "problem_size": re.compile("n|(?:problem|input|data|matrix|array)?size"),
}
_COUNTS = ("ranks", "threads", "nodes")
_CORES = re.compile(rf"{_N}(?:cpu)?cores|{_N}cpus|corecount")
_WHOLE = re.compile(
    "(?:total|overall)?(?:wall|wallclock|elapsed|real|run|exec|execution)?(?:time|duration)(?:in)?"
    "|(?:total)?(?:wall|wallclock|elapsed|runtime)(?:in)?"
)
# Rows of these are parts of runs, or moments of one.
_PARTS = re.compile(
    "function|routine|subroutine|kernel|region|phase|section|stage|component|(?:time)?step|epoch"
    "|frame|level|rank|pid|thread|tid|threadid|process|worker|timestamp|datetime|time|ts"
)
_OF_TIME = re.compile(r".*(?:time|wall|elapsed|latency|duration)")
_RATIO = re.compile("(?:.*(?:speedup|efficiency))|(?:speedup|efficiency).*")
_FLOPS = re.compile("([kmgtp]?)flops?")


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric that a column has: its name, unit and what is better."""

    metric: str
    unit: str | None
    better: Literal["lower", "higher"] | None


@dataclass(slots=True)
class Headings:
    """Roles of the columns of a table of runs: facts, metrics, tags (the key of each).

    `to_seconds` is the SQL that makes a wall time seconds. `cores` is the column that counts them,
    a tag, where that is what the runs are scaled by: beside nodes they may be those of each.
    """

    facts: dict[str, str] = field(default_factory=dict)
    to_seconds: str = ""
    cores: str | None = None
    measures: dict[str, Measure] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> list[str]:
        """The columns with counts of ranks, threads, nodes or cores."""
        counts = [self.facts[name] for name in _COUNTS if name in self.facts]
        return counts if self.cores is None else [*counts, self.cores]


def headings_of(columns: Sequence[str], facts: Sequence[str]) -> Headings | None:
    """Return what the columns are; None unless rows are runs with wall times or other metrics.

    Wall times are in the column wall_seconds, or in the only one whose name says time of the whole,
    where it says the unit, beside a count or what a run is known by: `threads,elapsed (ms)`. No
    unit, and it is not known how long a run took; of `time (s),total_time` it is not known which is
    the time of the whole. A run that is known by its id, version, commit or start needs no wall
    time where it has a metric: `commit,user (s)`. `facts` are the names of columns that are facts
    by themselves.
    """
    found = Headings(facts={name: name for name in facts if name in columns})
    others = [name for name in columns if name not in found.facts]
    given = {name: name.removeprefix(_TAG) for name in others if name.startswith(_TAG)}
    others = [name for name in others if name not in given]
    for fact, pattern in _SPELLINGS.items():
        named = [name for name in others if pattern.fullmatch(_squashed(name))]
        if fact not in found.facts and len(named) == 1:
            found.facts[fact] = named[0]
            others.remove(named[0])
    cores = [name for name in others if _CORES.fullmatch(_squashed(name))]
    if len(cores) == 1 and not found.counts:
        found.cores = cores[0]
    if WALL_TIME not in found.facts:
        times = [(name, unit) for name in others if (unit := _whole_time(name)) is not None]
        parts = any(_PARTS.fullmatch(_squashed(name)) for name in columns)
        is_known = bool(found.counts) or not _OF_RUNS.isdisjoint(columns)
        if len(times) > 1 or parts or not is_known or not all(unit for _, unit in times):
            return None
        if times:
            found.facts[WALL_TIME], unit = times[0]
            found.to_seconds = _TO_SECONDS[unit]
            others.remove(found.facts[WALL_TIME])
    measures = {name: _measure(name) for name in others}
    found.measures = {name: measure for name, measure in measures.items() if measure}
    found.tags = given | {name: name for name, measure in measures.items() if not measure}
    if WALL_TIME in found.facts or (found.measures and not _OF_RUNS.isdisjoint(columns)):
        return found
    return None


def _words(name: str) -> list[str]:
    return [
        word for word in re.split(r"[^a-z0-9\u00b5]+", name.replace("\u03bc", "\u00b5")) if word
    ]


def _squashed(name: str) -> str:
    return "".join(_words(name))


def _whole_time(name: str) -> str | None:
    """Return the unit of a column, empty if unknown; None if it is no time of a whole run."""
    *words, unit = _words(name) or [""]
    if (_WHOLE.fullmatch("".join(words)) and unit in UNIT_OF) or name == "seconds":
        return UNIT_OF[unit]
    return "" if _WHOLE.fullmatch(_squashed(name)) else None


def _measure(name: str) -> Measure | None:
    """Return the metric of a column whose name says its unit, or that more of it is better."""
    if (parts := _WITH_UNIT.fullmatch(name)) and (measure := _with_unit(parts[1], parts[2])):
        return measure
    *words, last = _words(name) or [""]
    if _RATIO.fullmatch(_squashed(name)):
        return Measure(name, None, "higher")
    is_rate = "/" in name or "per" in words
    unit = UNIT_OF.get(last)
    is_time = unit in _PLAIN_UNITS or _OF_TIME.fullmatch("".join(words))
    if words and unit and not is_rate and is_time:
        return Measure("_".join(words), unit, "lower")
    flops = next(filter(None, map(_FLOPS.fullmatch, (*words, last))), None)
    return Measure(name, f"{flops[1].upper()}flop/s", "higher") if flops else None


def _with_unit(name: str, unit: str) -> Measure | None:
    """Return the metric of a column with its unit in parentheses: `user (s)`, `max rss (MB)`."""
    metric = "_".join(_words(name))
    if known := UNIT_OF.get(unit) or _SIZES.get(unit):
        return Measure(metric, known, "lower")
    amount, _, per = unit.partition("/")
    if per in ("s", "sec", "second"):
        return Measure(metric, f"{_SIZES.get(amount, amount)}/s", "higher")
    return Measure(metric, unit, None) if unit == "%" else None


_FACTS = RUN_TYPES | {WALL_TIME: "DOUBLE"}
# Branches and commits are counts.
_LIKE_COUNTS = {"branch", "commit"}
# The wall time of a run at a known count is that of one function, of the kind total.
_WHOLE_PROGRAM = "whole program"


def run_list(columns: tuple[str, ...]) -> Headings | None:
    """Return what the columns are where rows are runs, and none of a landing table; else None."""
    match = best_match(columns)
    if match is not None and not match.missing:
        return None
    return headings_of(columns, tuple(_FACTS))


def run_items(
    columns: tuple[str, ...], headings: Headings, path: Path, head: bytes
) -> Iterator[Item]:
    """Yield a SELECT of the runs, one of their metrics, and one of the times at known counts.

    Raises `InputError` for columns whose names are nearly those of facts.
    """
    for name in headings.tags.keys() & headings.tags.values():
        if close := difflib.get_close_matches(name, _FACTS.keys() - _LIKE_COUNTS, 1, cutoff=0.8):
            raise InputError(
                f"the column {name!r} is no fact of runs",
                where="line 1",
                expected=f"columns among {', '.join(_FACTS)}; others become tags",
                hint=f"Did you mean {close[0]}? A tag of that name is tag:{name}.",
            )
    # What is not named as the fact is may be text: such values become tags.
    texts = [
        *headings.measures,
        *(c for f, c in headings.facts.items() if f == "problem_size" != c),
    ]
    types = {
        column: "VARCHAR" if column in texts else _FACTS[fact]
        for fact, column in headings.facts.items()
    }
    source, params, stored = source_of(
        head, path, columns, dict.fromkeys(columns, "VARCHAR") | types, left_out=True
    )
    for name, kind in types.items():
        check_type(name, kind, stored[name])
    source, copies = without_copies(source, params, named(columns))
    yield from copies
    key: Literal["run_id", "run_key"] = "run_id" if "run_id" in columns else "run_key"
    row = "*" if key == "run_id" else "CAST(row_number() OVER () AS VARCHAR) AS run_key, *"
    source = f"FROM (SELECT {row} {source})"
    seconds = "NULL"
    if WALL_TIME in headings.facts:
        time = f"CAST({identifier(headings.facts[WALL_TIME])} AS DOUBLE)"
        seconds = (
            f"CASE WHEN NOT isnan({time}) AND {time} <> 0 THEN {time}{headings.to_seconds} END"
        )
        zeros = number_of("count(*)", f"{source} WHERE {time} = 0", params)
        yield LeftOut(zeros, "wall time", "rounded to 0")
    values = [
        f"TRY_CAST({identifier(column)} AS DOUBLE) AS {fact}"
        if column in texts
        else _fact(fact, column, stored[column])
        for fact, column in headings.facts.items()
        if fact not in ("run_id", WALL_TIME)
    ]
    values.append(f"{seconds} AS {WALL_TIME}")
    tags, names = _tags(headings.tags, texts)
    yield Select("runs", f"SELECT {', '.join([key, *values, *tags])} {source}", params | names, key)
    if headings.measures:
        select, names = _metrics(headings, key)
        yield Select("metrics", f"{select} {source}) WHERE isfinite(m.value)", params | names, key)
    if headings.counts and seconds != "NULL":
        # Cores are no fact of runs: only their times are at so many.
        cores = f"TRY_CAST({identifier(headings.cores)} AS INTEGER)" if headings.cores else "NULL"
        counts = [cores if name == headings.cores else identifier(name) for name in headings.counts]
        yield Select(
            "fn_timings",
            f"SELECT DISTINCT {key}, '{_WHOLE_PROGRAM}' AS function, 'total' AS kind, "
            f"{seconds} AS seconds, {cores} AS parallelism {source} "
            f"WHERE {seconds} > 0 AND coalesce({', '.join(counts)}) IS NOT NULL",
            params,
            key,
        )


def _fact(fact: str, column: str, stored: str) -> str:
    """Return the SQL expression of a fact."""
    return (
        value(fact, _FACTS[fact], stored) if column == fact else f"{identifier(column)} AS {fact}"
    )


def _tags(columns: dict[str, str], texts: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the SQL expression of the tags (column: key), if any, and its parameters."""
    keys = columns | {name: name for name in texts}
    names = {f"tag_{place}": key for place, key in enumerate(keys.values())}
    entries = ", ".join(
        f"{{'key': ${place}, 'value': {_tag(name, is_text=name in texts)}}}"
        for place, name in zip(names, keys, strict=True)
    )
    if not entries:
        return [], {}
    known = f"list_filter([{entries}], lambda tag: tag.value IS NOT NULL)"
    return [f"map_from_entries({known}) AS tags"], names


def _tag(name: str, *, is_text: bool) -> str:
    text = f"CAST({identifier(name)} AS VARCHAR)"
    return f"CASE WHEN TRY_CAST({text} AS DOUBLE) IS NULL THEN {text} END" if is_text else text


def _metrics(headings: Headings, key: str) -> tuple[str, dict[str, Any]]:
    """Return the beginning of the SELECT of the metrics, and its parameters."""
    names: dict[str, Any] = {}
    entries = []
    for place, (column, measure) in enumerate(headings.measures.items()):
        found = {"metric": measure.metric, "unit": measure.unit, "better": measure.better}
        names |= {f"{field}_{place}": text for field, text in found.items()}
        bound = ", ".join(f"'{field}': CAST(${field}_{place} AS VARCHAR)" for field in found)
        entries.append(f"{{{bound}, 'value': TRY_CAST({identifier(column)} AS DOUBLE)}}")
    of_row = f"SELECT {key}, unnest([{', '.join(entries)}]) AS m"
    return f"SELECT {key}, m.metric, m.value, m.unit, m.better FROM ({of_row}", names
