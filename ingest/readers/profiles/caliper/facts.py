"""What a Caliper file's globals contain about the run; Adiak's names of them are understood too.

Adiak: https://github.com/LLNL/Adiak. What has no column of its own lands as tags.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from ingest.base import Run, implausible
from ingest.parsing.app_names import folder_app

_LONGEST_TAG = 200
_INTERNAL = ("cali.channel", "spot.")
_PROGRAM = ("executable", "executablename", "executablepath", "cmdline", "program")
_TEXTS = {
    "app": _PROGRAM,
    "version": ("version", "appversion", "app_version"),
    "machine": ("cluster", "machine", "hostname"),
}
_COUNTS = {
    "nodes": ("numhosts",),
    "ranks": ("jobsize", "mpi.world.size"),
    "threads": ("threads", "num_threads", "omp_num_threads"),
}
_MEASURES = {
    "problem_size": ("problem_size", "problemsize", "ProblemSize", "ProblemSizeRunParam"),
    "wall_seconds": ("walltime", "elapsed_time"),
}
_STARTED = "launchdate"


def run(attributes: Mapping[str, str], path: Path, ranks: int | None) -> Run:
    """Return the run that a file's globals speak of.

    `path` is the file: its folder names a program that the globals do not name, so that the
    files of a folder are one set. `ranks` counts the ranks in the records, for files that do not
    state their number.
    """
    facts: dict[str, Any] = {}
    used: set[str] = set()
    for column, names in (*_TEXTS.items(), *_COUNTS.items(), *_MEASURES.items()):
        for name in names:
            value = _fact(column, attributes.get(name, ""))
            if column not in facts and value is not None and not implausible({column: value}):
                facts[column] = value
                used.add(name)
    started = _date(attributes.get(_STARTED, ""))
    if started is not None:
        facts["started_at"] = started
        used.add(_STARTED)
    facts.setdefault("ranks", ranks)
    facts.setdefault("app", folder_app(path.parent))
    tags = {
        name: value
        for name, value in attributes.items()
        if name not in used and not name.startswith(_INTERNAL) and len(value) <= _LONGEST_TAG
    }
    return Run(**facts, tags=tags)


def _fact(column: str, text: str) -> str | int | float | None:
    if column == "app":
        # A command line is written as a list: [./lulesh2.0,-i,10].
        return PurePosixPath(text.removeprefix("[").split(",")[0].removesuffix("]")).name or None
    if column in _TEXTS:
        return text.strip() or None
    try:
        number = float(text)
    except ValueError:
        return None
    if column in _MEASURES:
        return number
    return int(number) if math.isfinite(number) and number.is_integer() else None


def _date(text: str) -> datetime | None:
    """Return a date written as seconds since 1970."""
    try:
        date = datetime.fromtimestamp(float(text), UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None if implausible({"started_at": date}) else date
