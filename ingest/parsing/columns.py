"""The columns of a file that is a table, for recognising it."""

from __future__ import annotations

from ingest.base import Head
from ingest.compressed import compression
from ingest.parsing import parquet, plain_csv
from warehouse.errors import InputError


def columns_of(head: Head) -> dict[str, str]:
    """Return the columns of a CSV or Parquet file in lower case, with their types in Parquet.

    There are none where the file is no such table or damaged, and of a compressed Parquet file:
    its columns are listed at its end, and unpacking it for them would cost much.
    """
    try:
        if head.data.startswith(parquet.MAGIC):
            return parquet.column_types(head.path) if compression(head.path) is None else {}
        return {} if b"\0" in head.data else dict.fromkeys(plain_csv.column_names(head.data), "")
    except (InputError, OSError):
        return {}
