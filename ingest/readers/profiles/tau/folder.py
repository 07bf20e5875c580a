"""TAU profiles as TAU writes them: a text file profile.NODE.CONTEXT.THREAD for each thread.

With several metrics each has a folder of its own, MULTI__TIME, MULTI__PAPI_TOT_CYC ...; all files
of a folder, or of the MULTI__ folders next to each other, are one run.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import groupby, islice
from pathlib import Path

from ingest.base import Head, Item
from ingest.compressed import bare_name, path_text
from ingest.parsing.lines import numbered_lines, whole_text
from ingest.readers.profiles.tau.facts import Collected, Layout, Location, layout, run_of
from ingest.readers.profiles.tau.rows import Place, Tables
from ingest.readers.profiles.tau.text import START, ProfileHead, head_of, parse
from ingest.recording import Recording
from warehouse.errors import InputError

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
