"""Basic blocks of machine code, with or without measured throughput.

BHive's own form is CSV without header, a block's bytes in hexadecimal and the cycles of 100
iterations a line (github.com/ithemal/bhive, benchmark/throughput). CSV with header and Parquet
have the column `hex` and, where measured, `cycles_per_100` or `cycles` (of one pass), and where
known the instruction set `isa` (x86-64, aarch64, riscv64), how often the block was executed
(`executions`, or BHive's `frequency`) and where it is: `address` (decimal, or hexadecimal after
0x), `function`, `source_file`, `source_line`; further columns are left alone. The code lands as it
is: decoding it is no reader's work.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path

from ingest.base import Head, Item, Select, SingleFile
from ingest.parsing import plain_csv
from ingest.parsing.columns import PARQUET, columns_of, is_numeric, numbered_rows
from ingest.parsing.lines import first_line
from ingest.parsing.numbers import is_number
from ingest.recording import Recording, read_head
from warehouse.errors import InputError

_BHIVE_COLUMNS = ("hex", "cycles_per_100")
_BHIVE = re.compile(rb"[0-9a-fA-F]{2,},\d+(?:\.\d*)?")
_LINES = 64
# Measured cycles, in the first of these that a file has: of 100 passes, or of one.
_MEASURED = ("cycles_per_100", "cycles")
# Columns of the landing table by the names that files have for them, and their types.
_FACTS = {
    "isa": ("isa", "VARCHAR"),
    "executions": ("executions", "DOUBLE"),
    "frequency": ("executions", "DOUBLE"),
    "address": ("address", "UBIGINT"),
    "function": ("function", "VARCHAR"),
    "source_file": ("source_file", "VARCHAR"),
    "source_line": ("source_line", "INTEGER"),
}
# No core completes a block of even one instruction a dozen times a cycle.
_FASTEST = 100 / 12


class MachineCode(SingleFile):
    """Blocks of machine code, one segment each."""

    NAME = "machine-code"
    DESCRIPTION = "Blocks of machine code: BHive (hex,cycles per 100 iterations), or a column hex"
    PATTERNS = ("*.csv", "*.parquet")
    TABLES = ("segments",)

    def sniff(self, head: Head) -> bool:
        """Recognise a column `hex` that is code, or BHive's lines."""
        return _has_hex(columns_of(head)) or _is_bhive(head.data)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one SELECT over the file, blocks numbered from 0 in its order."""
        path = Path(recording.plain())
        head = read_head(path)
        names: tuple[str, ...] = ()
        if not head.startswith(PARQUET) and "hex" not in plain_csv.column_names(head):
            _check_bhive(head)
            names = _BHIVE_COLUMNS
        columns, source, params = numbered_rows(path, _type, names)
        _check_columns(columns)
        sql = f"SELECT file_row_number AS segment, {_values(columns)} {source}"
        yield Select("segments", sql, params)


def _has_hex(columns: Mapping[str, str]) -> bool:
    """Return whether a column is code: none of segments, or of a number beside its decimal."""
    return "hex" in columns and not {"segment", "dec"} & set(columns)


def _is_bhive(head: bytes) -> bool:
    """Return whether most of the first lines are a block and a number.

    Blocks differ in length and contain letters somewhere: lists of addresses or of plain numbers
    do not.
    """
    lines = head.split(b"\n")[:-1][:_LINES] or [head]
    blocks = [line.split(b",")[0] for line in lines if _BHIVE.fullmatch(line.rstrip(b"\r"))]
    if 2 * len(blocks) <= len(lines):
        return False
    same = len(blocks) >= 8 and len({len(block) for block in blocks}) == 1
    return not same and re.search(rb"[a-fA-F]", b"".join(blocks)) is not None


def _check_bhive(head: bytes) -> None:
    """Raise `InputError` for a first line not of BHive, and for frequencies instead of cycles."""
    line = first_line(head)
    fields = line.split(",")
    if len(fields) != 2 or not is_number(fields[1]):
        raise InputError(
            f"{line[:60]!r} is neither a header nor a block",
            where="line 1",
            expected="a header line with the column hex, or lines such as 4801d8,100.000000",
        )
    lines = head.split(b"\n")[:-1]
    numbers = [float(line.split(b",")[1]) for line in lines if _BHIVE.fullmatch(line.rstrip())]
    if numbers and statistics.median(numbers) < _FASTEST:
        raise InputError(
            f"most blocks would take less than {_FASTEST:.0f} cycles per 100 iterations",
            where=f"lines 1 to {len(lines)}",
            expected="cycles per 100 iterations, as in BHive's throughput files",
            hint="BHive's files of sources contain frequencies: put a header line hex,frequency "
            "above them to land the code alone.",
        )


def _type(name: str) -> str:
    return "DOUBLE" if name in _MEASURED else "VARCHAR"


def _check_columns(columns: Mapping[str, str]) -> None:
    if "hex" not in columns:
        raise InputError("the file has no column hex", expected="blocks of machine code in hex")
    if columns["hex"] != "VARCHAR":
        raise InputError(
            f"the column hex is of type {columns['hex']}",
            expected="text: the bytes of a block in hexadecimal",
        )
    measured = _measured(columns)
    if measured and not is_numeric(columns[measured]):
        raise InputError(
            f"the column {measured} is of type {columns[measured]}", expected="numbers"
        )


def _measured(columns: Mapping[str, str]) -> str | None:
    return next((name for name in _MEASURED if name in columns), None)


def _values(columns: Mapping[str, str]) -> str:
    """Return the SQL expressions of what a file has; an empty block is left to the checks."""
    values = ["lower(coalesce(CAST(hex AS VARCHAR), '')) AS hex"]
    facts = {target: (name, kind) for name, (target, kind) in _FACTS.items() if name in columns}
    values += [f"CAST({name} AS {kind}) AS {target}" for target, (name, kind) in facts.items()]
    if measured := _measured(columns):
        passes = 100 if measured == "cycles_per_100" else 1
        value = f"CAST({measured} AS DOUBLE)"
        values.append(f"CASE WHEN NOT isnan({value}) THEN {value} / {passes} END AS cycles")
    return ", ".join(values)
