"""Reading of XML piece by piece, without what documents can declare to expand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from xml.parsers import expat

from ingest.recording import Recording
from warehouse.errors import InputError


def read_elements(
    recording: Recording,
    start: Callable[[str, Mapping[str, str]], None],
    end: Callable[[str], None],
    expected: str,
) -> None:
    """Call `start` with each element's name and attributes, and `end` with its name, in turn.

    Raises `InputError` with the line where the text is not the XML that is `expected`, or where
    either of them raises one without a place.
    """
    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.EntityDeclHandler = _refuse_entity
    parser.XmlDeclHandler = _check_encoding
    with recording.open() as file:
        if b"\0" in file.peek(4)[:4]:
            raise InputError("the text is UTF-16", where="line 1", expected="UTF-8")
        try:
            parser.ParseFile(file)
        except expat.ExpatError as error:
            raise InputError(
                f"the text is not XML here ({expat.ErrorString(error.code)})",
                where=f"line {error.lineno}, column {error.offset + 1}",
                expected=expected,
                hint="Is the end of the file missing?",
            ) from None
        except InputError as error:
            error.where = error.where or f"line {parser.CurrentLineNumber}"
            raise


def _check_encoding(_version: str, encoding: str | None, _standalone: int) -> None:
    """Raise `InputError` for an encoding that the parser cannot read: it knows 8-bit ones alone."""
    if encoding is None or encoding.lower() in ("utf-8", "utf-16"):
        return
    try:
        letters = bytes(range(256)).decode(encoding, "replace")
    except (LookupError, ValueError):
        letters = ""
    if len(letters) != 256:
        raise InputError(f"the encoding {encoding!r} cannot be read", expected="UTF-8")


def _refuse_entity(*_: object) -> None:
    raise InputError("the file declares an entity", expected="XML as tools write it")
