"""Views: modules in sql/views, created in the order of their `-- requires:` headers."""

import csv
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from udfs import UDFS
from warehouse import sqlfiles
from warehouse.errors import WarehouseOutdated
from warehouse.lake.attach import is_lake
from warehouse.messages import migrate_hint
from warehouse.session import Connection
from warehouse.transactions import in_file
from warehouse.version import __version__

_REQUIRES = re.compile(r"^-- requires:[ \t]*(.*)$", re.MULTILINE)
_COMMENT = re.compile(
    r"^COMMENT ON (?:COLUMN|VIEW|MACRO TABLE|MACRO) ([^' ]+) IS '((?:[^']|'')*)';",
    re.MULTILINE,
)
_CREATES = re.compile(r"^CREATE OR REPLACE (VIEW|MACRO) (\w+)", re.MULTILINE)
_OF_TABLES = re.compile(r"^CREATE OR REPLACE MACRO (\w+)\([^)]*\) AS TABLE\b", re.MULTILINE)
_LAST_NAME = re.compile(r'"?(\w+)"?,?$')
_DEFINES = re.compile(r"^CREATE OR REPLACE (?:VIEW|MACRO) (\w+)(.*?);$", re.MULTILINE | re.DOTALL)
_REMARK = re.compile(r"(?:^| )-- .*$", re.MULTILINE)
_COLUMNS = sqlfiles.SQL / "column_comments.csv"
# What SQL as DuckDB writes it reads or calls; a column may have the name of a view.
_USED = re.compile(r"""\b(?:FROM|JOIN)\s+[(\s]*"?(\w+)|\b(\w+)\s*\(""")


@dataclass(frozen=True, slots=True)
class Module:
    """One file of views: its name, the modules it requires, its text and what it creates."""

    name: str
    requires: tuple[str, ...]
    text: str

    @property
    def sha256(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def creates(self, kind: str) -> list[str]:
        """Return the names of the module's objects of a kind, VIEW or MACRO."""
        return [name for found, name in _CREATES.findall(self.text) if found == kind]

    def comments(self) -> dict[str, str]:
        """Return the comments on its views, macros and columns (`view.column`).

        They follow what they are on, behind `--` on the line where a view or a macro begins, and
        where a column gets its name; those of columns without such a line are in COMMENT ON.
        """
        found: dict[str, str] = {}
        view = ""
        for line in self.text.splitlines():
            code, _, text = line.partition(" -- ")
            if made := _CREATES.match(code):
                view = made[2]
                found |= {view: text} if text else {}
            elif text and (column := _LAST_NAME.search(code)):
                found[f"{view}.{column[1]}"] = text
        written = _COMMENT.findall(self.text)
        return found | {name.replace('"', ""): one.replace("''", "'") for name, one in written}


def parse(path: Path) -> Module:
    """Read a module; its header lists required modules separated by commas or spaces."""
    text = path.read_text(encoding="utf-8")
    header = _REQUIRES.search(text)
    requires = tuple(re.findall(r"\w+", header.group(1))) if header else ()
    return Module(path.stem, requires, text)


def ordered(modules: tuple[Module, ...] | None = None) -> tuple[Module, ...]:
    """Return all modules so that each comes after those it requires.

    Raises ValueError where a header names an unknown module, or where modules require each other.
    """
    if modules is None:
        modules = tuple(parse(path) for path in sqlfiles.files("views"))
    by_name = {module.name: module for module in modules}
    for module in modules:
        if unknown := set(module.requires) - set(by_name):
            raise ValueError(
                f"sql/views/{module.name}.sql requires {unknown}, which does not exist"
            )
    try:
        order = TopologicalSorter({m.name: m.requires for m in modules}).static_order()
        return tuple(by_name[name] for name in order)
    except CycleError as error:
        raise ValueError(f"modules of sql/views require each other: {error.args[1]}") from None


def with_required(*names: str) -> tuple[Module, ...]:
    """Return modules, each after those that it requires."""
    every = ordered()
    by_name = {module.name: module for module in every}
    needed, left = set(), [*names]
    while left:
        needed.add(one := left.pop())
        left += by_name[one].requires
    return tuple(module for module in every if module.name in needed)


def stale(con: Connection) -> bool:
    """Return whether the views in the database differ from those of this pwh."""
    known = dict(con.execute("SELECT name, sha256 FROM view_modules").fetchall())
    return known != digests()


@cache
def digests() -> dict[str, str]:
    """Return the SHA-256 of this pwh's modules by name, each with that of shared comments."""
    shared = _COLUMNS.read_text(encoding="utf-8")
    return {
        module.name: hashlib.sha256(f"{module.text}{shared}".encode()).hexdigest()
        for module in ordered()
    }


@cache
def column_comments() -> dict[str, str]:
    """Return by the name of a column what it means in all views that state nothing else of it."""
    with _COLUMNS.open(newline="", encoding="utf-8") as file:
        return {row["column"]: row["comment"] for row in csv.DictReader(file)}


@cache
def definitions() -> dict[str, str]:
    """Return the SQL of this pwh's views and macros by name."""
    return {name: sql for module in ordered() for name, sql in _DEFINES.findall(module.text)}


def comments() -> dict[str, str]:
    """Return the comments on views, macros and columns (`view.column`) of this pwh's modules.

    Those of columns in all views are under `.column`. They are also in the database, except in a
    lake, which has none on macros and columns of views.
    """
    shared = {f".{column}": text for column, text in column_comments().items()}
    return shared | {name: text for one in ordered() for name, text in one.comments().items()}


def check(con: Connection, path: str) -> None:
    """Raise where the views in the database differ from those of this pwh."""
    if stale(con):
        raise WarehouseOutdated(
            f"another version of pwh created the views of {path}",
            hint=migrate_hint(path),
        )


def refresh(con: Connection) -> bool:
    """Create the views again where they differ from this pwh's; return whether they did."""
    if not stale(con):
        return False
    with in_file(con):
        drop_all(con)
        create(con, ordered())
        for module in ordered():
            con.execute(
                "INSERT INTO view_modules VALUES (?, ?, ?, ?, ?)",
                [
                    module.name,
                    digests()[module.name],
                    module.creates("VIEW"),
                    module.creates("MACRO"),
                    __version__,
                ],
            )
    return True


def create(con: Connection, modules: Iterable[Module]) -> None:
    """Create the views and macros of modules, of which each comes after those it requires.

    DuckDB binds what it creates with all views below it. An empty table of each view's name takes
    the place of these meanwhile, which is a third of the work.
    """
    in_lake = is_lake(con)
    texts = (_REMARK.sub("", sql) for sql in definitions().values())
    used = {word for text in texts for word in re.findall(r"\w+", text)}
    comments = []
    tables = []
    for module in modules:
        comments += _comments(module, in_lake)
        for statement in con.extract_statements(module.text):
            created = _CREATES.search(statement.query)
            if created is None:
                continue
            con.execute(statement)
            kind, name = created.groups()
            if kind == "VIEW" and name in used:
                # The names come from pwh's own files, by a pattern that matches only \w.
                con.execute(f"CREATE TEMP TABLE {name} AS FROM {name} WITH NO DATA")
                tables.append(name)
    for name in tables:
        con.execute(f"DROP TABLE temp.main.{name}")
    # What has a table of its name in front of it cannot be commented on.
    con.execute(";".join(comments))
    if not in_lake:
        views = [name for module in modules for name in module.creates("VIEW")]
        _comment_columns(con, views)


def _comments(module: Module, in_lake: bool) -> list[str]:
    """Return statements that comment on what a module creates; a lake takes those of views only."""
    kinds = dict.fromkeys(module.creates("MACRO"), "MACRO")
    kinds |= dict.fromkeys(_OF_TABLES.findall(module.text), "MACRO TABLE")
    kinds |= dict.fromkeys(module.creates("VIEW"), "VIEW")
    statements = []
    for name, text in module.comments().items():
        view, _, column = name.partition(".")
        kind = "COLUMN" if column else kinds[view]
        if not in_lake or kind == "VIEW":
            on = f"{view}.{sqlfiles.identifier(column)}" if column else view
            statements.append(f"COMMENT ON {kind} {on} IS {sqlfiles.literal(text)}")
    return statements


def _comment_columns(con: Connection, views: list[str]) -> None:
    """Comment on the columns of views that have no comment of their own."""
    shared = column_comments()
    sql = sqlfiles.read("queries/schema/uncommented")
    for view, column in con.execute(sql, {"views": views, "columns": list(shared)}).fetchall():
        text = sqlfiles.literal(shared[column])
        con.execute(f"COMMENT ON COLUMN {view}.{sqlfiles.identifier(column)} IS {text}")


def calling_functions(con: Connection) -> list[str]:
    """Return the public table macros that call functions of pwh; no view does.

    A client of DuckDB that has not registered these cannot read them.
    """
    defined = con.execute(sqlfiles.read("queries/schema/definitions")).fetchall()
    words = {
        name: {one for pair in _USED.findall(text) for one in pair} for _, name, text, _ in defined
    }
    calling: set[str] = set()
    reached = {udf.name for udf in UDFS}
    while reached:
        calling |= reached
        reached = {name for name, used in words.items() if used & calling} - calling
    return sorted(name for _, name, *_ in defined if name in calling and not name.startswith("_"))


def drop_all(con: Connection) -> None:
    """Drop only what earlier modules created: users may have views of their own."""
    for views, macros in con.execute("SELECT views, macros FROM view_modules").fetchall():
        # The names come from pwh's own files, by a pattern that matches only \w.
        for view in views:
            con.execute(f"DROP VIEW IF EXISTS {view}")
        for macro in macros:
            con.execute(f"DROP MACRO TABLE IF EXISTS {macro}")
    con.execute("DELETE FROM view_modules")
