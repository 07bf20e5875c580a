"""The reference in the README: commands, readers, views, tables and functions, from live objects.

python -m apps.reference            writes it into README.md
python -m apps.reference --check    exit code 1 where README.md differs
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import typer

import warehouse
from apps.cli import app
from apps.queries.schema import schema_objects
from ingest.readers import READERS
from udfs import UDFS, Udf

README = Path(__file__).resolve().parents[1] / "README.md"
BEGIN = "<!-- reference: written by python -m apps.reference -->"
END = "<!-- end of reference -->"


def reference() -> str:
    """Give the reference as Markdown."""
    con = warehouse.connect(":memory:")
    kinds: dict[str, list[tuple[str, str]]] = {}
    for kind, name, parameters, description in schema_objects(con).fetchall():
        shown = name if parameters is None else f"{name}({parameters})"
        kinds.setdefault(kind, []).append((shown, description or ""))
    parts = [
        "### Commands\n",
        _table(("command", "does"), _commands()),
        "### Readers\n",
        _table(
            ("reader", "reads", "typical files", "fills"),
            [(r.NAME, r.DESCRIPTION, _code(r.PATTERNS), _code(r.TABLES)) for r in READERS],
        ),
        "### Tables\n",
        _table(("table", "what"), kinds["table"]),
        "### Views\n",
        _table(("view", "what"), kinds["view"]),
    ]
    if macros := kinds.get("macro"):
        parts += ["### Table macros\n", _table(("macro", "what"), macros)]
    parts += [
        "### Functions\n",
        _table(("function", "gives", "what"), [_function(udf) for udf in UDFS if udf.public]),
    ]
    con.close()
    return "\n".join(parts)


def _commands() -> list[tuple[str, str]]:
    command = typer.main.get_command(app)
    return [
        (f"`pwh {name}`", (sub.help or "").split("\n", 1)[0])
        for name, sub in command.commands.items()  # type: ignore[attr-defined]
    ]


def _function(udf: Udf) -> tuple[str, str, str]:
    return f"`{udf.signature}`", f"`{udf.returns}`", udf.description


def _code(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" if name.isidentifier() or "*" in name else name for name in names)


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    for row in rows:
        lines.append("| " + " | ".join(text.replace("|", "\\|") for text in row) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the reference, or check that it is current."""
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    wanted = f"{before}{BEGIN}\n\n{reference()}\n{END}{after}"
    if "--check" not in sys.argv[1:]:
        README.write_text(wanted, encoding="utf-8")
    elif text != wanted:
        sys.exit("README.md is not current; run: python -m apps.reference")


if __name__ == "__main__":
    main()
