"""Arrow files and streams: their column names, and a copy as Parquet that DuckDB can read."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from warehouse.errors import InputError

MAGICS = (b"ARROW1", b"\xff\xff\xff\xff")


def column_names(path: Path) -> list[str]:
    """Return the column names, in lower case; raises `InputError` where the file is damaged."""
    with _opened(path) as reader:
        return [name.lower() for name in reader.schema.names]


def to_parquet(path: Path, target: Path) -> None:
    """Copy an Arrow file or stream to Parquet, batch by batch.

    Every batch is validated first: offsets that lie would lead Arrow out of its buffers. Raises
    `InputError` where the file is damaged or contains what Parquet cannot.
    """
    import pyarrow.parquet as pq

    with _opened(path) as reader, pq.ParquetWriter(target, reader.schema) as writer:
        for batch in _batches(reader):
            batch.validate(full=True)
            writer.write_batch(batch)


def _batches(reader: Any) -> Iterator[Any]:
    count = getattr(reader, "num_record_batches", None)
    return iter(reader) if count is None else (reader.get_batch(i) for i in range(count))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as file:
            is_file = file.read(len(MAGICS[0])) == MAGICS[0]
            file.seek(0)
            with (pa.ipc.open_file if is_file else pa.ipc.open_stream)(file) as reader:
                yield reader
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise
        raise InputError(
            f"not a whole Arrow file ({(str(error) or 'no detail').splitlines()[0][:120]})",
            expected="an Arrow file or stream with its end",
            hint="Copy or write it again.",
        ) from None
