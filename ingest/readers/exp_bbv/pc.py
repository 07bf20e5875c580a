"""valgrind's list of basic blocks: `F:2537:109164:hashloop` is block, address, function."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa

from ingest.parsing.lines import chunks
from ingest.recording import Recording
from warehouse.errors import InputError

_LINE = re.compile(r"F:(\d{1,10}):([0-9a-f]{1,16}):([^\n]*)\n")
_LARGEST_ADDRESS = (1 << 63) - 1


def read_pc_file(recording: Recording, part: Path) -> pa.Table:
    """Return bb, pc_first and function of every block that the file lists.

    Raises `InputError` at the first line that is no block, or names one again.
    """
    numbers: list[int] = []
    addresses: list[int] = []
    functions: list[str | None] = []
    for chunk in chunks(recording, part):
        text = chunk.text()
        found = _LINE.findall(text)
        if len(found) != text.count("\n") or not text.endswith("\n"):
            _refuse(text, part, chunk.first)
        numbers += [int(number) for number, _, _ in found]
        addresses += [int(address, 16) for _, address, _ in found]
        functions += [function or None for _, _, function in found]
    if not numbers:
        raise InputError("the file is empty", where=part.name, expected="F:2537:109164:FUNCTION")
    _check(numbers, addresses, part)
    return pa.table(
        {
            "bb": pa.array(numbers, pa.int32()),
            "pc_first": pa.array(addresses, pa.int64()),
            "function": pa.array(functions, pa.string()),
        }
    )


def _refuse(text: str, part: Path, first: int) -> None:
    """Raise at the first line that is not a block."""
    for row, line in enumerate(text.splitlines(keepends=True), first):
        if not _LINE.fullmatch(line):
            raise InputError(
                "this is not a whole line of the list of blocks",
                where=f"{part.name}, line {row}",
                expected="F:2537:109164:FUNCTION (block, address in hex, function or nothing)",
                hint="Is the file cut off or damaged here? Copy or record it again.",
            )


def _check(numbers: list[int], addresses: list[int], part: Path) -> None:
    """Check that every block is there once, by ascending address, as valgrind writes them."""
    number = np.array(numbers, np.int64)
    address = np.array(addresses, np.uint64)
    order = np.argsort(number, kind="stable")
    again = np.zeros(number.size, np.bool_)
    again[order[1:]] = np.diff(number[order]) == 0
    falls = np.zeros(number.size, np.bool_)
    falls[1:] = address[1:] <= address[:-1]
    for mask, problem in (
        (again | (number < 1), "the block has no number of its own"),
        (number > number.size, "a block is missing: this one's number is beyond their count"),
        (address > _LARGEST_ADDRESS, "the address is beyond 63 bits"),
        (falls, "the address does not come after the one before"),
    ):
        if mask.any():
            raise InputError(
                problem,
                where=f"{part.name}, line {int(np.flatnonzero(mask)[0]) + 1}",
                expected="every block once, numbered from 1, by ascending address",
                hint="Copy or record the file again.",
            )
