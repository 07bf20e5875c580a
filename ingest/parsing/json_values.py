"""Strict reading of JSON values, with errors that name the place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.parsing.lines import whole_text
from ingest.recording import Recording
from warehouse.errors import InputError


def read_json(recording: Recording, part: Path | None = None, *, limit: int) -> Any:
    """Parse a whole file of at most `limit` bytes; raises `InputError` as `parse` does."""
    return parse(whole_text(recording, part, limit, strict=True))


def parse(text: str, line: int | None = None, *, allow_nan: bool = False) -> Any:
    """Parse JSON; all numbers come as float.

    Unlike `json.loads`, refuses an object that has a name twice with different values and, unless
    `allow_nan`, NaN and Infinity. `line` is the place of the text where it is one line of a file.
    Raises `InputError`.
    """
    constant = float if allow_nan else _refuse_constant
    try:
        return json.loads(text, parse_int=float, parse_constant=constant, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        where = f"line {line or error.lineno}, column {error.colno}"
        raise InputError(
            f"the text is not JSON here ({error.msg})",
            where=where,
            expected="a whole JSON object",
            hint="Is the end of the file missing?",
        ) from None
    except RecursionError:
        raise InputError("the JSON is nested too deeply", where=_place(line)) from None
    except ValueError as error:
        raise InputError(str(error), where=_place(line)) from None


def _place(line: int | None) -> str | None:
    return None if line is None else f"line {line}"


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number that was measured")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    for name in found:
        if not _is_text(name):
            raise ValueError(f"the name {name!a} is not text")
    if len(found) < len(pairs):
        for name, value in pairs:
            if found[name] != value:
                raise ValueError(f"{name!r} is a duplicate in its object")
    return found


def field(record: Any, name: str, kind: type | tuple[type, ...], where: str) -> Any:
    """Return a field of an object, checked to be there and to be of a kind."""
    if not isinstance(record, Mapping):
        raise InputError(f"{_shown(record)} was found", where=where, expected="an object {...}")
    if name not in record:
        raise InputError(f"{name!r} is missing", where=where, expected=f"a field {name!r}")
    return checked(record[name], kind, repr(name), where)


def checked(value: Any, kind: type | tuple[type, ...], what: str, where: str) -> Any:
    """Return a value, checked to be of a kind and, if it is a list or an object, not empty."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    expected = " or ".join(_KINDS[k] for k in kinds)
    if not isinstance(value, kinds):
        raise InputError(f"{what} is {_shown(value)}", where=where, expected=expected)
    if isinstance(value, dict | list) and not value:
        raise InputError(f"{what} is empty", where=where, expected=expected)
    if isinstance(value, str) and not _is_text(value):
        raise InputError(f"{what} is {value!a}", where=where, expected="a text of whole characters")
    return value


def _is_text(value: str) -> bool:
    r"""Return whether a string has no half of a surrogate pair, which JSON can write as \ud800."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def numbers(value: Any, what: str, where: str) -> list[float]:
    """Return a list of numbers; one number counts as a list."""
    found = value if isinstance(value, list) else [value]
    for item in checked(found, list, what, where):
        checked(item, float, what, where)
    return found


def object_of(value: Any) -> Mapping[str, Any]:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def text_of(value: Any) -> str | None:
    """Return a text that is not empty; None for anything else."""
    return value if isinstance(value, str) and value else None


def texts_of(found: Mapping[str, Any], names: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the texts and numbers of an object as texts, under other names where these are given.

    What is null, empty or a structure is left out.
    """
    chosen = found if names is None else {name: found.get(of) for name, of in names.items()}
    texts = {
        name: f"{value:.15g}" if isinstance(value, float) else value
        for name, value in chosen.items()
        if isinstance(value, str | float)
    }
    return {name: text for name, text in texts.items() if text}


_KINDS: Mapping[type, str] = {
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object {...}",
}


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:40] + "..."
