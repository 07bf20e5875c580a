"""The folder target/criterion that Criterion.rs leaves: one run of all benchmarks in it.

Source: the user guide of Criterion.rs, "Output", and the structures that it serialises (Estimates,
SavedSample, BenchmarkId). A benchmark has a folder for each measurement: `new` is the latest,
`base` or a name of --save-baseline an earlier one; `report` has pages and `change` the relative
changes between two, which are no times. A recording is all benchmarks of one such name below a
folder `criterion`, elsewhere one benchmark:

- benchmark.json has the benchmark's name. Without it, the folders' names are taken.
- sample.json has times (ns) of batches, and their iterations: the time of each batch by its
  iterations lands in the table metrics as a repetition, in seconds.
- estimates.json has estimates (ns): where there is no sample.json, the mean lands with the standard
  deviation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ingest.base import Head, Item, Run
from ingest.compressed import bare_name, path_text, sibling
from ingest.parsing.json_values import checked, field, numbers, read_json
from ingest.parsing.metric_values import Value, rows
from ingest.recording import Recording
from warehouse.errors import InputError

_ROOT = "criterion"
_ESTIMATES, _BENCHMARK, _SAMPLE = "estimates.json", "benchmark.json", "sample.json"
_FILES = (_ESTIMATES, _BENCHMARK, _SAMPLE)
_ESTIMATE = (
    rb'"(?:mean|median|median_abs_dev|slope|std_dev)"\s*:\s*(?:null|\{\s*"confidence_interval")'
)
_STARTS = {
    _ESTIMATES: re.compile(rb"\s*\{\s*" + _ESTIMATE),
    _BENCHMARK: re.compile(rb'\s*\{\s*"group_id"\s*:.*"function_id"\s*:', re.DOTALL),
    _SAMPLE: re.compile(rb'\s*\{\s*"sampling_mode"\s*:.*"iters"\s*:', re.DOTALL),
}
_LIMIT = 64 << 20


class Criterion:
    """Reads a folder of Criterion.rs."""

    NAME = "criterion"
    DESCRIPTION = "the folder target/criterion of Criterion.rs (estimates.json and sample.json)"
    PATTERNS = ("target/criterion/*/new/estimates.json",)
    TABLES = ("metrics",)
    WHOLE_FOLDER = False

    def sniff(self, head: Head) -> bool:
        """Recognise one of the three files by its name and its first fields."""
        pattern = _STARTS.get(head.name)
        if pattern is None or pattern.match(head.data) is None:
            return False
        # Relative changes (change/estimates.json) have a mean and a median only.
        whole = head.data.rstrip().endswith(b"}")
        return head.name != _ESTIMATES or not whole or b'"std_dev"' in head.data

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the files of all benchmarks of one measurement, in order of their paths."""
        if bare_name(path) not in _FILES:
            return (path,)
        root = _root(path)
        if root is None:
            return _files((path.parent,)) or (path,)
        changed = tuple(entry.stat().st_mtime_ns for entry in (root, *root.iterdir()))
        # Asked for every file of a folder with hundreds of benchmarks.
        return _measured(root, path.parent.name, changed) or (path,)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run and the values of each benchmark; see `Reader.read`."""
        folders: dict[Path, dict[str, Path]] = {}
        for part in recording.parts:
            folders.setdefault(part.parent, {})[bare_name(part)] = part
        root = _root(recording.path)
        yield Run(app=None if root is None else _project(root))
        values: list[Value] = []
        for files in folders.values():
            documents = {name: _document(recording, part) for name, part in files.items()}
            name = _name(documents.get(_BENCHMARK), next(iter(files.values())), root)
            where = path_text(files.get(_ESTIMATES, recording.path))
            mean, spread = _mean(documents.get(_ESTIMATES), where)
            if _SAMPLE in documents:
                times = _times(documents[_SAMPLE], path_text(files[_SAMPLE]))
                values += [Value(name, time, "s", "lower", n) for n, time in enumerate(times)]
            else:
                values.append(Value(name, mean, "s", "lower", deviation=spread))
        yield rows(values)


@lru_cache(maxsize=4)
def _measured(root: Path, name: str, _changed: tuple[int, ...]) -> tuple[Path, ...]:
    """Return the files of all folders of a name; `_changed` are the times of changes above them."""
    return _files(tuple(sorted({found.parent for found in root.rglob(f"{name}/{_ESTIMATES}*")})))


def _files(folders: tuple[Path, ...]) -> tuple[Path, ...]:
    found = (sibling(folder / _ESTIMATES, name) for folder in folders for name in _FILES)
    return tuple(part for part in found if part is not None)


def _root(path: Path) -> Path | None:
    """Return the folder `criterion` that a file is below of; None if there is none."""
    return next((parent for parent in path.parent.parents if parent.name == _ROOT), None)


def _project(root: Path) -> str | None:
    """Return the name of the project's folder, where `root` is its target/criterion."""
    resolved = root.resolve()
    return resolved.parent.parent.name or None if resolved.parent.name == "target" else None


def _document(recording: Recording, part: Path) -> Any:
    try:
        document = read_json(recording, part, limit=_LIMIT)
        return checked(document, dict, "the file", "its start")
    except InputError as error:
        error.path = error.path or path_text(part)
        raise


def _name(document: Mapping[str, Any] | None, part: Path, root: Path | None) -> str:
    if document is not None and document.get("full_id") is not None:
        name: str = checked(document["full_id"], str, "'full_id'", _BENCHMARK)
        return name
    folder = part.parent.parent
    return path_text(Path(folder.name) if root is None else folder.relative_to(root))


def _times(document: Mapping[str, Any], where: str) -> list[float]:
    """Return the seconds of one iteration, batch by batch."""
    iterations = numbers(field(document, "iters", list, where), "'iters'", where)
    times = numbers(field(document, "times", list, where), "'times'", where)
    if len(iterations) != len(times) or not all(number >= 1 for number in iterations):
        raise InputError(
            f"{len(times)} times are of {len(iterations)} batches",
            where=where,
            expected="a time for each batch of at least one iteration",
        )
    return [time * 1e-9 / number for time, number in zip(times, iterations, strict=True)]


def _mean(document: Mapping[str, Any] | None, where: str) -> tuple[float, float | None]:
    """Return the mean in seconds, and the standard deviation over it."""
    if document is None:
        raise InputError(
            "there is no estimates.json next to this file",
            where=where,
            expected="the files of a benchmark as Criterion leaves them",
        )
    mean, spread = (
        field(field(document, name, dict, where), "point_estimate", float, where)
        for name in ("mean", "std_dev")
    )
    return mean * 1e-9, abs(spread / mean) if mean else None
