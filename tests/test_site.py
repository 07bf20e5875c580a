"""The documentation site builds without a network; its queries run with nothing but DuckDB."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
CLIENTS = (PROJECT / "docs/clients.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# SQL in a text of R or Julia
QUOTED = re.compile(r'"((?:ATTACH|USE|SET|FROM|SELECT) [^"]*)"')
ADDRESS = re.compile(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)=["']?(?:https?:)?//[^>]*>""")

RUN_SQL = """\
import sys
import duckdb
con = duckdb.connect()
for statement in sys.stdin.read().split(";\\n"):
    if statement.strip().startswith(("SELECT", "FROM")):
        con.execute(f"CREATE OR REPLACE TEMP TABLE answer AS ({statement})")
        found = con.execute("SELECT count(*) FROM temp.answer").fetchone()
        assert found[0] > 0, f"no rows: {statement}"
    else:
        con.execute(statement)
"""
NOTHING_ELSE = """
import sys
known = {"warehouse", "udfs", "ingest", "apps", "pyarrow", "numpy", "pytz"} & set(sys.modules)
assert not known, known
"""


@pytest.fixture
def folder(demo_warehouse, tmp_path):
    """Return a folder that has the warehouse of `pwh demo` under the name that the page uses."""
    (tmp_path / "pwh.duckdb").symlink_to(demo_warehouse)
    return tmp_path


def run(script, folder, text=""):
    command = [sys.executable, "-I", "-c", script + NOTHING_ELSE]
    done = subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def blocks(*languages):
    return [text for language, text in BLOCK.findall(CLIENTS) if language in languages]


def test_sql_of_other_clients_runs_with_duckdb_alone(folder):
    text = "".join(blocks("sql"))
    assert text.count(";\n") > 12
    run(RUN_SQL, folder, re.sub(r"\$__timeFilter\((\w+)\)", r"\1 < now()", text))


@pytest.mark.parametrize("language", ["r", "julia"])
def test_sql_in_other_languages_runs_with_duckdb_alone(language, folder):
    (block,) = blocks(language)
    statements = QUOTED.findall(block)
    assert any(one.startswith(("SELECT", "FROM")) for one in statements)
    if language == "r":
        statements = ["ATTACH 'pwh.duckdb' AS pwh (READ_ONLY)", "USE pwh", *statements]
    run(RUN_SQL, folder, ";\n".join(statements))


def test_python_without_pwh_runs_with_duckdb_alone(folder):
    (block,) = blocks("python")
    run(block + "assert rows\n", folder)


def test_site_builds_and_fetches_nothing(tmp_path):
    pytest.importorskip("material", reason="needs the extra docs")
    # with --quiet it counts no warnings, so that dead links pass --strict
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", tmp_path / "site"],
        cwd=PROJECT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    pages = {page: page.read_text(encoding="utf-8") for page in (tmp_path / "site").rglob("*.html")}
    names = {page.parent.relative_to(tmp_path / "site").as_posix() for page in pages}
    documents = {"docs/concepts", "docs/methods", "docs/clients", "docs/how-to/ci"}
    assert names >= {".", "apps", "ingest", "sql", *documents}
    fetched = [found for text in pages.values() for found in ADDRESS.findall(text)]
    assert fetched == []
    # the references are included, and the picture is drawn
    assert 'id="pwh-ingest"' in pages[tmp_path / "site/apps/index.html"]
    if shutil.which("dot"):
        for page in ("sql", "docs/concepts"):
            assert "<title>runs</title>" in pages[tmp_path / "site" / page / "index.html"]
