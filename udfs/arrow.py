"""Arrow columns as DuckDB passes them to functions for SQL."""

from __future__ import annotations

from typing import Any, TypeAlias

import pyarrow as pa

Column: TypeAlias = pa.Array | pa.ChunkedArray


def contiguous(column: Column) -> Any:
    """Return a column, of one or several chunks, as one array."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
