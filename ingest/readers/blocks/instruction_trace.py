"""Traces of executed instructions, cut into segments where the running thread changes.

CSV with header or Parquet, one row an instruction, in the order of execution:

- `class` (int, mul, div, fp, fp_div, simd, load, store, branch, serialising, other) or `opcode`
  (a mnemonic of ARM or x86, from which the class is guessed; an x86 mov that reads or writes
  memory cannot be distinguished from one that does not: write class then). Needed.
- `thread`: the running thread, a whole number; one thread where it is missing.
- `reads` and `writes`: registers, blanks between them (`x0 x1`); or `producers`: the distances
  back to the instructions whose results it reads, blanks between them (`1 7`).
- `latency`: cycles from its issue to its result; where missing, those of its class in core_units.
- `cycle`: when it was issued.
- `taken`: 1 for a branch that was taken, else 0.

Every stretch of one thread is a segment, numbered from 0 in file order. Chains are counted in
groups of 40 instructions, and the data flow of the whole segment by latencies; dependences do not
reach across segments. With `cycle`, a segment takes the cycles from its first issue to its last,
and the issue distribution is kept. Short segments land too: the views leave out those below
throughput_settings.shortest, and count them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ingest.base import Head, Item, Select, SingleFile
from ingest.parsing.columns import columns_of, numbered_rows
from ingest.recording import Recording
from warehouse import sqlfiles
from warehouse.errors import InputError

_TYPES = {
    "thread": "BIGINT",
    "class": "VARCHAR",
    "opcode": "VARCHAR",
    "reads": "VARCHAR",
    "writes": "VARCHAR",
    "producers": "VARCHAR",
    "latency": "DOUBLE",
    "cycle": "BIGINT",
    "taken": "BIGINT",
}
_DEPENDENCES = ("reads", "producers", "cycle")
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")


class InstructionTrace(SingleFile):
    """Executed instructions of one or more threads."""

    NAME = "instruction-trace"
    DESCRIPTION = "executed instructions: thread, class or opcode, registers, cycle"
    PATTERNS = ("*.csv", "*.parquet")
    TABLES = ("segments",)

    def sniff(self, head: Head) -> bool:
        """Recognise a column class or opcode next to reads, producers or cycle."""
        return _is_ours(columns_of(head))

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one SELECT that cuts the trace."""
        columns, source, params = numbered_rows(
            Path(recording.plain()), lambda name: _TYPES.get(name, "VARCHAR")
        )
        _check_columns(columns)
        _check_whole_numbers(columns)
        given = ", ".join(
            f"{f'CAST({name} AS {kind})' if name in columns else f'CAST(NULL AS {kind})'} AS "
            f'"{name}"'
            for name, kind in _TYPES.items()
        )
        cut = sqlfiles.read("derived/instruction_trace")
        trace = f"SELECT file_row_number AS place, {given} {source}"
        yield Select("segments", f"WITH trace AS MATERIALIZED ({trace}), {cut}", params)


def _is_ours(columns: Mapping[str, str]) -> bool:
    kinds = {"class", "opcode"} & set(columns)
    return bool(kinds) and bool(set(_DEPENDENCES) & set(columns)) and "segment" not in columns


def _check_columns(columns: Mapping[str, str]) -> None:
    if not {"class", "opcode"} & set(columns):
        raise InputError("the column class is missing", where="line 1", expected="class or opcode")
    if "reads" in columns and "writes" not in columns:
        raise InputError(
            "the column writes is missing",
            where="line 1",
            expected="registers that are read and that are written",
        )


def _check_whole_numbers(columns: Mapping[str, str]) -> None:
    for name in ("thread", "cycle", "taken"):
        if name in columns and columns[name] not in _WHOLE:
            raise InputError(
                f"the column {name} is of type {columns[name]}", expected="whole numbers"
            )
