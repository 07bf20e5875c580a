"""What a reader found in a recording, kept until it lands.

A file of anybody can take long to parse, and a warehouse that is locked meanwhile keeps others
waiting: so it is parsed first. Only SELECTs that DuckDB runs straight over CSV, Parquet and text
are left for the transaction: they take a time in proportion to the file, and to copy all of its
rows would double it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest import translate
from ingest.base import Item, Reader, Rows, Select
from ingest.parsing.dates import Zone, local_zone
from ingest.parsing.lines import check_line_end
from ingest.recording import MAX_BYTES

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    import pyarrow as pa

    from ingest.recording import Recording

IN_MEMORY = 64 << 20  # bytes of rows; more than that are on disk


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the user adds to the files: facts override those that the files have of their runs.

    `clock_offsets` (ns) are what the clocks of nodes are ahead by; `align_clocks` estimates those
    of the others. `lenient` accepts references to what a recording does not list. `parameters` are
    kinds of those of experiments (`parsing.parameters.KINDS`), by name.
    `max_bytes` are what a compressed file may contain. `time_zone` is that of times without one.
    """

    run_id: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    replace: bool = False
    clock_offsets: Mapping[str, int] = field(default_factory=dict)
    align_clocks: bool = False
    lenient: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    max_bytes: int = MAX_BYTES
    time_zone: ZoneInfo | None = None


class Parsed:
    """A recording, its reader, and what this found: once, and early if possible.

    `bytes` are those of the rows in memory, `seconds` what it took, `zone` that of times without
    one.
    """

    def __init__(self, recording: Recording, reader: Reader, options: Options) -> None:
        self.recording = recording
        self.reader = reader
        self.options = options
        self.bytes = 0
        self.seconds = 0.0
        self.zone = Zone(options.time_zone or UTC)
        self._items: list[Item] | None = None
        self._spill = _Spill(recording)
        recording.lenient, recording.max_bytes = options.lenient, options.max_bytes
        recording.parameters = options.parameters

    @cached_property
    def hashes(self) -> tuple[str, ...]:
        """The hashes of the content (`Recording.hashes`)."""
        with translate.input_errors(self.recording, self.reader):
            return self.recording.hashes()

    def parse(self) -> None:
        """Read the recording, once; raise `InputError` where it is not right."""
        if self._items is not None:
            return
        began = time.monotonic()
        items: list[Item] = []
        with translate.input_errors(self.recording, self.reader), translate.interruptions():
            _ = self.hashes
            with closing(self._spill), local_zone(self.zone):
                for item in self.reader.read(self.recording):
                    if isinstance(item, Select):
                        self._check_end(item)
                    if isinstance(item, Rows) and not self._has_room(item):
                        self._spill.write(item)
                    else:
                        items.append(item)
        self._items = items
        self.seconds += time.monotonic() - began

    def items(self) -> Iterator[Item]:
        """Yield the items in the order of the reader, but large numbers of rows at the end."""
        self.parse()
        yield from self._items or ()
        yield from self._spill.read()

    def close(self) -> None:
        """Forget what was found, and remove all temporary files."""
        self._items, self.bytes = None, 0
        self._spill.files.clear()
        self.recording.close()

    def _check_end(self, select: Select) -> None:
        """Note a table of text that lacks its last line break: DuckDB counts the fields there."""
        if "delimiter" not in select.params:
            return
        path = str(select.params["path"])
        with Path(path).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 2))
            # It finds quotes that are not closed and blank lines, too.
            end = "," + file.read().replace(b'"', b"").decode("latin-1")
        check_line_end(self.recording, end, part=self.recording.original(path))

    def _has_room(self, rows: Rows) -> bool:
        """Count rows that are kept in memory; once one batch has no room, none has."""
        if self._spill.files or self.bytes + rows.batch.nbytes > IN_MEMORY:
            return False
        self.bytes += rows.batch.nbytes
        return True


class _Spill:
    """Rows in temporary files of a recording: those of one table and schema in one file."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.files: dict[tuple[str, pa.Schema], Path] = {}
        self._writers: dict[tuple[str, pa.Schema], pa.RecordBatchStreamWriter] = {}

    def write(self, rows: Rows) -> None:
        """Add rows."""
        import pyarrow as pa

        key = (rows.table, rows.batch.schema)
        if key not in self._writers:
            self.files[key] = self._recording.scratch() / f"rows{len(self.files)}.arrows"
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            self._writers[key] = pa.ipc.new_stream(str(self.files[key]), key[1], options=options)
        self._writers[key].write(rows.batch)

    def close(self) -> None:
        """Finish the files."""
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()

    def read(self) -> Iterator[Rows]:
        """Yield the rows of all files."""
        import pyarrow as pa

        for (table, _), path in self.files.items():
            with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as batches:
                for batch in batches:
                    yield Rows(table, batch)
