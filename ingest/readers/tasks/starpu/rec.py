"""StarPU's tasks.rec and data.rec: records of `Field: value` lines, read column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.parsing.lines import Chunk, chunks
from ingest.recording import Recording
from warehouse.errors import InputError

LINE = "line"
# Times are printed in ms with six decimals; up to here a float represents every ns of them.
_MOST_MS = 2e9
_MOST_RECORD = 64 << 20
_FIELD_LINE = r"^(?:[A-Za-z][A-Za-z0-9_]*:(?: .*)?|[#%+].*)?\r?\n$"


def read_records(recording: Recording, part: Path, fields: Sequence[str]) -> pa.Table:
    """Return one row a record: the chosen fields as text (NULL where absent), and its first line.

    Works on arrays, a few million lines a second. Raises `InputError` where a line is no field,
    a record has a field twice, or the file ends inside a record.
    """
    columns = {**dict.fromkeys(fields, pa.string()), LINE: pa.int64()}
    tables = [pa.table({name: pa.array([], kind) for name, kind in columns.items()})]
    for block in _blocks(recording, part):
        tables.append(_records(block, fields))
    return pa.concat_tables(tables).combine_chunks()


def line_array(chunk: Chunk, pattern: str, expected: str) -> pa.Array:
    """Return the lines of a chunk, each with its line break, without copying them.

    Raises `InputError` for the first line that does not match the pattern.
    """
    data = chunk.data
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    offsets = np.concatenate(([0], ends + 1)).astype(np.int32)
    lines = pa.StringArray.from_buffers(
        len(ends), pa.py_buffer(offsets.tobytes()), pa.py_buffer(data)
    )
    at = pc.index(pc.match_substring_regex(lines, pattern), False).as_py()
    if at >= 0:
        raise InputError(
            f"{lines[at].as_py().strip()[:60]!r} is not what a line of this file looks like",
            path=chunk.path,
            where=f"line {chunk.first + at}",
            expected=expected,
        )
    return lines


def nanoseconds(table: pa.Table, name: str, part: Path) -> pa.Array:
    """Return a field of times in ms as BIGINT ns; raises `InputError` naming the line."""
    return to_ns(table[name].combine_chunks(), table[LINE], name, part)


def to_ns(values: pa.Array, lines: pa.Array, what: str, part: Path) -> pa.Array:
    """Return times in ms, as text, as BIGINT ns; `lines` are their lines in the file."""
    good = pc.match_substring_regex(values, r"^-?\d{1,10}(?:\.\d{1,12})?$")
    expected = f"a time in ms such as 12.345678, at most {_MOST_MS:.0f}"
    refuse_first(pc.invert(good), values, lines, what, part, expected)
    ms = pc.cast(values, pa.float64())
    refuse_first(pc.greater(pc.abs(ms), _MOST_MS), values, lines, what, part, expected)
    return pc.cast(pc.round(pc.multiply(ms, 1e6)), pa.int64())


def whole_numbers(
    values: pa.Array, lines: pa.Array, what: str, part: Path, least: int = 0
) -> pa.Array:
    """Return whole numbers, as text, as BIGINT; raises `InputError` naming the line."""
    expected = f"a whole number from {least} on"
    good = pc.match_substring_regex(values, r"^-?\d{1,18}$")
    refuse_first(pc.invert(good), values, lines, what, part, expected)
    numbers = pc.cast(values, pa.int64())
    refuse_first(pc.less(numbers, least), values, lines, what, part, expected)
    return numbers


def refuse_first(
    bad: pa.Array, values: pa.Array, lines: pa.Array, what: str, part: Path, expected: str
) -> None:
    """Raise `InputError` for the first place where `bad` is true, if there is one."""
    first = pc.index(bad, True).as_py()
    if first >= 0:
        raise InputError(
            f"{what} is {values[first].as_py()!r}",
            path=str(part),
            where=f"line {lines[first].as_py()}",
            expected=expected,
        )


def _blocks(recording: Recording, part: Path) -> Iterator[Chunk]:
    """Yield chunks of whole records, each ending with a blank line."""
    rest, first, last = b"", 1, b""
    for chunk in chunks(recording, part):
        whole, end, tail = (rest + chunk.data).rpartition(b"\n\n")
        if len(tail) > _MOST_RECORD:
            raise InputError(
                f"a record is longer than {_MOST_RECORD >> 20} MiB",
                path=str(part),
                expected="records with a blank line between them",
            )
        if end:
            block = Chunk(whole + end, first, chunk.path)
            yield block
            first = block.line_at(len(block.data))
            last = _last_field(whole)
        rest = tail
    if last and _last_field(rest.rstrip(b"\n")) == last:
        # The field that is last in the record before: only the blank line is missing.
        recording.unended.add(part)
        yield Chunk(rest.rstrip(b"\n") + b"\n\n", first)
    elif rest.strip():
        raise InputError(
            "the last record has no end, so the file was cut off",
            path=str(part),
            expected="a blank line after every record",
            hint="Copy the file again, or run starpu_fxt_tool again.",
        )


def _last_field(record: bytes) -> bytes:
    """Return the name of a record's last field, empty where it has no value."""
    name, colon, value = record.rpartition(b"\n")[2].partition(b": ")
    return name if colon and value.strip() else b""


def _records(block: Chunk, fields: Sequence[str]) -> pa.Table:
    lines = line_array(block, _FIELD_LINE, "a field, `Name: value`")
    blank = pc.equal(pc.binary_length(lines), 1).to_numpy(zero_copy_only=False)
    begins = ~blank & np.concatenate(([True], blank[:-1]))
    record = np.cumsum(begins) - 1
    count = int(begins.sum())
    columns: dict[str, pa.Array] = {}
    for name in fields:
        at = np.flatnonzero(pc.starts_with(lines, f"{name}: ").to_numpy(zero_copy_only=False))
        owner = record[at]
        if repeated := np.flatnonzero(np.diff(owner) == 0).tolist():
            raise InputError(
                f"the field {name} is a duplicate in its record",
                path=block.path,
                where=f"line {block.first + int(at[repeated[0] + 1])}",
            )
        values = pc.ascii_rtrim(lines.take(pa.array(at)), characters="\r\n")
        values = pc.utf8_slice_codeunits(values, start=len(name) + 2)
        place = np.full(count, -1, np.int64)
        place[owner] = np.arange(len(at))
        columns[name] = values.take(pa.array(place, mask=place < 0))
    columns[LINE] = pa.array(np.flatnonzero(begins) + block.first)
    return pa.table(columns)
