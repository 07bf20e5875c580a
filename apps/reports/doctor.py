"""Checks of the installation and the warehouse, for `pwh doctor`."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Literal

from apps.output.progress import watched
from apps.reports.freshness import REFRESH, changed_runs, failed_answers
from ingest.analyse import outdated_keys
from ingest.scalars import differing_scalars
from warehouse import integrity, migrations, modules, revision, sqlfiles
from warehouse.address import Address, Served
from warehouse.connection import open_unchecked
from warehouse.damage import RESTORE, damage
from warehouse.errors import PwhError, UsageError, WarehouseMissing
from warehouse.session import Connection
from warehouse.version import __version__


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    check: str
    status: Literal["fine", "outdated", "wrong", "absent"]
    detail: str


def examine(db: Address) -> list[Finding]:
    """Return the findings on Python, the packages, and the warehouse."""
    findings = [Finding("pwh", "fine", f"{__version__} on Python {platform.python_version()}")]
    findings += [_package(name, optional) for name, optional in _packages().items()]
    return findings + _warehouse(db)


def _packages() -> dict[str, bool]:
    """Return the packages that pwh requires, and whether each is only for extras."""
    named: dict[str, bool] = {}
    for line in requires("pwh") or []:
        name = line.split(";")[0].split("[")[0]
        for mark in "<>=!~ ":
            name = name.split(mark)[0]
        if 'extra == "dev"' not in line and "extra == 'dev'" not in line:
            named[name] = named.get(name, True) and "extra ==" in line
    return named


def _package(name: str, optional: bool) -> Finding:
    try:
        return Finding(name, "fine", version(name))
    except PackageNotFoundError:
        if optional:
            return Finding(name, "absent", "only needed for an extra")
        return Finding(name, "wrong", f"not installed: pip install {name}")


def _warehouse(db: Address) -> list[Finding]:
    """Return the findings on the file and its contents, and the verdict on both."""
    if isinstance(db, Served) or (isinstance(db, Path) and not db.is_file()):
        return _judged(db, None)
    with closing(integrity.Reading(db)) as reading:
        if reading.crashes_when_opened:
            found = f"DuckDB crashes when it opens the file. {RESTORE}"
            return [Finding("warehouse", "wrong", found), Finding("verdict", "wrong", "not whole")]
        return _judged(db, reading)


def _judged(db: Address, reading: integrity.Reading | None) -> list[Finding]:
    """Return the findings on a warehouse, whose tables `reading` reads if there is one."""
    import duckdb

    findings: list[Finding] = []
    try:
        with closing(open_unchecked(db, read_only=True, wait=2.0)) as con:
            findings.extend(_checks(con, db, reading))
    except WarehouseMissing:
        hint = f"there is no warehouse at {db} yet; pwh ingest creates it"
        return [Finding("warehouse", "absent", hint)]
    except UsageError as error:
        # A token that only reads, which says nothing of the warehouse.
        detail = f"not checked: {error}".replace("\n", ";")
        return [*findings, Finding("verdict", "absent", detail)]
    except PwhError as error:
        findings.append(Finding("warehouse", "wrong", str(error).replace("\n", ";")))
    except duckdb.Error as error:
        found = damage(error)
        problem = str(error).split("\n", 1)[0] if found is None else found.problem
        findings.append(Finding("contents", "wrong", problem))
    wrong = [finding.check for finding in findings if finding.status == "wrong"]
    if wrong:
        return [*findings, Finding("verdict", "wrong", f"not whole: {', '.join(wrong)}")]
    if outdated := [finding.check for finding in findings if finding.status == "outdated"]:
        problem = f"the warehouse is whole; {', '.join(outdated)}: {REFRESH}"
        return [*findings, Finding("verdict", "outdated", problem)]
    return [*findings, Finding("verdict", "fine", "the warehouse is whole")]


def _checks(con: Connection, db: Address, reading: integrity.Reading | None) -> Iterator[Finding]:
    size = f", {db.stat().st_size:,} bytes" if isinstance(db, Path) else ""
    yield Finding("warehouse", "fine", f"{db}{size}")
    migrations.check(con, str(db))
    modules.check(con, str(db))
    revision.check(con, str(db))
    yield Finding("schema", "fine", f"{len(migrations.names())} migrations")
    problems: list[str] = []
    if reading is not None:
        problems = [problem for problem in watched(reading.tables(), "reading") if problem]
        yield _listed("tables that cannot be read", problems)
    else:
        yield Finding("tables that cannot be read", "absent", "only looked for in a file")
    if not problems:
        yield from _consistency(con)


def _consistency(con: Connection) -> Iterator[Finding]:
    """Yield the checks of rows against each other: of sources, runs and stored scalars."""
    for check, count in con.execute(sqlfiles.read("queries/maintenance/doctor")).fetchall():
        yield Finding(check, "wrong" if count else "fine", f"{count} found")
    unknown = con.execute(sqlfiles.read("queries/maintenance/unknown_runs")).fetchall()
    for check, is_known in (
        ("rows of runs that are not in runs", False),
        ("rows of runs that their files do not state", True),
    ):
        yield _listed(
            check,
            [
                f"{run} (in {', '.join(tables)})"
                for run, tables, known in unknown
                if known is is_known
            ],
        )
    # Nothing tells runs of no file from those that somebody wrote by hand.
    without = con.execute(sqlfiles.read("queries/maintenance/runs_without_file")).fetchall()
    found = _listed("runs of no file", [run_id for (run_id,) in without])
    why = " (written by hand, or left over: pwh forget RUN)" if without else ""
    yield replace(found, status="fine", detail=f"{found.detail}{why}")
    yield _listed(
        "sources with other rows than landed",
        [f"{path} ({now} of {then})" for path, then, now in integrity.incomplete_sources(con)],
    )
    yield _up_to_date("runs changed since they were computed", changed_runs(con))
    differing = watched(differing_scalars(con), "adding up scalars")
    yield _listed(
        "scalars other than their rows",
        [f"{metric} of {run}" for batch in differing for run, metric in batch],
    )
    yield _up_to_date(
        "outdated answers",
        [f"{name} ({number})" for name, number in outdated_keys(con, again=False).items()],
    )
    yield _up_to_date("answers that could not be computed", failed_answers(con))


def _up_to_date(check: str, found: list[str]) -> Finding:
    finding = _listed(check, found)
    return replace(finding, status="outdated") if found else finding


def _listed(check: str, found: list[str]) -> Finding:
    examples = f": {', '.join(found[:3])}" if found else ""
    return Finding(check, "wrong" if found else "fine", f"{len(found)} found{examples}")
