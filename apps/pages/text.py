"""Text on pages: names from traces, escaped for Markdown, and labels of runs."""

from __future__ import annotations

import re
from datetime import datetime

from apps.output.text import version_text

# The choice for runs whose application is unknown.
NO_APPLICATION = "(no application)"
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# Emoji names and bare addresses are replaced after Markdown has been parsed, where a backslash
# no longer helps: an invisible joiner keeps them from being recognised.
_JOINER = "\u2060"
_LATE = re.compile(r":(?=[\w+/-]+:)|(?<=https):(?=//)|(?<=http):(?=//)|(?<=www)(?=\.)|(?<=\w)@")


def plain(text: str) -> str:
    """Return a text as one line, escaped for Streamlit's Markdown."""
    joined = _LATE.sub(lambda found: f"{found[0]}{_JOINER}", " ".join(str(text).split()))
    return _PUNCTUATION.sub(r"\\\1", joined)


def run_label(version: str | None, run_id: str, started_at: datetime | None) -> str:
    """Return the label of a run: its version and day, or its id where the version is unknown."""
    name = f"version {version_text(version)}" if version else f"run {run_id}"
    return name if started_at is None else f"{name} ({started_at:%Y-%m-%d})"
