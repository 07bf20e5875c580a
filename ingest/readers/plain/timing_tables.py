"""Tables of times by counts that people write: a function a row, or a column.

`nprocs,rank,region,time_ms`, `blocks,function,rep,seconds`, `ranks,total (s),compute (s),comm (s)`,
`nodes avg std`, and wall times as 1:02:03. Columns are separated by comma, semicolon, tab or blank;
counts are ranks, threads, nodes, cores or blocks, else the problem size. Units are those of
headings or of cells; times of `avg` beside `std` have none and are seconds. Deviations, least and
greatest times are left out. What plain tables of runs or of function times are, `plain` reads.
What a column counts is what the user states (`--parameter NAME=KIND`), else what its name says.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ingest.base import Head, Item, LeftOut, Rows, Run, SingleFile
from ingest.parsing.lines import check_line_end, named_cells, quoted, unexpected, whole_text
from ingest.parsing.numbers import number as read_number
from ingest.parsing.parameters import KIND_OF, SCALED_BY
from ingest.parsing.units import SECONDS, UNIT_OF
from ingest.recording import Recording
from warehouse.errors import InputError

_LIMIT = 64 << 20
_COUNTS = {
    "ranks": "ranks|n?procs|nprocesses|processes|nranks|numprocs|ntasks|np|mpiranks|mpiprocs|tasks",
    "threads": "threads|nthreads|numthreads|ompthreads|ompnumthreads",
    "nodes": "nodes|nnodes|numnodes",
    "cores": "cores|ncores|numcores|cpus|ncpus",
    "blocks": "blocks|nblocks|numblocks|ctas|gridsize",
}
_KINDS = {"cores": "processes", "blocks": "blocks", "size": "size"}
"""Parameters of scaling that are no counts of runs, and their kind."""
_ROLES = {
    "name": re.compile("functions?|routine|region|kernel|section|phase|name|timer|label|benchmark"),
    "rank": re.compile("rank|rankid|mpirank|taskid|procid"),
    "repetition": re.compile("rep|repeat|repetition|trial|iter|iteration|sample|run"),
    "size": re.compile("n|size|problemsize|inputsize|matrixsize"),
    "app": re.compile("app|application|program|code"),
}
_FACTS = {"processes": "ranks"} | {kind: kind for kind in ("threads", "nodes", "blocks", "size")}
"""Counted columns of `runs` by the kind of a stated parameter."""
_SPREADS = re.compile(r"(std|stddev|stdev|sd|sigma|stderr|error|err|var|variance|min|max|rel)\w*")
_MEANS = re.compile("avg|average|mean|median")
_TIMES = re.compile(
    r"\w*time\w*|seconds?|secs?|wall\w*|elapsed\w*|runtime|duration|avg|mean|median"
)
_WHOLE = re.compile(
    "total|overall|avg|average|mean|median|(?:total|elapsed|wall|run|wallclock)*(?:time)?|seconds?"
)
_COMMUNICATION = re.compile("comm|communication|mpi|mpitime|commtime|communicationtime")
_CLOCK = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d{1,3}):(\d{2}(?:\.\d+)?)", re.ASCII)
_CELL = re.compile(
    r"(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)\s*(ns|us|\u00b5s|ms|s|sec|secs|min|h)?", re.ASCII
)
_WHOLE_PROGRAM = "whole program"
_PLAIN = {"run_id", "version", "commit", "started_at"}


@dataclass(frozen=True, slots=True)
class _Time:
    """A column of times: its function, None for that of the row, and its unit, None if unknown."""

    place: int
    function: str | None
    unit: str | None


@dataclass(slots=True)
class _Layout:
    """Where the columns of a table are; `separator` is None where blanks separate them.

    `columns` are their headings in lower case, `written` as they are.
    """

    separator: str | None
    columns: list[str]
    written: list[str]
    counts: dict[str, int] = field(default_factory=dict)
    name: int | None = None
    rank: int | None = None
    repetition: int | None = None
    size: int | None = None
    app: int | None = None
    times: list[_Time] = field(default_factory=list)
    left_out: int = 0

    def cells(self, line: str) -> list[str]:
        """Split a line."""
        if self.separator is None:
            return line.split()
        found = next(csv.reader([line], delimiter=self.separator), [])
        # beside semicolons commas are decimal ones
        return [
            cell.strip().replace(",", ".") if self.separator == ";" else cell.strip()
            for cell in found
        ]


class TimingTables(SingleFile):
    """Times of functions or of whole programs by counts, as people write them."""

    NAME = "timing-tables"
    DESCRIPTION = "tables of times by counts: nprocs,region,time_ms; ranks,total (s),comm (s)"
    PATTERNS = ("*.csv", "*.tsv", "*.txt", "*.dat")
    TABLES = ("fn_timings",)

    def sniff(self, head: Head) -> bool:
        """Recognise a heading with a count and times, and a row below it."""
        if b"\0" in head.data:
            return False
        lines = _lines(head.data.decode("utf-8", "replace"))
        first = next(lines, None)
        row = next(lines, None)
        if first is None or row is None:
            return False
        layout = _layout(first[1])
        if layout is None:
            return False
        cells = layout.cells(row[1])
        return (
            len(cells) == len(layout.columns)
            and all(cells[place].isdecimal() for place in layout.counts.values())
            and all(_seconds(cells[one.place], one.unit or "s") is not None for one in layout.times)
            # Numbers without unit may be anything, unless one is named a time.
            and (not _without_unit(layout, cells) or any(map(_names_time, layout.columns)))
            and not _is_plain(layout)
        )

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield a run for each combination of counts, and the times."""
        text = whole_text(recording, limit=_LIMIT)
        lines = _lines(text)
        heading = next(lines, (0, ""))[1]
        layout = _layout(heading, recording.parameters)
        if layout is None:
            raise InputError("the heading names no count and no times", where="line 1")
        check_line_end(recording, text, lambda line: len(layout.cells(line)) == len(layout.columns))
        runs: dict[tuple[float | str, ...], int] = {}
        seen: Counter[tuple[int, str, int | None]] = Counter()
        rows: list[tuple[int, str, str | None, int | None, int | None, int, float]] = []
        for number, line in lines:
            cells = layout.cells(line)
            where = f"line {number}"
            named_cells(layout.columns, cells, where)
            if unknown := _without_unit(layout, cells):
                raise _unit_unknown(layout, unknown)
            facts = {name: _count(cells[place], number) for name, place in layout.counts.items()}
            size = (
                None if layout.size is None else read_number(cells[layout.size], f"line {number}")
            )
            rank = None if layout.rank is None else _count(cells[layout.rank], number, least=0)
            known = len(runs)
            app = None if layout.app is None else cells[layout.app] or None
            run = runs.setdefault((*facts.values(), size or 0.0, app or ""), known)
            if run == known:
                yield _run(layout, facts, size, app)
            for one in layout.times:
                cell = cells[one.place]
                if cell.lower() in ("", "-", "nan", "na", "n/a", "null", "none"):
                    continue
                seconds = _seconds(cell, one.unit)
                if seconds is None:
                    raise unexpected(cell, number, "a time, such as 1.5, 1.5 ms or 1:02:03")
                function = one.function or cells[layout.name or 0]
                kind = "n-to-n collective" if _COMMUNICATION.fullmatch(_bare(function)) else None
                kind = "total" if function == _WHOLE_PROGRAM else kind
                repetition = seen[run, function, rank]
                seen[run, function, rank] += 1
                rows.append((run, function, kind, _parallelism(facts), rank, repetition, seconds))
        names = ("run", "function", "kind", "parallelism", "rank", "repetition", "seconds")
        yield Rows.of_records("fn_timings", names, rows)
        yield LeftOut(layout.left_out, "column", "no times of functions")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines that are not blank; of comments, only a heading before the rows."""
    comment: tuple[int, str] | None = None
    began = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("#"):
            comment = None if began else (number, stripped.lstrip("# \t"))
        elif stripped:
            if not began and comment and stripped[0].isdigit():
                yield comment
            began = True
            yield number, stripped


def _layout(heading: str, stated: Mapping[str, str] | None = None) -> _Layout | None:
    """Return what the columns are, `stated` the kinds of some; None without a count and times."""
    separator = max(",;\t", key=heading.count)
    layout = _Layout(separator if separator in heading else None, [], [])
    written = layout.written = layout.cells(heading)
    layout.columns = [cell.lower() for cell in written]
    if len(layout.columns) < 2 or len(set(layout.columns)) < len(layout.columns):
        return None
    others = []
    for place, column in enumerate(layout.columns):
        bare = _bare(column)
        fact = _FACTS.get((stated or {}).get(written[place], ""))
        fact = fact or next(
            (name for name, word in _COUNTS.items() if re.fullmatch(word, bare)), None
        )
        role = next((role for role, word in _ROLES.items() if word.fullmatch(bare)), None)
        if fact is not None and fact not in layout.counts:
            layout.counts[fact] = place
        elif role is not None and getattr(layout, role) is None:
            setattr(layout, role, place)
        else:
            others.append(place)
    if not layout.counts and layout.size is not None:
        layout.counts, layout.size = {"size": layout.size}, None
    if not layout.counts:
        return None
    spreads = [place for place in others if _SPREADS.fullmatch(_bare(layout.columns[place]))]
    times = [place for place in others if place not in spreads]
    means = [place for place in times if _MEANS.fullmatch(_split(layout.columns[place])[0])]
    if layout.name is not None:
        times = means[:1] or [place for place in times if _is_time(layout.columns[place])]
        if len(times) != 1:
            return None
    layout.left_out = len(others) - len(times)
    for place in times:
        name, unit = _split(layout.columns[place])
        unit = unit or ("s" if place in means and spreads else None)
        is_whole = _WHOLE.fullmatch(_bare(name)) is not None
        function = (
            None
            if layout.name is not None
            else _WHOLE_PROGRAM
            if is_whole
            else written[place][: len(name)]
        )
        layout.times.append(_Time(place, function, unit))
    functions = [one.function for one in layout.times]
    return layout if functions and len(set(functions)) == len(functions) else None


def _is_plain(layout: _Layout) -> bool:
    """Return whether the reader of plain tables takes all of the columns for what they are."""
    from ingest.readers.plain.matches import best_match
    from ingest.readers.plain.run_lists import run_list

    columns = tuple(layout.columns)
    match = best_match(columns)
    known = match is not None and not match.unknown and not match.missing
    return known or not _PLAIN.isdisjoint(columns) or run_list(columns) is not None


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _split(column: str) -> tuple[str, str | None]:
    """Return the name of a column of times without its unit, and this."""
    words = [word for word in re.split(r"[^a-z0-9\u00b5]+", column) if word]
    unit = UNIT_OF.get(words[-1]) if words else None
    if unit is None:
        return column, None
    name = re.sub(r"[^a-z0-9\u00b5]*" + words[-1] + r"[^a-z0-9]*$", "", column)
    return (name or words[-1]), unit


def _is_time(column: str) -> bool:
    return _split(column)[1] is not None or _TIMES.fullmatch(_bare(column)) is not None


def _names_time(column: str) -> bool:
    """Return whether what has no unit can be nothing but a time."""
    return _is_time(column) or _COMMUNICATION.fullmatch(_bare(column)) is not None


def _seconds(cell: str, unit: str | None) -> float | None:
    """Return a time in s, None where it is none, or its unit is not known."""
    if clock := _CLOCK.fullmatch(cell):
        days, hours, minutes, seconds = (float(part or 0) for part in clock.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    found = _CELL.fullmatch(cell)
    if found is None:
        return None
    own = UNIT_OF.get(found[2], found[2]) if found[2] else unit
    return None if own is None else float(found[1]) * SECONDS[own]


def _count(cell: str, number: int, least: int = 1) -> int:
    if cell.isdecimal() and least <= int(cell) < 1 << 31:
        return int(cell)
    raise InputError(
        f"the {'count' if least else 'rank'} {quoted(cell)} was found",
        where=f"line {number}",
        expected=f"a number from {least}",
    )


def _parallelism(facts: dict[str, int]) -> int | None:
    """Return the count of a row that is no fact of its run."""
    return next((facts[name] for name in _KINDS if name in facts), None)


def _without_unit(layout: _Layout, cells: list[str]) -> list[int]:
    """Return the places of the times of a row of which neither heading nor cell states the unit."""
    places = [one.place for one in layout.times if one.unit is None]
    numbers = [place for place in places if _seconds(cells[place], "s") is not None]
    return [place for place in numbers if _seconds(cells[place], None) is None]


def _unit_unknown(layout: _Layout, unknown: list[int]) -> InputError:
    """Return the error that says what to write into the heading."""
    columns = [
        f"{name}_s" if place in unknown else name for place, name in enumerate(layout.columns)
    ]
    return InputError(
        f"the unit of {', '.join(layout.columns[place] for place in unknown)} is unknown",
        where="line 1",
        expected="the unit of every time in its heading",
        hint=f"Where times are in s, make the heading {(layout.separator or ' ').join(columns)} "
        "(_ms, _us or _ns where they are in others)",
    )


def _run(layout: _Layout, facts: dict[str, int], size: float | None, app: str | None) -> Run:
    scaled = next((name for name in _KINDS if name in facts), None)
    tags = {}
    if scaled is not None:
        name = layout.written[layout.counts[scaled]]
        tags = {SCALED_BY: name, f"{KIND_OF}{name}": _KINDS[scaled]}
    texts = [f"{name}{count}" for name, count in facts.items()]
    texts += [] if size is None else [f"size{size:g}"]
    texts += [] if app is None else [app]
    return Run(
        key=".".join(texts),
        app=app,
        ranks=facts.get("ranks"),
        threads=facts.get("threads"),
        nodes=facts.get("nodes"),
        problem_size=size,
        tags=tags,
    )
