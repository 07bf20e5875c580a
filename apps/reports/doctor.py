"""Checks of the installation and the warehouse, for `pwh doctor`."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from warehouse import migrations, modules, sqlfiles
from warehouse.connection import open_unchecked
from warehouse.errors import PwhError, WarehouseMissing
from warehouse.version import __version__

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    check: str
    status: Literal["fine", "wrong", "absent"]
    detail: str


def examine(db: Path) -> list[Finding]:
    """Return the findings on Python, the packages, and the warehouse."""
    findings = [Finding("pwh", "fine", f"{__version__} on Python {platform.python_version()}")]
    findings += [_package(name, optional) for name, optional in _packages()]
    return findings + _warehouse(db)


def _packages() -> list[tuple[str, bool]]:
    """Return the packages that pwh requires, and whether each is only for an extra."""
    named = []
    for line in requires("pwh") or []:
        name = line.split(";")[0].split("[")[0]
        for mark in "<>=!~ ":
            name = name.split(mark)[0]
        if 'extra == "dev"' not in line and "extra == 'dev'" not in line:
            named.append((name, "extra ==" in line))
    return named


def _package(name: str, optional: bool) -> Finding:
    try:
        return Finding(name, "fine", version(name))
    except PackageNotFoundError:
        if optional:
            return Finding(name, "absent", "only needed for an extra")
        return Finding(name, "wrong", f"not installed: pip install {name}")


def _warehouse(db: Path) -> list[Finding]:
    try:
        con = open_unchecked(db, read_only=True, wait=2.0)
    except WarehouseMissing:
        return [
            Finding(
                "warehouse", "absent", f"there is no warehouse at {db} yet; pwh ingest creates it"
            )
        ]
    except PwhError as error:
        return [Finding("warehouse", "wrong", str(error).replace("\n", ";"))]
    try:
        findings = [Finding("warehouse", "fine", f"{db}, {db.stat().st_size} bytes")]
        try:
            migrations.check(con, str(db))
            modules.check(con, str(db))
        except PwhError as error:
            return [*findings, Finding("schema", "wrong", str(error).replace("\n", ";"))]
        findings.append(Finding("schema", "fine", f"{len(migrations.names())} migrations"))
        return findings + _contents(con)
    finally:
        con.close()


def _contents(con: DuckDBPyConnection) -> list[Finding]:
    """Return the checks of the rows, such as of each source's number of rows."""
    findings = []
    for check, found in con.execute(sqlfiles.read("queries/maintenance/doctor")).fetchall():
        findings.append(Finding(check, "wrong" if found else "fine", f"{found} found"))
    return findings
