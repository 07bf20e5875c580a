"""The documents: current references, and every path, link, command and option in them exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import typer

from apps.cli import app
from apps.queries.schema import schema_objects
from apps.reference import BEGIN, DOCUMENTS, current_text
from tests.helpers.support import rows
from warehouse.catalog import landing
from warehouse.modules import calling_functions
from warehouse.version import __version__

PROJECT = Path(__file__).parents[1]
DOCS = {
    name: (PROJECT / name).read_text(encoding="utf-8")
    for name in (
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "apps/README.md",
        "ingest/README.md",
        "sql/README.md",
        "udfs/README.md",
        "tests/bench/README.md",
        *sorted(path.relative_to(PROJECT).as_posix() for path in PROJECT.glob("docs/**/*.md")),
    )
}
each_document = pytest.mark.parametrize("name", DOCS)

CODE = re.compile(r"`([^`\n]+)`|^    (.+)$", re.MULTILINE)
PATH = re.compile(r"(?!\.)[\w.-]+/[\w./-]*|[\w-]+\.(?:py|sql)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
COMMAND = re.compile(r"""(?:^|(?<=[\s/]))pwh((?: [^\s"'&|<>][^\s"'&|<>]*)*)""")
OPTION = re.compile(r"--?[a-z][a-z-]*")
REDIRECTED = re.compile(r"< (\S+\.sql)")
MODULE = re.compile(r"python -m (tests\.[\w.]+|apps\.[\w.]+)")
SQL_NAME = re.compile(r"`([a-z]+(?:_[a-z]+)+)`")
FIGURE = re.compile(r"^\| (.+) \| `(python -m tests\.bench\.\w+.*) \|$", re.MULTILINE)
BOX = re.compile(r"^  (\w+) \{\n((?:    \S+ \w+\n)*)  \}$", re.MULTILINE)
JOIN = re.compile(r'^  (\w+) \|\|--o\{ (\w+) : "([^"]+)"$', re.MULTILINE)


def code(name: str) -> list[str]:
    """Return what a document has as code, in a line or as a block."""
    return [inline or block for inline, block in CODE.findall(DOCS[name])]


def commands() -> dict[str, Any]:
    """Return every command by its words, groups too; pwh itself is the empty text."""

    def of(words: str, command: Any) -> Iterator[tuple[str, Any]]:
        yield words, command
        for word, one in getattr(command, "commands", {}).items():
            yield from of(f"{words} {word}".strip(), one)

    return dict(of("", typer.main.get_command(app)))


def picture() -> tuple[dict[str, list[str]], list[tuple[str, str, str]]]:
    """Return the boxes (table, columns) and joins of the picture of the schema."""
    (diagram,) = re.findall(r"```mermaid\n(.*?)```", DOCS["sql/README.md"], re.DOTALL)
    boxes = {
        table: [line.split()[1] for line in lines.splitlines()]
        for table, lines in BOX.findall(diagram)
    }
    return boxes, JOIN.findall(diagram)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_reference_is_current(path):
    current = path.read_text(encoding="utf-8") == current_text(path)
    assert current, f"{path} is not current; run: python -m apps.reference"


def test_readme_is_short_and_has_the_command_of_the_tests():
    assert len(DOCS["README.md"].splitlines()) <= 200
    # .ci/run takes it from there
    assert len(re.findall(r"^    python3 -m venv \.venv-test .*$", DOCS["README.md"], re.M)) == 1


def test_changelog_is_a_page_with_one_entry():
    assert len(DOCS["CHANGELOG.md"].splitlines()) <= 120
    assert re.findall(r"^## (\S+)", DOCS["CHANGELOG.md"], re.M) == [__version__]


@pytest.mark.parametrize(("name", "dated"), [("README.md", False), ("tests/bench/README.md", True)])
def test_figures_have_their_machine_and_command(name, dated):
    machine = r"\d( or \d)? cores(, (busy|quiet|quiet and busy))?|any \(simulated\)"
    cells = re.compile(rf"[^|]+ \| [^|]+ \| ({machine})" + r" \| \d{4}-\d\d-\d\d" * dated)
    figures = [stated for stated, _ in FIGURE.findall(DOCS[name])]
    assert [stated for stated in figures if not cells.fullmatch(stated)] == []
    assert len(figures) == DOCS[name].count("| `python -m tests.bench.")
    assert len(figures) > 30 if dated else len(figures) == 3


def test_figures_of_the_readme_are_those_of_the_benchmarks():
    def figures(name):
        found = FIGURE.findall(DOCS[name])
        return {(*stated.split(" | ")[1:3], command) for stated, command in found}

    assert figures("README.md") <= figures("tests/bench/README.md")


def test_contributing_has_no_figures():
    assert not FIGURE.search(DOCS["CONTRIBUTING.md"])


def test_common_changes_touch_few_files():
    row = re.compile(r"^\| (a [^:|]+): .*?\| (.+) \| (.+) \|$", re.MULTILINE)
    counts = {
        change: tuple(len(set(re.findall(r"`[\w.]+/[\w/.]*`", cell))) for cell in cells)
        for change, *cells in row.findall(DOCS["CONTRIBUTING.md"])
    }
    # By hand, and written by python -m apps.reference.
    assert counts == {
        "a CSV-like reader": (4, 1),
        "a scalar with view and column": (4, 2),
        "a change-point rule": (3, 1),
    }


@each_document
def test_paths_exist(name):
    folder = (PROJECT / name).parent
    paths = [text for text in code(name) if PATH.fullmatch(text)]
    paths += REDIRECTED.findall("\n".join(text for text in code(name) if "cookbook" in text))
    missing = [p for p in paths if not ((folder / p).exists() or (PROJECT / p).exists())]
    assert missing == []


@each_document
def test_links_lead_somewhere(name):
    dead = []
    for link in LINK.findall(DOCS[name]):
        path, _, anchor = link.partition("#")
        target = (PROJECT / name).parent / path if path else PROJECT / name
        if not target.exists():
            dead.append(link)
        elif anchor:
            headings = HEADING.findall(target.read_text(encoding="utf-8"))
            anchors = {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}
            if anchor not in anchors:
                dead.append(link)
    assert dead == []


@each_document
def test_commands_and_options_exist(name):
    known = commands()
    unknown = []
    for text in code(name):
        for found in COMMAND.findall(text):
            words = re.sub(r"^ --(?:db|as-of) \S+", "", found).split()
            command = ""
            while words and f"{command} {words[0]}".strip() in known:
                command = f"{command} {words.pop(0)}".strip()
            options = {
                option
                for one in (known[""], known[command])
                for parameter in one.params
                for option in (*parameter.opts, *parameter.secondary_opts)
            } | {"--help"}
            asked = [word for word in words if OPTION.fullmatch(word)]
            known_word = command or not words or words[0] in ("COMMAND", "--help", "--version")
            if not known_word or not set(asked) <= options:
                unknown.append(text)
    assert unknown == []


@each_document
def test_modules_that_are_to_be_run_exist(name):
    missing = [module for module in MODULE.findall(DOCS[name]) if find_spec(module) is None]
    assert missing == []


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("ingest/base.py", "class Reader"),
        ("apps/queries/base.py", "def ask"),
        ("apps/commands/runs.py", "def sources"),
        ("apps/pages/ingest.py", "def page"),
        ("tests/helpers/support.py", "def given"),
    ],
)
def test_examples_of_contributing_are_where_it_looks_for_them(file, name):
    assert f"{name}(" in (PROJECT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in DOCS if "README.md" in name or "docs/" in name])
def test_names_in_the_schema_exist(name, warehouse):
    known = {
        name
        for (name,) in rows(
            warehouse,
            """
            SELECT table_name FROM duckdb_tables()
            UNION ALL SELECT view_name FROM duckdb_views()
            UNION ALL SELECT column_name FROM duckdb_columns()
            UNION ALL SELECT function_name FROM duckdb_functions()
            """,
        )
    }
    own_text, _, _ = DOCS[name].partition(BEGIN)
    assert set(SQL_NAME.findall(own_text)) <= known


def test_picture_of_the_schema_has_only_what_exists_and_every_landing_table(warehouse):
    boxes, joins = picture()
    found = rows(
        warehouse,
        "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal",
    )
    shown = {(table, column) for table, columns in boxes.items() for column in columns}
    assert shown <= set(found)
    assert set(landing()) <= set(boxes)
    for one, many, on in joins:
        for pair in on.split(", "):
            left, _, right = pair.partition(" = ")
            assert left in boxes[one] and (right or left) in boxes[many], (one, many, on)
    # nothing is left unconnected
    assert {table for one, many, _ in joins for table in (one, many)} == set(boxes)


def test_why_a_macro_is_computed_when_asked_is_stated(warehouse):
    begin = DOCS["sql/README.md"].index("| macros | computed when asked")
    table = DOCS["sql/README.md"][begin:].partition("\n\n")[0]
    stated = {name for line in table.splitlines() for name in CODE.findall(line.split("|")[1])}
    assert {name for name, _ in stated} == set(calling_functions(warehouse))


def test_no_temporary_table_is_public(warehouse):
    before = schema_objects(warehouse).fetchall()
    names = [name for _, name, *_ in before]
    assert len(names) == len(set(names))
    temporary = "SELECT table_name FROM duckdb_tables() WHERE temporary"
    assert not {name for (name,) in rows(warehouse, temporary)} & set(names)
    # what shadows a table for one question is not listed a second time
    warehouse.execute("CREATE TEMP TABLE runs AS FROM runs; CREATE TEMP TABLE scratch (n INTEGER)")
    assert schema_objects(warehouse).fetchall() == before


def test_constants_are_listed_with_what_is_said_of_them():
    table = DOCS["udfs/README.md"]
    # Beside it, and on the lines above it.
    assert "| `SIGNIFICANCE` | `0.002` | probability of a false alarm in a whole series |" in table
    assert "| `FLOOR` | `0.003` | No class is less likely than this" in table
    # What is above one is not said of the next.
    assert table.count("No class is less likely than this") == 1
    # Below it; and each says why.
    assert "| `ROLLED` | `2` | How many of the last counts are predicted" in table
    assert "| - |" not in table
