"""What a run is written as for other tools: one module a format, all listed in WRITERS."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path

from apps.output.files import replacing
from warehouse.errors import UsageError
from warehouse.session import Connection


class Target(StrEnum):
    """The formats of other tools."""

    perfetto = "perfetto"
    chrome = "chrome"
    speedscope = "speedscope"
    folded = "folded"
    pprof = "pprof"
    extrap = "extrap"
    csv = "csv"
    parquet = "parquet"


@dataclass(frozen=True, slots=True)
class Exported:
    """The bytes of a file in pieces, and sentences on what is in it and what is not."""

    pieces: Iterable[bytes]
    notes: list[str]


# Each has `export(con, run_id, event)`, which raises `NothingToAnalyse` where the run has nothing
# for the format; csv and parquet write several files (`tables`).
WRITERS = {
    Target.perfetto: "apps.exports.perfetto",
    Target.chrome: "apps.exports.chrome",
    Target.speedscope: "apps.exports.speedscope",
    Target.folded: "apps.exports.folded",
    Target.pprof: "apps.exports.pprof",
    Target.extrap: "apps.exports.extrap",
}
# Formats of bytes, which a terminal cannot show.
_BINARY = (Target.perfetto, Target.pprof)


def export_run(
    con: Connection, run_id: str, target: Target, path: Path | None, event: str | None
) -> list[str]:
    """Write a run to a file, or to stdout where `path` is None; return notes on it.

    Text is compressed where the name of the file ends in .gz. Raises `NothingToAnalyse` where the
    run has nothing for the format, `UsageError` where the file cannot be written.
    """
    if path is None and target in _BINARY and sys.stdout.isatty():
        raise UsageError(f"{target} is not for the terminal", hint="Name a file: -o FILE")
    export: Callable[..., Exported] = import_module(WRITERS[target]).export
    exported = export(con, run_id, event)
    if path is None:
        for piece in exported.pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    else:
        _write(exported.pieces, path, compress=path.suffix == ".gz" and target is not Target.pprof)
    return exported.notes


def _write(pieces: Iterable[bytes], path: Path, *, compress: bool) -> None:
    with replacing(path) as draft, draft.open("wb") as file:
        name = path.name.removesuffix(".gz")
        with gzip.GzipFile(name, "wb", fileobj=file) if compress else nullcontext(file) as target:
            for piece in pieces:
                target.write(piece)
