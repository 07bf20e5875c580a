"""The runs of one recording: their names, their facts, and the `runs` table."""

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from ingest.base import Run, implausible
from ingest.git import Head
from warehouse import sqlfiles
from warehouse.catalog import RUN_COLUMNS
from warehouse.errors import InputError, UsageError
from warehouse.session import Connection

_OF_RUN = tuple(field.name for field in fields(Run))
_RANDOM = re.compile(
    r"[0-9a-f]{12}|[0-9a-f]{64}"  # Docker, Podman
    r"|fv-az\d+(?:-\d+)?|runnervm\w+|Mac-\d+(?:\.local)?"  # GitHub's
    r"|runner-[\w-]+-project-\d+-concurrent-\d+[\w-]*"  # GitLab's
    r"|[a-z0-9][\w.-]*-[0-9a-f]{8,10}-[a-z0-9]{5}"  # pods of Kubernetes
)


class RunBook:
    """Keeps the runs of one recording in the order in which they were first named.

    A run's id is the user's (`given`), else the file's, else `base` (file name
    and content hash) with the run's key behind it.
    """

    def __init__(self, base: str, given: str | None) -> None:
        self.base = base
        self.given = given
        self._runs: dict[str, dict[str, Any]] = {}

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The runs' ids, in order."""
        return tuple(self._runs)

    def add(self, run: Run, *, final: bool = False) -> None:
        """Take a run, or more facts of one that is known.

        Raises `InputError` where a fact is implausible, or contradicts a `final` one.
        """
        facts = {name: getattr(run, name) for name in _OF_RUN}
        key, named = facts.pop("key"), facts.pop("run_id")
        run_id = self.given or named or (self.base if key is None else f"{self.base}.{key}")
        if self.given and (self._runs.get(run_id, {}).get("_key", (key, named)) != (key, named)):
            self.reject_single_run_id(None)
        known = self._runs.setdefault(run_id, {"_key": (key, named), "tags": {}})
        known["tags"] |= {str(k): str(v) for k, v in facts.pop("tags").items()}
        environment = {**known.get("environment", {}), **facts.pop("environment")}
        facts["environment"] = {str(k): str(v) for k, v in environment.items()} or None
        known_facts = {name: value for name, value in facts.items() if not _unknown(value)}
        if wrong := implausible(known_facts):
            raise InputError(f"the run {run_id} has {wrong[0]}", expected=wrong[1])
        for name, value in known_facts.items():
            if final and name != "environment" and known.get(name, value) != value:
                raise InputError(
                    f"the run {run_id} has two values of {name}: {known[name]} and {value}",
                    expected="one value in all rows of a run",
                )
        known |= known_facts
        known["_names_host"] = not final

    @property
    def is_unnamed(self) -> bool:
        """Whether the file names neither its runs nor an application."""
        return not self.given and not any(
            facts["_key"][1] or facts.get("app") for facts in self._runs.values()
        )

    def add_default(self) -> None:
        """Make sure that there is a run, for a file that names none."""
        if not self._runs:
            self.add(Run())

    def note(self, run_ids: Iterable[str]) -> None:
        """Take runs of which nothing is known but the id."""
        for run_id in run_ids:
            self._runs.setdefault(run_id, {"_key": (None, run_id), "tags": {}})

    def reject_single_run_id(self, count: int | None) -> None:
        """Raise because one --run cannot name several runs."""
        raise UsageError(
            f"the file contains {count or 'several'} runs, so --run {self.given} cannot name it",
            hint="Leave --run out: each run gets an id of its own.",
        )

    def stated(
        self,
        source_id: int,
        facts: Mapping[str, Any],
        tags: Mapping[str, str],
        modified_at: datetime | None = None,
        head: Head | None = None,
        app: str | None = None,
    ) -> list[dict[str, Any]]:
        """Return what file and options state, as `write_facts` takes it.

        A run alone in its file started at `modified_at`, where nothing else states its start; `app`
        is the application where nothing else states it.
        """
        given = {**facts, "tags": dict(tags)} if facts or tags else None
        by_time = {"started_at": modified_at, "tags": {}} if modified_at is not None else None
        checked_out = {**asdict(head), "tags": {}} if head is not None else None
        return [
            {
                "source_id": source_id,
                "run_id": run_id,
                "position": position,
                "stated_by": stated_by,
                "tags": known["tags"],
            }
            | {name: known[name] for name in _FACTS if known.get(name) is not None}
            for position, (run_id, of_file) in enumerate(self._runs.items())
            for stated_by, known in (
                ("file", _on_hardware(of_file)),
                ("option", given),
                ("git", checked_out),
                ("file_time", by_time if len(self._runs) == 1 else None),
                ("file_name", None if app is None else {"app": app, "tags": {}}),
            )
            if known is not None
        ]


def _on_hardware(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return facts of a file whose tool noted the host; a random name of one is no machine.

    What a table of runs calls a machine is one.
    """
    if not facts.get("_names_host"):
        return facts
    environment = facts.get("environment") or {}
    machine, host = machine_of(
        facts.get("machine"), environment.get("cpu"), environment.get("cores")
    )
    return {**facts, "machine": machine, "tags": {**facts["tags"], **host}}


_FACTS = tuple(name for name in (*RUN_COLUMNS, "wall_seconds", "environment") if name != "run_id")
# Landing tables whose rows state facts of their runs.
STATING = frozenset(("tasks", "pmu_samples"))


def write_facts(con: Connection, stated: Sequence[Mapping[str, Any]]) -> None:
    """Write what files and options state into run_facts; `renew_runs` makes runs of it."""
    # As one JSON text: DuckDB takes long Python lists entry by entry.
    con.execute(sqlfiles.read("derived/run_facts"), {"facts": json.dumps(stated, default=str)})


def take_over_by_hand(con: Connection, run_ids: Collection[str]) -> None:
    """Write what rows of `runs` state that somebody wrote by hand into run_facts.

    To be called before files of these runs land.
    """
    runs, params = sqlfiles.of_runs(run_ids)
    con.execute(sqlfiles.read("derived/run_facts_by_hand").format(runs=runs), params)


def add_facts_of_rows(con: Connection, source_ids: Collection[int]) -> None:
    """Write what the rows of files in the tables `STATING` state of their runs into run_facts."""
    rows = sqlfiles.of_sources(source_ids)
    con.execute(sqlfiles.read("derived/run_facts_of_rows").format(rows=rows))


def renew_runs(con: Connection, run_ids: Collection[str]) -> list[str]:
    """Make the rows of `runs` anew from run_facts; return the runs that are left.

    A run of which no file speaks any more is gone, with the scalars that were kept of it.
    """
    runs, params = sqlfiles.of_runs(run_ids)
    con.execute(f"DELETE FROM runs WHERE {runs}", params)
    left = con.execute(
        f"SELECT run_id, count(wall_seconds) FROM run_facts WHERE {runs} GROUP BY run_id", params
    )
    stated = dict(left.fetchall())
    known = list(stated)
    if known:
        makespans = _makespans(con, [run_id for run_id, times in stated.items() if not times])
        runs, params = sqlfiles.of_runs(known)
        params["makespans"] = json.dumps(makespans)
        con.execute(sqlfiles.read("derived/runs").format(runs=runs), params)
    if gone := list(set(run_ids) - set(known)):
        runs, params = sqlfiles.of_runs(gone)
        for table in ("kept_runs", "run_scalars"):
            con.execute(f"DELETE FROM {table} WHERE {runs}", params)
    return known


def _makespans(con: Connection, run_ids: Sequence[str]) -> dict[str, float | None]:
    """Return the makespans (s) of those of the runs that have tasks, of which most runs have none.

    To plan the query over them takes longer than the rest of a small file's runs.
    """
    runs, params = sqlfiles.of_runs(run_ids)
    has_tasks = f"SELECT EXISTS (FROM tasks WHERE {runs})"
    if not run_ids or con.execute(has_tasks, params).fetchone() == (False,):
        return {}
    makespans = sqlfiles.read("derived/makespans").format(runs=runs)
    return dict(con.execute(makespans, params).fetchall())


def _unknown(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def machine_of(
    host: str | None, cpu: str | None = None, cores: str | None = None
) -> tuple[str | None, dict[str, str]]:
    """Return the machine, and as a tag the host where that name is random.

    The machine is then what the hardware is: processor and cores, as far as they are known.
    """
    if host is None or not _RANDOM.fullmatch(host):
        return host, {}
    of_cores = f"{cores} core{'' if cores == '1' else 's'}" if cores else None
    return ", ".join(filter(None, (cpu, of_cores))) or None, {"host": host}
