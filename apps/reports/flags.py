"""Flags in words: what to keep in mind of an answer, as flag_text has it in SQL."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, TypedDict

from warehouse import sqlfiles

_TEXTS = sqlfiles.SQL / "reference" / "flag_texts.csv"
_ARGUMENT = re.compile(r"\{(\w+)\}")


class Flag(TypedDict):
    """A flag as rows have it: a code, and arguments written as they are read."""

    code: str
    args: Mapping[str, str]


def flag_text(flag: Flag | None) -> str:
    """Return what a flag says; nothing without one."""
    if flag is None:
        return ""
    args = flag["args"]
    text = _texts().get(flag["code"], flag["code"])
    return _ARGUMENT.sub(lambda found: args.get(found[1], found[0]), text)


def flag_sentence(flag: Flag, end: str = ".") -> str:
    """Return what a flag says as the beginning of a sentence, with its end."""
    text = flag_text(flag)
    return f"{text[0].upper()}{text[1:]}{end}"


def flag_labels(flags: Sequence[Flag] | None) -> str | None:
    """Return what flags say in short, without explanations; None if there is none."""
    kinds = [flag_text(flag).split(":")[0] for flag in flags or []]
    return ", ".join(dict.fromkeys(kinds)) or None


def labels_of_flags(row: Mapping[str, Any]) -> str | None:
    """Return `flag_labels` of the flags of a row."""
    return flag_labels(row["flags"])


def first_text(flags: Sequence[Flag] | None, codes: Collection[str]) -> str | None:
    """Return what the first of the flags with one of the codes says, None if there is none."""
    return next((flag_text(flag) for flag in flags or [] if flag["code"] in codes), None)


def flag_codes(flags: Sequence[Flag] | None) -> set[str]:
    """Return the codes of flags."""
    return {flag["code"] for flag in flags or []}


@cache
def _texts() -> dict[str, str]:
    with _TEXTS.open(encoding="utf-8", newline="") as file:
        return {row["code"]: row["text"] for row in csv.DictReader(file)}
