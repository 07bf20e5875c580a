"""Extra-P's line formats: JSON Lines and TaLPas, one value (or a list of values) a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ingest.base import Head, Item, SingleFile
from ingest.parsing.json_values import checked, field, numbers, parse
from ingest.parsing.lines import chunks
from ingest.recording import Recording
from warehouse.errors import InputError

if TYPE_CHECKING:
    from ingest.readers.profiles.extrap.columns import Columns

# A semicolon between fields: what follows is a name with its colon, which no string can contain.
_SEMICOLON = re.compile(rb';(?=\s*"[^"\\;]*"\s*:)')


class _Lines(SingleFile):
    """Common part of both formats; they differ in words and in the separator of fields."""

    TABLES = ("fn_timings", "pmu_samples")
    PARAMS: str
    NEEDED: tuple[str, ...]

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the runs and rows; see `Reader.read`."""
        from ingest.readers.profiles.extrap.columns import Columns
        from ingest.readers.profiles.extrap.rows import items

        columns = Columns()
        for chunk in chunks(recording, strict=True):
            self._take(self.as_json(chunk.text().encode()), chunk.first, columns)
        yield from items(columns.experiment(), recording.parameters)

    def as_json(self, chunk: bytes) -> bytes:
        """Return the lines as JSON."""
        return chunk

    def _take(self, chunk: bytes, line: int, columns: Columns) -> None:
        """Take a chunk of lines: fast where all are as expected, else one by one."""
        if not chunk.strip():
            return
        if not columns.parameters:
            first = next(self._records(chunk, line, ()))[1]
            columns.parameters = tuple(first[self.PARAMS])
            columns.lists = isinstance(first["value"], list)
        if columns.add_lines(chunk, line, self.PARAMS, self.NEEDED):
            return
        rows = []
        for number, record in self._records(chunk, line, columns.parameters):
            point = [record[self.PARAMS][name] for name in columns.parameters]
            names = record.get("callpath"), record.get("metric")
            values = record["value"] if isinstance(record["value"], list) else [record["value"]]
            rows += [(*names, point, value, number) for value in values]
        columns.add_rows(rows)

    def _records(
        self, chunk: bytes, line: int, parameters: tuple[str, ...]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield line number and object of each line that is not blank, its fields checked."""
        for number, raw in enumerate(chunk.split(b"\n"), line):
            if not raw.strip():
                continue
            where = f"line {number}"
            record = parse(raw.decode(), number)
            params = field(record, self.PARAMS, dict, where)
            if parameters and set(params) != set(parameters):
                raise InputError(
                    f"the parameters are {', '.join(params)}",
                    where=where,
                    expected=f"{', '.join(parameters)}, as on the first line",
                )
            for name, value in params.items():
                checked(value, float, f"the parameter {name}", where)
            for name in ("callpath", "metric"):
                if record.get(name) is not None or name in self.NEEDED:
                    field(record, name, str, where)
            numbers(field(record, "value", (float, list), where), "'value'", where)
            yield number, record


class ExtrapJsonLines(_Lines):
    """Reads Extra-P's JSON Lines; equal lines are repetitions."""

    NAME = "extrap-jsonl"
    DESCRIPTION = "Extra-P JSON Lines: one measured value of a scaling experiment a line"
    PATTERNS = ("*.jsonl",)
    PARAMS = "params"
    NEEDED = ()

    def sniff(self, head: Head) -> bool:
        """Recognise a line with params and value, or the start of a single one."""
        first, newline, _ = _first_line(head.data)
        if not re.match(rb'\s*\{.*"params"\s*:\s*\{', first):
            return False
        return b'"value"' in first or not (newline or first.rstrip().endswith(b"}"))


class ExtrapTalpas(_Lines):
    """Reads the TaLPas format, which is JSON Lines with semicolons between the fields."""

    NAME = "extrap-talpas"
    DESCRIPTION = "TaLPas (Extra-P): one measured value of a scaling experiment a line"
    PATTERNS = ("*.txt",)
    PARAMS = "parameters"
    NEEDED = ("callpath", "metric")

    def sniff(self, head: Head) -> bool:
        """Recognise an object of parameters with a semicolon after it."""
        return bool(
            re.match(rb'\s*\{\s*"parameters"\s*:\s*\{[^{}\n]*\}\s*;', _first_line(head.data)[0])
            or re.match(rb'\s*\{[^\n]*;\s*"parameters"\s*:\s*\{', _first_line(head.data)[0])
        )

    def as_json(self, chunk: bytes) -> bytes:
        """Return the lines as JSON."""
        return _SEMICOLON.sub(b",", chunk)


def _first_line(head: bytes) -> tuple[bytes, bytes, bytes]:
    return head.lstrip().partition(b"\n")
