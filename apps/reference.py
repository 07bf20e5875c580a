"""The generated references next to what they describe: commands, readers, schema, cookbook.

python -m apps.reference            write them into the README.md of apps, ingest and sql, and the
                                    columns of the landing tables and the revisions of analyses
                                    into files of sql
python -m apps.reference --check    exit code 1 where one of them differs
"""

from __future__ import annotations

import ast
import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import typer

import warehouse
from apps.cli import app
from apps.queries.schema import cookbook, schema_objects
from ingest.readers import READERS
from udfs import UDFS
from udfs.udf import Udf
from warehouse import analyses, sqlfiles
from warehouse.catalog import LISTING
from warehouse.modules import calling_functions
from warehouse.session import Connection

ROOT = Path(__file__).resolve().parents[1]
BEGIN = "<!-- reference: written by python -m apps.reference -->"
END = "<!-- end of reference -->"
# An option that so many commands have in the same words is described once.
_COMMON = 4


class Join(NamedTuple):
    """How two tables of a run are joined: one row of the first, many of the second."""

    one: str
    many: str
    on: str


# The columns by which rows are found, and those that are measured; types are taken from the
# warehouse.
PICTURE = {
    "runs": "run_id app version machine started_at problem_size wall_seconds",
    "sources": "source_id path reader rows",
    "run_facts": "run_id source_id stated_by",
    "run_scalars": "run_id metric value unit",
    "run_groups": "run_id app configuration_id set_id",
    "app_versions": "app version version_order",
    "series": "series_id app metric unit points state level",
    "change_points": "series_id run_id before after p_value",
    "change_explanations": "change_id run_id",
    "scaling_sets": "set_id app version machine",
    "scaling_models": "set_id function formula",
    "pmu_samples": "run_id rank thread region sample event value",
    "fn_timings": "run_id function callpath parallelism rank repetition seconds calls",
    "nodes": "run_id node clock_offset_ns",
    "workers": "run_id worker node t_begin t_end",
    "runtime_intervals": "run_id worker t_start t_end total_ns",
    "idle_intervals": "run_id worker t_start t_end task starvation latency overhead",
    "idle_latency": "run_id worker t_start t_end",
    "idle_segments": "run_id worker t_start t_end class",
    "tasks": "run_id task worker name t_start t_end",
    "gpu_gaps": "run_id device stream t_start t_end task late",
    "gpu_late": "run_id device doing name idle_ns",
    "task_data": "run_id data producer node bytes",
    "task_inputs": "run_id task data",
    "transfers": "run_id data from_node to_node t_send t_recv bytes",
    "bb_launches": "run_id launch kernel instructions",
    "bb_blocks": "run_id kernel bb size barriers function",
    "bb_visits": "run_id launch kernel block thread bb visits instructions",
    "bb_edges": "run_id launch kernel thread src dst count",
    "bb_opcodes": "run_id launch kernel bb opcode count",
    "bb_dependences": "run_id launch kernel bb distance count",
    "segments": "run_id thread segment cycles instructions hex",
    "segment_features": "run_id thread segment cycles features",
    "metrics": "run_id metric repetition value unit better",
}
JOINS = (
    Join("sources", "run_facts", "source_id"),
    Join("runs", "run_facts", "run_id"),
    Join("runs", "run_scalars", "run_id"),
    Join("runs", "run_groups", "run_id"),
    Join("app_versions", "runs", "app, version"),
    Join("run_groups", "series", "app"),
    Join("series", "change_points", "series_id"),
    Join("runs", "change_explanations", "run_id"),
    Join("scaling_sets", "run_groups", "set_id"),
    Join("scaling_sets", "scaling_models", "set_id"),
    Join("runs", "pmu_samples", "run_id"),
    Join("runs", "fn_timings", "run_id"),
    Join("runs", "nodes", "run_id"),
    Join("nodes", "workers", "node"),
    Join("workers", "idle_intervals", "worker"),
    Join("idle_intervals", "idle_latency", "worker"),
    Join("idle_intervals", "idle_segments", "worker"),
    Join("workers", "tasks", "worker"),
    Join("workers", "runtime_intervals", "worker"),
    Join("tasks", "task_data", "task = producer"),
    Join("tasks", "task_inputs", "task"),
    Join("tasks", "gpu_gaps", "task"),
    Join("gpu_gaps", "gpu_late", "device"),
    Join("task_data", "task_inputs", "data"),
    Join("task_data", "transfers", "data"),
    Join("runs", "bb_launches", "run_id"),
    Join("bb_launches", "bb_visits", "launch"),
    Join("bb_launches", "bb_edges", "launch"),
    Join("bb_launches", "bb_opcodes", "launch"),
    Join("bb_launches", "bb_dependences", "launch"),
    Join("bb_blocks", "bb_visits", "kernel, bb"),
    Join("runs", "bb_blocks", "run_id"),
    Join("runs", "segments", "run_id"),
    Join("segments", "segment_features", "thread, segment"),
    Join("runs", "metrics", "run_id"),
)


def commands_reference() -> str:
    """Return all commands with their arguments and options, as Markdown."""
    root = typer.main.get_command(app)
    commands = list(_commands("pwh", root))
    uses = Counter(option for _, command in commands for option in _parameters(command))
    common = [
        option for option, times in uses.items() if times >= _COMMON and option[0].startswith("-")
    ]
    parts = [
        "## Commands\n",
        f"{root.epilog}\n",
        _table(
            ("command", "does"),
            [(f"[`{name}`](#{name.replace(' ', '-')})", _help(one)) for name, one in commands],
        ),
        "Options before the command, and options that several commands have:\n",
        _options([*_parameters(root), *common]),
    ]
    for name, command in commands:
        context = command.context_class(command, info_name=name)
        usage = " ".join([name, *command.collect_usage_pieces(context)])
        own = [option for option in _parameters(command) if option not in common]
        also = [_names(option) for option in _parameters(command) if option in common]
        parts += [f"### {name}\n", f"{_help(command)}\n", f"    {usage}\n"]
        if own:
            parts.append(_options(own))
        if also:
            parts.append(f"Also: {', '.join(also)}.\n")
    return "\n".join(parts)


def readers_reference() -> str:
    """Return the readers in the order in which they are tried, as Markdown."""
    return "## Readers\n\nIn the order in which they are tried:\n\n" + _table(
        ("reader", "reads", "typical files", "fills"),
        [(r.NAME, r.DESCRIPTION, _code(r.PATTERNS), _code(r.TABLES)) for r in READERS],
    )


def schema_reference() -> str:
    """Return the schema as a picture and as lists, and the cookbook's questions, as Markdown."""
    con = warehouse.connect(":memory:")
    kinds: dict[str, list[tuple[str, str, str]]] = {}
    for kind, name, parameters, description in schema_objects(con).fetchall():
        shown = name if parameters is None else f"{name}({parameters})"
        kinds.setdefault(kind, []).append((name, f"`{shown}`", description or ""))
    listed = {kind: [row[1:] for row in rows] for kind, rows in kinds.items()}
    parts = [
        "## The schema in a picture\n",
        "Tables that files land in, and what is stored of them: scalars, and the answers of "
        "analyses; the columns by which rows are found, and some that are measured. A join of two "
        "that have `run_id` includes it. What landed, and what is derived of it, has the "
        "`source_id` of its file.\n",
        f"```mermaid\n{schema_picture(con)}```\n",
        "## Tables\n",
        _table(("table", "what"), listed["table"]),
        "## Views\n",
        _table(("view", "what"), listed["view"]),
        "## Macros\n",
        _table(("macro", "what"), listed["macro"]),
        "## Functions\n",
        _table(("function", "returns", "what"), [_function(udf) for udf in UDFS if udf.public]),
        "## Without pwh's functions\n",
        "A DuckDB client that has not registered pwh's functions reads all tables and views, and "
        "all macros but these ([why](#what-the-warehouse-contains-and-answers)); pwh and `pwh "
        "serve` do:\n",
        _code(tuple(calling_functions(con))) + ".\n",
        "## Cookbook\n",
        _table(
            ("question", "query"),
            [(question, f"[{name}](cookbook/{name}.sql)") for name, question, _ in cookbook()],
        ),
    ]
    con.close()
    return "\n".join(parts)


def schema_picture(con: Connection) -> str:
    """Return the tables of PICTURE and the JOINS between them as a Mermaid diagram."""
    types: dict[tuple[str, str], str] = {
        (table, column): kind.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")
        for table, column, kind in con.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
    }
    lines = ["erDiagram"]
    for table, columns in PICTURE.items():
        lines.append(f"  {table} {{")
        lines += [f"    {types[table, column]} {column}" for column in columns.split()]
        lines.append("  }")
    lines += [f'  {join.one} ||--o{{ {join.many} : "{join.on}"' for join in JOINS]
    return "\n".join(lines) + "\n"


def landing_columns() -> str:
    """Return the columns of the landing tables as CSV."""
    text = io.StringIO()
    with warehouse.connect(":memory:") as con:
        query = sqlfiles.read("queries/schema/landing_columns")
        columns = con.sql(query, params={"analyses": list(analyses.ORDER)})
        rows = csv.writer(text, lineterminator="\n")
        rows.writerows([columns.columns, *columns.fetchall()])
    return text.getvalue()


def analysis_revisions() -> str:
    """Return the revisions of the analyses as CSV."""
    rows = [f"{one.name},{one.computed_revision()}\n" for one in analyses.every()]
    return "".join(["analysis,revision\n", *rows])


# A line that gives names to numbers alone, with what is said of them behind it.
_CONSTANT = re.compile(r"(?=.*\d)[-\d.e_*/+<(), \n]+", re.DOTALL)


def constants_reference() -> str:
    """Return the numbers that functions stand on, a table a family of `udfs`, as Markdown."""
    rows: dict[str, list[tuple[str, ...]]] = {}
    for path in sorted((ROOT / "udfs").rglob("*.py")):
        module = path.relative_to(ROOT / "udfs").with_suffix("")
        family = rows.setdefault(module.parts[0] if len(module.parts) > 1 else "others", [])
        for name, value, why in _constants(path.read_text(encoding="utf-8")):
            family.append((f"`{name}`", f"`{value}`", why, f"`udfs/{module}.py`"))
    header = ("constant", "value", "what and why", "module")
    return "\n".join(
        f"## {family.capitalize()}\n\n{_table(header, found)}"
        for family, found in sorted(rows.items())
        if found
    )


def _constants(source: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, value and reason of each number, or numbers, that a module begins with.

    The reason is the comment behind, the text below or the comment above.
    """
    lines, body = source.splitlines(), ast.parse(source).body
    for node, below in zip_longest(body, body[1:]):
        match node:
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=target, value=ast.expr() as value)
            ):
                name = ast.unparse(target).strip("()")
                text = ast.get_source_segment(source, value) or ""
            case _:
                continue
        if not re.fullmatch(r"_?[A-Z][A-Z0-9_]*(, _?[A-Z][A-Z0-9_]*)*", name):
            continue
        if not _CONSTANT.fullmatch(text):
            continue
        behind = lines[(node.end_lineno or node.lineno) - 1].partition("  # ")[2]
        above = takewhile(lambda line: line.startswith("# "), lines[node.lineno - 2 :: -1])
        match below:
            case ast.Expr(value=ast.Constant(value=str() as said)):
                why = " ".join(said.split())
            case _:
                why = " ".join(line[2:] for line in reversed([*above]))
        yield name, text, behind or why or "-"


DOCUMENTS: dict[Path, Callable[[], str]] = {
    ROOT / "apps" / "README.md": commands_reference,
    ROOT / "ingest" / "README.md": readers_reference,
    ROOT / "sql" / "README.md": schema_reference,
    ROOT / "udfs" / "README.md": constants_reference,
    LISTING: landing_columns,
    analyses.LISTING: analysis_revisions,
}


def current_text(path: Path) -> str:
    """Return what a file of DOCUMENTS should contain; a README has a text of its own around it."""
    if path.suffix != ".md":
        return DOCUMENTS[path]()
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{DOCUMENTS[path]()}\n{END}{after}"


def _commands(name: str, group: Any) -> Iterator[tuple[str, Any]]:
    for word, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(f"{name} {word}", command)
        else:
            yield f"{name} {word}", command


def _parameters(command: Any) -> list[tuple[str, str]]:
    """Return the arguments and options of a command, without --help: how written, and what for.

    Hidden ones have no record.
    """
    context = command.context_class(command)
    records = [one.get_help_record(context) for one in command.params if one.name != "help"]
    return [(written, text) for written, text in filter(None, records)]


def _names(option: tuple[str, str]) -> str:
    names, _, _ = option[0].partition(" <")
    return f"`{names}`"


def _help(command: Any) -> str:
    return " ".join((command.help or "").split())


def _options(options: Sequence[tuple[str, str]]) -> str:
    return _table(
        ("argument or option", "what"), [(f"`{name}`", " ".join(t.split())) for name, t in options]
    )


def _function(udf: Udf) -> tuple[str, str, str]:
    example = f" Example: `{udf.example}`" if udf.example else ""
    return f"`{udf.signature}`", f"`{udf.returns}`", udf.description + example


def _code(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" if name.isidentifier() or "*" in name else name for name in names)


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    for row in rows:
        lines.append("| " + " | ".join(text.replace("|", "\\|") for text in row) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the references, or check that they are current."""
    for path in DOCUMENTS:
        wanted = current_text(path)
        if "--check" not in sys.argv[1:]:
            path.write_text(wanted, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != wanted:
            sys.exit(f"{path} is not current; run: python -m apps.reference")


if __name__ == "__main__":
    main()
