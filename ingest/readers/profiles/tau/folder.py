"""TAU profiles as TAU writes them: a text file profile.NODE.CONTEXT.THREAD for each thread.

With several metrics each has a folder of its own, MULTI__TIME, MULTI__PAPI_TOT_CYC ...; all files
of a folder, or of the MULTI__ folders next to each other, are one run.

Source: TAU's tools/src/perfdmf, TauDataSource.java reads it and DataSourceExport.java writes it.
A first line counts the functions and names the metric, a second names the columns (and has
metadata as XML), then a line each:

    "solve(double*)  " calls subroutines exclusive inclusive profile_calls GROUP="TAU_USER"

then aggregates and user events, each behind its count. The user events are not landed.
"""

from __future__ import annotations

import html
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.base import Head, Item
from ingest.compressed import bare_name, path_text
from ingest.parsing.lines import LineArray, numbered_lines, unexpected, whole_text
from ingest.parsing.numbers import cast
from ingest.readers.profiles.tau.facts import Collected, Layout, Location, Metadata, layout, run_of
from ingest.readers.profiles.tau.names import Names, names_of
from ingest.readers.profiles.tau.rows import Place, Tables, Values
from ingest.recording import Recording
from udfs.arrays import Floats
from warehouse.errors import InputError

START = re.compile(r"(\d{1,9}) templated_functions(?:_MULTI_(\S.*)|_hw_counters|_\w+)?\s*")
_COLUMNS = re.compile(r"# Name Calls Subrs Excl Incl (SumExclSqr )?ProfileCalls\b")
_ATTRIBUTE = re.compile(r"<attribute><name>(.*?)</name><value>(.*?)</value></attribute>")
_NUMBER = r"[-+]?[0-9.]\S*|[-+]?(?:nan|inf)"
_GROUP = r"(?: GROUP=\"(?P<group>.*)\")?\s*$"
_FIELDS = " ".join(f"(?P<{name}>{_NUMBER})" for name in ("calls", "subrs", "excl", "incl"))
_AGGREGATE = r'^".*"'
_EVENT = r'^".*" \S+ \S+ \S+ \S+ \S+\s*$'


@dataclass(frozen=True, slots=True)
class ProfileHead:
    """The first two lines of a profile."""

    functions: int
    metric: str
    metadata: Metadata
    squares: bool


def head_of(first: str, second: str) -> ProfileHead:
    """Read the first two lines."""
    counted = START.fullmatch(first)
    columns = _COLUMNS.match(second)
    if counted is None or columns is None:
        wrong, line = (first, 1) if counted is None else (second, 2)
        raise unexpected(
            wrong,
            line,
            (
                "N templated_functions_MULTI_METRIC"
                if line == 1
                else "# Name Calls Subrs Excl Incl ProfileCalls"
            ),
            "Is the file cut off, or not a profile of TAU?",
        )
    pairs = _ATTRIBUTE.findall(second)
    metadata = {html.unescape(name): html.unescape(value) for name, value in pairs}
    # A name in the metadata is whole; the first line has it without slashes.
    metric = metadata.get("Metric Name") or (counted[2] or "Time").strip()
    return ProfileHead(int(counted[1]), metric, metadata, columns[1] is not None)


def parse(text: str) -> tuple[ProfileHead, Names, Values]:
    """Read a whole profile; times stay in microseconds.

    Raises `InputError` where a line is not what it should be, or lines are missing.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = pc.split_pattern(pa.array([text]), "\n").flatten()
    if len(lines) < 3:
        raise InputError("the profile has no functions", where="line 1", expected="a TAU profile")
    head = head_of(lines[0].as_py(), lines[1].as_py())
    functions = LineArray(3, lines.slice(2, head.functions))
    names, values = _functions(functions, head)
    _check_end(LineArray(3 + head.functions, lines.slice(2 + head.functions)))
    return head, names, values


def _functions(lines: LineArray, head: ProfileHead) -> tuple[Names, Values]:
    squares = rf"(?:{_NUMBER}) " if head.squares else ""
    found = lines.match(f'^"(?P<name>.+)" {_FIELDS} ' + squares + r"(?P<more>\d+)" + _GROUP)
    wrong = np.flatnonzero(~found.is_valid().to_numpy(zero_copy_only=False))
    if len(wrong) or len(lines.text) < head.functions:
        at = int(wrong[0]) if len(wrong) else len(lines.text)
        row = '"NAME" calls subroutines exclusive inclusive 0 GROUP="GROUP"'
        raise _unexpected(lines, at, f"function {at + 1} of {head.functions}: {row}")
    numbers = np.arange(len(found)) + lines.first

    def column(field: str, what: str) -> Floats:
        values: Floats = cast(found.field(field), pa.float64(), numbers, what).to_numpy()
        return values

    if column("more", "number of calls that were profiled one by one").any():
        raise InputError(
            "calls were profiled one by one, which is not read", where=f"line {lines.first}"
        )
    values = Values(
        row=np.arange(len(found)),
        calls=column("calls", "number of calls"),
        exclusive=column("excl", "exclusive value"),
        inclusive=column("incl", "inclusive value"),
    )
    return names_of(found.field("name"), found.field("group")), values


def _check_end(lines: LineArray) -> None:
    """Look for what must follow the functions, so that a file cut off is seen."""
    at = _counted(lines, 0, "aggregates", _AGGREGATE)
    if (at := _not_blank(lines, at)) < len(lines.text):
        at = _counted(lines, at, "userevents", _EVENT, heading=1)
    if (at := _not_blank(lines, at)) < len(lines.text):
        raise _unexpected(lines, at, "the end of the file")


def _counted(lines: LineArray, at: int, what: str, pattern: str, heading: int = 0) -> int:
    """Check a block of so many rows; return the position behind it, from 0."""
    at = _not_blank(lines, at)
    found = re.fullmatch(rf"(\d{{1,9}}) {what}\s*", _shown(lines, at))
    if found is None:
        raise _unexpected(lines, at, f"0 {what}")
    count = int(found[1])
    begin = at + 1 + (heading if count else 0)
    rows = lines.text.slice(begin, count)
    whole = pc.match_substring_regex(rows, pattern).to_numpy(zero_copy_only=False)
    if len(rows) < count or not whole.all():
        wrong = begin + (len(rows) if whole.all() else int(np.argmin(whole)))
        raise _unexpected(lines, wrong, f"{count} {what}, each in a line")
    return begin + count


def _not_blank(lines: LineArray, at: int) -> int:
    """Return the position of the first line from there on that is not blank."""
    blank = pc.equal(pc.utf8_trim_whitespace(lines.text.slice(at)), "")
    ahead: int = pc.index(blank, pa.scalar(False)).as_py()
    return at + ahead if ahead >= 0 else len(lines.text)


def _shown(lines: LineArray, at: int) -> str:
    return lines.text[at].as_py() if at < len(lines.text) else "the end of the file"


def _unexpected(lines: LineArray, at: int, expected: str) -> InputError:
    return unexpected(
        _shown(lines, at),
        lines.first + max(min(at, len(lines.text) - 1), 0),
        expected,
        "Is the file cut off? TAU writes it when the program ends.",
    )


_NAME = re.compile(r"profile\.(\d{1,9})\.(\d{1,9})\.(\d{1,9})")
_MULTI = "MULTI__"
_LARGEST = 128 << 20
_SETTLED = 2_000_000_000  # ns: no file system counts the changes of a folder more coarsely


class Tau:
    """Reads the profiles of one run."""

    NAME = "tau"
    DESCRIPTION = "TAU profiles (profile.N.C.T of all ranks and threads, also in MULTI__ folders)"
    PATTERNS = ("profile.0.0.0", "profile.*.*.*", "MULTI__*/profile.*.*.*")
    TABLES = ("fn_timings", "pmu_samples")
    WHOLE_FOLDER = True

    def sniff(self, head: Head) -> bool:
        """Recognise the first line, in a file named after its thread."""
        if _NAME.fullmatch(head.name) is None:
            return False
        first = head.data[:512].split(b"\n", 1)[0].decode("utf-8", "replace")
        return START.fullmatch(first) is not None

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the profiles of the run, metric by metric, threads in order."""
        if _NAME.fullmatch(bare_name(path)) is None:
            return (path,)
        folders: tuple[Path, ...] = (path.parent,)
        if path.parent.name.startswith(_MULTI):
            folders = tuple(sorted(path.parent.parent.glob(f"{_MULTI}*")))
        changed = tuple(folder.stat().st_mtime_ns for folder in folders)
        # Asked for every file of a run of thousands; a folder that is still filling is looked at
        # each time.
        settled = time.time_ns() - max(changed) > _SETTLED
        return (_listed if settled else _listed.__wrapped__)(folders, changed)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows, some hundred threads at a time; see `Reader.read`."""
        if _NAME.fullmatch(bare_name(recording.path)) is None:
            raise InputError(
                "the name does not show whose profile this is",
                expected="a file name such as profile.0.0.0 (node, context, thread)",
            )
        folders = {
            folder: list(parts) for folder, parts in groupby(recording.parts, lambda p: p.parent)
        }
        heads = {folder: _head(recording, parts[0]) for folder, parts in folders.items()}
        found = _layout(folders)
        metadata = next(iter(heads.values())).metadata
        folder = recording.path.parent
        around = folder.parent if folder.name.startswith(_MULTI) else folder
        yield run_of(found, metadata, around)
        collected = Collected()
        tables = Tables([head.metric for head in heads.values()], collected)
        for number, (place, parts) in enumerate(folders.items()):
            for part in parts:
                with _named(part):
                    head, names, values = parse(whole_text(recording, part, _LARGEST))
                    _check_metric(head, heads[place], parts[0])
                    at = Place.of(_location(part), found, metadata, part.name)
                    rows = list(tables.add(names, values, at, head.metric))
                yield from rows
                if number == 0:
                    collected.add(head.metadata)
        yield from tables.rest()
        yield collected.run()


@contextmanager
def _named(part: Path) -> Iterator[None]:
    """Name the file in errors: the recording has many."""
    try:
        yield
    except InputError as error:
        error.path = error.path or path_text(part)
        raise


@lru_cache(maxsize=4)
def _listed(folders: tuple[Path, ...], changed: tuple[int, ...]) -> tuple[Path, ...]:  # noqa: ARG001
    """Return the profiles in the folders, which were last changed then."""
    return tuple(part for folder in folders for part in _profiles(folder))


def _profiles(folder: Path) -> tuple[Path, ...]:
    """Return the profiles in a folder; where one is there compressed as well, the plain one."""
    found: dict[Location, Path] = {}
    for path in sorted(folder.glob("profile.*"), key=lambda path: len(path.name)):
        if _NAME.fullmatch(bare_name(path)) and path.is_file():
            found.setdefault(_location(path), path)
    return tuple(found[location] for location in sorted(found))


def _location(part: Path) -> Location:
    node, context, thread = map(int, bare_name(part).split(".")[1:])
    return node, context, thread


def _head(recording: Recording, part: Path) -> ProfileHead:
    with _named(part):
        found = [line for _, line in islice(numbered_lines(recording, part), 2)]
        first, second, *_ = [*found, "", ""]
        return head_of(first, second)


def _layout(folders: Mapping[Path, Sequence[Path]]) -> Layout:
    """Number the ranks; each metric must have been measured in the same threads."""
    first, *others = folders
    locations = [_location(part) for part in folders[first]]
    for folder in others:
        different = set(locations) ^ {_location(part) for part in folders[folder]}
        if different:
            node, context, thread = min(different)
            raise InputError(
                f"profile.{node}.{context}.{thread} is in {first.name} or {folder.name} only",
                path=path_text(folder),
                expected="the same profiles in the folders of all metrics",
                hint="Copy the folders again, or ingest one of them alone under another name.",
            )
    return layout(locations)


def _check_metric(head: ProfileHead, expected: ProfileHead, first: Path) -> None:
    if head.metric != expected.metric:
        raise InputError(
            f"the metric is {head.metric}",
            where="line 1",
            expected=f"{expected.metric}, as in {first.name} of the same folder",
            hint="Each metric has a folder of its own: MULTI__TIME, MULTI__PAPI_TOT_CYC ...",
        )
