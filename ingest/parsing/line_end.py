"""The end of a table's last line: where it is missing, the file may have been cut off."""

from __future__ import annotations

from warehouse.errors import InputError


def refuse_cut(last: bytes, *, path: str | None = None, where: str | None = None) -> None:
    """Raise `InputError` where a file's last byte is no line break.

    A number there may have lost digits, which nothing else would show.
    """
    if last not in (b"\n", b"\r"):
        raise InputError(
            "the last line has no end, so the file may have been cut off",
            path=path,
            where=where,
            expected="a line break at the end of the file",
            hint="Copy it again; if it is whole, add the line break.",
        )
