"""Commands, objects and clocks as perf names them: which command is the program recorded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from ingest.base import Run
from ingest.parsing.call_paths import frame_name
from ingest.parsing.json_values import texts_of

FACT = re.compile(r"# ([a-z][a-z ]*?) *: (.*?)\s*")
_ENVIRONMENT = {"cpu": "cpudesc", "cores": "nrcpus online", "kernel": "os release"}


def perf_run(facts: Mapping[str, str], app: str | None, started_at: datetime | None) -> Run:
    """Return the run of a recording, by facts as perf names them; it started when that ended."""
    command, version = facts.get("cmdline"), facts.get("perf version")
    return Run(
        app=app,
        machine=facts.get("hostname") or None,
        started_at=started_at,
        tags={"recorder": f"perf {version}" if version else "perf"}
        | ({"command": command} if command else {}),
        environment=texts_of(facts, _ENVIRONMENT),
    )


BEFORE = ("perf", "perf-exec")  # what runs before the program does
CLOCK = re.compile(r"(?:cpu|task)-clock(?::.*)?")  # events that count nanoseconds
_MAP = re.compile(r"perf-\d+\.map")
_STARTERS = frozenset(
    (
        *("sh", "bash", "dash", "zsh", "ksh", "mksh", "csh", "tcsh", "fish", "busybox"),
        *("env", "time", "timeout", "nice", "nohup", "sudo", "xargs", "taskset", "numactl"),
        *("mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "prte", "srun", "orted"),
        *("hydra_pmi_proxy", "hydra_bstrap_pr", "aprun", "jsrun", "flux"),
    )
)


def program(
    line: str, samples: Mapping[str, int], threads: Mapping[int, str], *, system_wide: bool
) -> str | None:
    """Return the program: of the command line the first word that samples are named by.

    Without one, the command of the thread with the lowest number; where that only starts others,
    the one with the most samples. Where all processors were recorded, no command is more the
    program's than others. `samples` are the numbers of samples by command, `threads` the command
    of each thread as it began.
    """
    named = {name: count for name, count in samples.items() if name not in BEFORE}
    found = _first(line, list(named), threads, system_wide=system_wide)
    programs = {name: count for name, count in named.items() if not _only_starts(name)}
    if found is not None and _only_starts(found) and programs:
        return max(programs, key=lambda name: programs[name])
    return found


def _first(
    line: str, named: list[str], threads: Mapping[int, str], *, system_wide: bool
) -> str | None:
    for word in line.split()[1:]:
        name = word.rsplit("/", 1)[-1]
        if name and name[:15] in named:
            return name
    known = [thread for thread in threads if thread > 0]
    if len(named) == 1 or not known or system_wide:
        return named[0] if len(named) == 1 else None
    return threads[min(known)]


def _only_starts(command: str) -> bool:
    """Return whether a command is a shell, a script of one, or a launcher."""
    return command in _STARTERS or command.endswith((".sh", ".bash"))


def object_name(where: str) -> str:
    """Return how a function without a symbol is called after its object."""
    name = where.removesuffix(" (deleted)").rsplit("/", 1)[-1].strip("[]")
    # The map of a just-in-time compiler is named by its process.
    return frame_name(f"[{_MAP.sub('perf-N.map', name) or 'unknown'}]")
