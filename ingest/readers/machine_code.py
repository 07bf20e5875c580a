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

import csv
import re
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path

from ingest.base import Head, Item, Select, SingleFile
from ingest.parsing.columns import columns_of
from ingest.parsing.lines import chunks, first_line
from ingest.parsing.parquet import MAGIC, column_types
from ingest.parsing.plain_csv import buffer_bytes, check_unique
from ingest.recording import Recording, read_head
from warehouse.errors import InputError

_DELIMITERS = ",;\t|"
_BHIVE = re.compile(rb"[0-9a-fA-F]{2,},\d+(?:\.\d*)?")
_LINES = 64
_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)")
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
        path = recording.plain()
        head = read_head(Path(path))
        if head.startswith(MAGIC):
            yield _from_parquet(path)
            return
        names, delimiter = _header(head)
        _check_whole_text(recording)
        if "hex" in names:
            yield _from_csv(path, names, delimiter, header=True)
            return
        _check_bhive(head)
        yield _from_csv(path, ["hex", "cycles_per_100"], ",", header=False)


def _has_hex(columns: Mapping[str, str] | list[str]) -> bool:
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


def _header(head: bytes) -> tuple[list[str], str]:
    """Return the names in the first line, in lower case, and what is between them.

    A column without a name (frames write their index so) is named after its place.
    """
    line = first_line(head)
    delimiter = max(_DELIMITERS, key=line.count)
    try:
        names = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error as error:
        raise InputError(f"the header cannot be read ({error})", where="line 1") from None
    return [name.strip().lower() or f"column {n}" for n, name in enumerate(names, 1)], delimiter


def _check_whole_text(recording: Recording) -> None:
    """Raise `InputError` for bytes that are no text, and a last line without its end.

    DuckDB fails with an internal error on other bytes in columns that it was not asked to read.
    """
    for _ in chunks(recording, must_end=True, strict=True):
        pass


def _check_bhive(head: bytes) -> None:
    """Raise `InputError` for a first line not of BHive, and for frequencies instead of cycles."""
    line = first_line(head)
    fields = line.split(",")
    if len(fields) != 2 or not _is_number(fields[1]):
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


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _from_csv(path: str, names: list[str], delimiter: str, *, header: bool) -> Select:
    check_unique(names)
    measured = _measured(names)
    types = {name: "DOUBLE" if name == measured else "VARCHAR" for name in names}
    sql = (
        f"SELECT row_number() OVER () - 1 AS segment, {_values(measured, names)} "
        "FROM read_csv($path, columns = $columns, delim = $delimiter, header = $header, "
        "auto_detect = false, quote = '\"', escape = '\"', nullstr = ['', 'NULL'], "
        "buffer_size = $buffer)"
    )
    params = {
        "path": path,
        "columns": types,
        "delimiter": delimiter,
        "header": header,
        "buffer": buffer_bytes(Path(path)),
    }
    return Select("segments", sql, params)


def _from_parquet(path: str) -> Select:
    columns = column_types(Path(path))
    if "hex" not in columns:
        raise InputError("the file has no column hex", expected="blocks of machine code in hex")
    measured = _measured(columns)
    if columns["hex"] != "VARCHAR":
        raise InputError(
            f"the column hex is of type {columns['hex']}",
            expected="text: the bytes of a block in hexadecimal",
        )
    if measured and not _NUMBERS.fullmatch(columns[measured]):
        raise InputError(
            f"the column {measured} is of type {columns[measured]}", expected="numbers"
        )
    sql = (
        f"SELECT file_row_number AS segment, {_values(measured, columns)} "
        "FROM read_parquet($path, file_row_number = true)"
    )
    return Select("segments", sql, {"path": path})


def _measured(columns: Mapping[str, str] | list[str]) -> str | None:
    return next((name for name in ("cycles_per_100", "cycles") if name in columns), None)


def _values(measured: str | None, columns: Mapping[str, str] | list[str]) -> str:
    """Return the SQL expressions of what a file has; an empty block is left to the checks."""
    values = ["lower(coalesce(CAST(hex AS VARCHAR), '')) AS hex"]
    facts = {target: (name, kind) for name, (target, kind) in _FACTS.items() if name in columns}
    values += [f"CAST({name} AS {kind}) AS {target}" for target, (name, kind) in facts.items()]
    if measured:
        passes = 100 if measured == "cycles_per_100" else 1
        value = f"CAST({measured} AS DOUBLE)"
        values.append(f"CASE WHEN NOT isnan({value}) THEN {value} / {passes} END AS cycles")
    return ", ".join(values)
