"""Bound parameters as literals: Quack carries SQL as text, without parameters.

A literal consists of digits, of the letters of hexadecimal numbers and of pwh's own words. So a
value is never SQL, whatever is in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import PurePath
from typing import Any

from warehouse.quack.statements import tokens

Parameters = Mapping[str, Any] | Sequence[Any] | None
_WORD = re.compile(rb"\w+")


def with_literals(sql: str, params: Parameters) -> str:
    """Return SQL with `?`, `$1` and `$name` replaced by the literals of their values.

    Raises ValueError where a value is missing or left over, as DuckDB does, and TypeError for a
    value of another type than pwh binds.
    """
    if not params:
        return sql
    values = params if isinstance(params, Mapping) else dict(enumerate(params, 1))
    known = {str(name): literal(value) for name, value in values.items()}
    text, parts, done = sql.encode(), [], 0
    used: set[str] = set()
    for place, length, name in _placeholders(sql):
        if name not in known:
            raise ValueError(f"no value was given for the parameter {name}")
        parts += [text[done:place], known[name].encode()]
        used.add(name)
        done = place + length
    if left := known.keys() - used:
        raise ValueError(f"the statement has no parameter {', '.join(sorted(left))}")
    return b"".join([*parts, text[done:]]).decode()


def _placeholders(sql: str) -> list[tuple[int, int, str]]:
    """Return place and length in bytes, and the name or number, of each parameter."""
    found: list[tuple[int, int, str]] = []
    text = sql.encode()
    positional = 0
    for part, kind, place in tokens(sql):
        if kind == "string_const":
            continue
        if part.startswith(b"?"):
            positional += 1
            found.append((place, 1, str(positional)))
        elif part.startswith(b"$") and (name := _WORD.match(text, place + 1)):
            found.append((place, 1 + len(name[0]), name[0].decode()))
    return found


def literal(value: Any) -> str:  # noqa: PLR0911  one for each type
    """Return a literal of SQL with the type that DuckDB binds a value of Python with."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case int():
            return f"({value})"
        case float():
            return f"CAST('{float(value)!r}' AS DOUBLE)"
        case str():
            return f"decode(unhex('{value.encode().hex()}'))"
        case bytes():
            return f"unhex('{value.hex()}')"
        case PurePath():
            return literal(str(value))
        case datetime():
            kind = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMPTZ"
            return f"CAST('{value.isoformat(sep=' ')}' AS {kind})"
        case date():
            return f"CAST('{value.isoformat()}' AS DATE)"
        case list() | tuple():
            return f"[{', '.join(map(literal, value))}]"
    if hasattr(value, "item"):  # a number of numpy
        return literal(value.item())
    raise TypeError(f"a value of type {type(value).__name__} cannot be sent to a served warehouse")
