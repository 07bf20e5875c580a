"""Tables: applies sql/migrations in order; each change and its record are one transaction."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb

from warehouse import modules, sqlfiles
from warehouse.damage import RESTORE
from warehouse.errors import (
    NotAWarehouse,
    WarehouseDamaged,
    WarehouseError,
    WarehouseOutdated,
    WarehouseTooNew,
)
from warehouse.lake.attach import is_lake
from warehouse.messages import LAND_AGAIN, migrate_hint
from warehouse.session import Connection
from warehouse.transactions import in_file
from warehouse.version import __version__

_NAME = re.compile(r"\d{4}_\w+")
_TABLE = re.compile(r"CREATE TABLE (\w+) \( -- (.+)")
_COLUMN = re.compile(r"    (\"?\w+\"?) .*? -- (.+)")
_DIGITS = 4
_NOT_IN_LAKES = (
    (re.compile(r"\s+USING COMPRESSION \w+"), ""),
    (re.compile(r"\bENUM\s*\([^)]*\)"), "VARCHAR"),
    (re.compile(r"\bALTER TABLE \w+ ADD PRIMARY KEY\s*\([^)]*\);"), ""),
    (re.compile(r",\s*PRIMARY KEY\s*\([^)]*\)"), ""),
    (re.compile(r"\s+PRIMARY KEY\b"), ""),
    (re.compile(r"\s+ON CONFLICT DO NOTHING\b"), ""),
    # a check, with parentheses within parentheses and text
    (
        re.compile(
            r"\s+CHECK\s*\((?:[^()']|'[^']*'|\((?:[^()']|'[^']*'|\((?:[^()']|'[^']*')*\))*\))*\)"
        ),
        "",
    ),
)


def names() -> tuple[str, ...]:
    """Return the names of all migrations this pwh knows, in order."""
    return tuple(path.stem for path in sqlfiles.files("migrations"))


def statements(path: Path) -> str:
    """Return the SQL of a migration, with the comments that follow tables and columns there."""
    text = path.read_text(encoding="utf-8")
    comments, table = [], ""
    for line in text.splitlines():
        if found := _TABLE.match(line):
            table = found[1]
            comments.append(f"COMMENT ON TABLE {table} IS {sqlfiles.literal(found[2])};")
        elif found := _COLUMN.match(line):
            comment = sqlfiles.literal(found[2])
            comments.append(f"COMMENT ON COLUMN {table}.{found[1]} IS {comment};")
    return "\n".join((text, *comments))


def applied(con: Connection) -> tuple[str, ...] | None:
    """Return the names of the applied migrations; None where the database is not a warehouse."""
    try:
        rows = con.execute(
            "SELECT name FROM (SELECT name, applied_at, pwh_version FROM migrations) ORDER BY name"
        ).fetchall()
    except (duckdb.BinderException, duckdb.CatalogException):
        # No such table, or that of another program.
        return None
    return tuple(name for (name,) in rows)


def migrate(con: Connection) -> tuple[str, ...]:
    """Apply what is missing, in a file each migration in its own transaction; return what was."""
    con.execute(sqlfiles.read("bookkeeping"))
    done = applied(con) or ()
    missing = [path for path in sqlfiles.files("migrations") if path.stem not in done]
    if done and missing:
        # Views of older versions can have names that tables have now; they are made again anyway.
        with in_file(con):
            modules.drop_all(con)
    for path in missing:
        text = statements(path)
        with in_file(con):
            con.execute(_without_unsupported(text) if is_lake(con) else text)
            con.execute("INSERT INTO migrations VALUES (?, now(), ?)", [path.stem, __version__])
    return tuple(path.stem for path in missing)


def check(con: Connection, path: str) -> None:
    """Raise unless the database has exactly the migrations that this pwh knows."""
    done = applied(con)
    if done is None:
        raise NotAWarehouse(
            f"{path} is a DuckDB file, but not a pwh warehouse",
            hint="Name another file with --db; pwh creates a missing one.",
        )
    if not all(_NAME.fullmatch(str(name)) for name in done):
        # Another block of the file is where theirs should be.
        raise WarehouseDamaged(f"the list of migrations in {path} is damaged", hint=RESTORE)
    known = names()
    if unknown := [name for name in done if name not in known]:
        # Each release has the migrations of those before it, under the same names.
        if min(unknown)[:_DIGITS] <= known[-1][:_DIGITS]:
            raise WarehouseError(
                f"{path} was written by a development version of pwh, whose tables no release has "
                f"(it has {unknown[0]})",
                hint=LAND_AGAIN,
            )
        raise WarehouseTooNew(
            f"{path} was written by a newer pwh (it has {', '.join(unknown)})",
            hint=f"Update pwh; this is {__version__}.",
        )
    if set(known) - set(done):
        raise WarehouseOutdated(f"{path} was written by an older pwh", hint=migrate_hint(path))


def _without_unsupported(sql: str) -> str:
    """Return statements that define tables, without what DuckLake has not."""
    for pattern, replacement in _NOT_IN_LAKES:
        sql = pattern.sub(replacement, sql)
    return sql
