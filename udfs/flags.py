"""Flags: what to keep in mind of an answer, a code with arguments written as they are read.

The text of each code is a row of sql/reference/flag_texts.csv.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

Flag = dict[str, Any]

FLAG = pa.struct([("code", pa.string()), ("args", pa.map_(pa.string(), pa.string()))])


def flag(code: str, **args: str) -> Flag:
    """Return a flag as Arrow takes it."""
    return {"code": code, "args": list(args.items())}


def flag_lists(values: list[list[Flag]]) -> Any:
    """Return lists of flags as a column."""
    return pa.array(values, pa.list_(FLAG))
