"""Tables that pwh's own timelines carry: what a trace shows does not tell all that is known.

Each is an Arrow stream with the rows of one landing table; its schema's metadata has the table's
name and, as JSON, the facts of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from ingest.base import Item, Rows, Run
from warehouse.catalog import landing
from warehouse.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

# How such a table begins in Perfetto's traces.
MARK = b"pwh landing table\n"
_TABLE, _RUN = b"table", b"run"


def written(table: str, rows: pa.Table, run: Run) -> bytes:
    """Return the rows of a landing table and the facts of their run as a stream."""
    import pyarrow as pa

    metadata = {_TABLE: table.encode(), _RUN: msgspec.json.encode(run)}
    sink = pa.BufferOutputStream()
    schema = rows.schema.with_metadata(metadata)
    with pa.ipc.new_stream(sink, schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as out:
        out.write_table(rows.cast(schema))
    return bytes(sink.getvalue())


def carried_items(streams: Iterable[bytes]) -> Iterator[Item]:
    """Yield the run and the rows of streams; raise `InputError` where one is not as written."""
    import pyarrow as pa

    for stream in streams:
        try:
            with pa.ipc.open_stream(stream) as reader:
                rows = reader.read_all()
                rows.validate(full=True)
            metadata = rows.schema.metadata or {}
            table = metadata[_TABLE].decode()
            run = msgspec.json.decode(metadata[_RUN], type=Run)
        except (pa.ArrowException, msgspec.MsgspecError, OSError, ValueError, KeyError) as error:
            raise _unlike((str(error) or "no detail").splitlines()[0][:120]) from None
        columns = {column.name: column.required for column in landing().get(table, ())}
        unknown = [name for name in rows.column_names if name not in columns]
        missing = [name for name, required in columns.items() if required]
        missing = [name for name in missing if name not in rows.column_names]
        if not columns or unknown or missing:
            raise _unlike(f"the table {table[:40]} with {', '.join([*unknown, *missing])[:80]}")
        yield run
        yield Rows(table, rows)


def _unlike(problem: str) -> InputError:
    return InputError(
        f"the tables that it carries are not as pwh writes them ({problem})",
        expected="a file that pwh export wrote, this version or an earlier one",
        hint="Export it again.",
    )
