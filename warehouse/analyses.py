"""Analyses: what functions compute, stored in tables that any client reads (sql/analyses).

A file is one analysis; its name is that of its table. Its header declares
  -- key: the column of the table that identifies what is analysed, and its type
  -- scope: run_id, set_id or app: what a key belongs to, by which it is found when files land
  -- needs: the analysis that has rows of every scope in which this one has any
  -- reads: the tables of whose changes the key's rows depend
  -- requires: the modules of sql/views whose views and macros it uses
  -- functions: the families of udfs that it calls
  -- together: scalars of the runs on both sides of the keys computed at once: more take much memory
  -- carries: what of its rows stays as it was: its second statement also reads all of them as they
     were stored, in the temporary table _before
and it has two statements, which read the temporary table _scope (scope):
  -- inputs: a row a key, with its scope, a digest of all that its rows are computed from, and
     whatever else the second statement needs
  -- rows: the rows of the table, of the keys in the temporary table _inputs
"""

from __future__ import annotations

import csv
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from warehouse import modules, sqlfiles
from warehouse.errors import WarehouseOutdated
from warehouse.messages import migrate_hint
from warehouse.session import Connection

ORDER = (
    *("run_groups", "app_versions", "_series_parts", "series", "_change_events"),
    *("worker_slowdown", "tasks_in_turn", "_task_graphs", "_lifecycle_sums"),
    *("_worker_sums", "_blame_sums", "_gpu_sums", "_rank_spread", "_thread_phases"),
    *("_vector_groups", "thread_behaviour", "_file_sets", "sample_metrics", "bottlenecks"),
    *("throughput_predictions", "throughput_effects", "scaling_sets", "scaling_series"),
    *("scaling_models", "scaling_surfaces", "program_times", "_forecasts"),
    *("program_turning_points", "speedup_laws", "program_models", "version_comparisons"),
    "change_explanations",
)
"""The analyses; each comes after those whose rows it reads, explanations after all others."""
_FIELD = re.compile(
    r"^-- (key|scope|needs|reads|requires|functions|together|carries):[ \t]*(.*(?:\n--   .*)*)$",
    re.MULTILINE,
)
_IMPORTS = re.compile(r"^\s*from udfs\.([\w.]+) import", re.MULTILINE)
# Written by python -m apps.reference: to compute them takes as long as a small query.
LISTING = sqlfiles.SQL / "analysis_revisions.csv"
_UDFS = Path(__file__).resolve().parents[1] / "udfs"


@dataclass(frozen=True, slots=True)
class Analysis:
    """One file of sql/analyses; `name` is that of the table."""

    name: str
    key: str
    key_type: str
    scope: str
    needs: str | None
    reads: frozenset[str]
    requires: tuple[str, ...]
    functions: tuple[str, ...]
    together: int | None
    carries: bool
    inputs: str
    rows: str

    def computed_revision(self) -> str:
        """Return a digest of the SQL and the functions by which rows are computed.

        Also of those by which the rows of other analyses are computed that these are made of.
        """
        texts = [self.inputs, self.rows]
        texts += [module.sha256 for module in modules.with_required(*self.requires)]
        texts += [file.read_text(encoding="utf-8") for file in _sources(self.functions)]
        texts += [one.computed_revision() for one in every() if one.name in self.reads]
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


@cache
def every() -> tuple[Analysis, ...]:
    """Return all analyses, each after those whose rows it reads."""
    return tuple(_parse(name) for name in ORDER)


def _parse(name: str) -> Analysis:
    text = sqlfiles.read(f"analyses/{name}")
    head, _, rest = text.partition("\n-- inputs\n")
    inputs, _, rows = rest.partition("\n-- rows\n")
    fields = dict(_FIELD.findall(head))
    key, _, key_type = fields["key"].partition(" ")
    words = {field: tuple(re.findall(r"[\w.]+", value)) for field, value in fields.items()}
    return Analysis(
        name=name,
        key=key,
        key_type=key_type,
        scope=fields["scope"],
        needs=fields.get("needs"),
        reads=frozenset(words["reads"]),
        requires=words.get("requires", ()),
        functions=words.get("functions", ()),
        together=int(fields["together"]) if "together" in fields else None,
        carries="carries" in fields,
        inputs=inputs.strip().removesuffix(";"),
        rows=rows.strip().removesuffix(";"),
    )


def _sources(families: tuple[str, ...]) -> list[Path]:
    """Return the files of families of functions, and of what these import of others."""
    found: set[Path] = set()
    left = list(families)
    while left:
        path = _UDFS.joinpath(*left.pop().split("."))
        files = path.glob("*.py") if path.is_dir() else [path.with_suffix(".py")]
        for file in set(files) - found:
            found.add(file)
            left += _IMPORTS.findall(file.read_text(encoding="utf-8"))
    return sorted(found)


@cache
def revisions() -> dict[str, str]:
    """Return the revision of each analysis of this pwh, by name."""
    with LISTING.open(encoding="utf-8", newline="") as file:
        return {row["analysis"]: row["revision"] for row in csv.DictReader(file)}


def stored_revisions(con: Connection) -> dict[str, str]:
    """Return the revisions by which the stored rows were computed, by analysis."""
    return dict(con.execute("SELECT analysis, revision FROM analyses").fetchall())


def begin(con: Connection) -> None:
    """Note in a warehouse without runs that nothing is outdated."""
    if con.execute("SELECT EXISTS (FROM runs)").fetchone() == (False,):
        con.execute("DELETE FROM analyses")
        con.execute("INSERT INTO analyses FROM read_csv(?, all_varchar = true)", [str(LISTING)])


def check(con: Connection, path: str) -> None:
    """Raise where another pwh computed what is stored."""
    if stored_revisions(con) != revisions():
        raise WarehouseOutdated(
            f"another version of pwh computed what is stored in {path}",
            hint=migrate_hint(path),
        )
