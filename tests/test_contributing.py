"""CONTRIBUTING.md: the files that it takes as examples exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
TEXT = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FOLDERS = "warehouse|sql|udfs|ingest|apps|tests"
PATHS = sorted(set(re.findall(rf"`((?:{FOLDERS})/[\w./]*)`|< (\S+\.sql)", TEXT)))


@pytest.mark.parametrize("path", [named or redirected for named, redirected in PATHS])
def test_path_exists(path):
    assert (PROJECT / path).exists()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("ingest/base.py", "class Reader"),
        ("apps/queries/runs.py", "def list_sources"),
        ("apps/commands/runs.py", "def sources"),
        ("apps/pages/ingest.py", "def page"),
        ("tests/helpers/support.py", "def given"),
    ],
)
def test_example_is_where_it_is_said_to_be(file, name):
    assert f"{name}(" in (PROJECT / file).read_text(encoding="utf-8")
