"""Flags as functions return them, in words."""

from __future__ import annotations

from typing import Any

from apps.reports.flags import flag_text


def said(flag: dict[str, Any]) -> str:
    """Return what a flag of a function of udfs says."""
    return flag_text({"code": flag["code"], "args": dict(flag["args"])})


def in_words(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of a function of udfs with its flags as texts."""
    return {**answer, "flags": [said(flag) for flag in answer["flags"]]}
