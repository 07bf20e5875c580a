"""Texts from traces inside Markdown: shown as they are, whatever they look like."""

from __future__ import annotations

import re

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# Emoji names and bare addresses are replaced after Markdown has been parsed, where a backslash
# no longer helps: an invisible joiner keeps them from being recognised.
_JOINER = "\u2060"
_LATE = re.compile(r":(?=[\w+/-]+:)|(?<=https):(?=//)|(?<=http):(?=//)|(?<=www)(?=\.)|(?<=\w)@")


def plain(text: str) -> str:
    """Escape a text for Streamlit's Markdown, one line."""
    joined = _LATE.sub(lambda found: f"{found[0]}{_JOINER}", " ".join(str(text).split()))
    return _PUNCTUATION.sub(r"\\\1", joined)
