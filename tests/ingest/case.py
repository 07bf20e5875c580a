"""What the contract suite needs to know of a reader: a sample, its golden rows, how to grow it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parents[1] / "samples"
SHARED = Path(__file__).parents[3] / "shared" / "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One reader's part of the contract.

    `sample` is the file to ingest (under tests/samples, recorded for this project), `golden` pairs
    of query and expected rows after the sample landed in an empty warehouse, `enlarge(folder,
    times)` writes a recording `times` as large as the sample into a folder and returns its path.
    `others` are samples in other forms: only their reader recognises them, and they land.
    `cut_may_land` is whether the format cannot distinguish a file cut at a record's end from a
    whole one; `sums_records` that, and that rows are sums over the records, so that those of the
    cut file are others.
    """

    reader: str
    sample: Path
    golden: tuple[tuple[str, list[tuple[Any, ...]]], ...]
    enlarge: Callable[[Path, int], Path]
    others: tuple[Path, ...] = ()
    cut_may_land: bool = False
    sums_records: bool = False


def repeated(sample: Path) -> Callable[[Path, int], Path]:
    """Return an `enlarge` that writes the sample again and again."""

    def enlarge(folder: Path, times: int) -> Path:
        path = folder / f"large{sample.suffix}"
        path.write_bytes(sample.read_bytes() * times)
        return path

    return enlarge
