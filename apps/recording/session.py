"""A recording session: interleaved runs of programs, each with a folder of what it left.

The folder remains until all of it has landed: nothing that was recorded is lost while the warehouse
is busy, read-only or damaged.
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import isnan
from pathlib import Path
from typing import Any

from apps.recording.collectors import COLLECTORS, Collector, not_supported
from apps.recording.process import Execution, execute
from apps.recording.standard_input import StandardInput
from apps.recording.surroundings import arguments, parallel_variables, shell_text
from warehouse.address import Address


def times_text(
    command: Sequence[str], done: Execution, environment: Mapping[str, str] | None = None
) -> str:
    """Return the lines that the reader `time` reads; seconds have microseconds."""
    minutes, seconds, used = *divmod(done.wall, 60), done.usage
    return "\n".join(
        [
            f"Started at {done.started_at.isoformat()}",
            *(f"Environment {name}: {text}" for name, text in (environment or {}).items()),
            f'\tCommand being timed: "{shell_text(command)}"',
            f"\tUser time (seconds): {done.user:.6f}",
            f"\tSystem time (seconds): {done.system:.6f}",
            *([] if isnan(done.run_delay) else [f"\tRun delay (seconds): {done.run_delay:.6f}"]),
            f"\tElapsed (wall clock) time (h:mm:ss or m:ss): {minutes:.0f}:{seconds:09.6f}",
            f"\tMaximum resident set size (kbytes): {used.ru_maxrss}",
            f"\tMajor (requiring I/O) page faults: {used.ru_majflt}",
            f"\tMinor (reclaiming a frame) page faults: {used.ru_minflt}",
            f"\tVoluntary context switches: {used.ru_nvcsw}",
            f"\tInvoluntary context switches: {used.ru_nivcsw}",
            f"\tFile system inputs: {used.ru_inblock}",
            f"\tFile system outputs: {used.ru_oublock}",
            f"\tExit status: {done.exit_code}",
            "",
        ]
    )


TIMES, COUNTERS = "time.txt", "counters.csv"
_SCRIPT = "ingest.sh"


@dataclass(frozen=True, slots=True)
class Side:
    """A command, its folder, and what is known of its runs: columns of `runs`, and tags."""

    command: Sequence[str]
    facts: Mapping[str, Any]
    tags: Mapping[str, str]
    tools: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: Path = Path()
    # Those of the user: libraries that pwh imports later add some of their own.
    variables: Mapping[str, str] = field(default_factory=os.environ.copy)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One run: its times, and the folder with the files that belong to it."""

    side: Side
    run_id: str
    folder: Path
    done: Execution
    lacks: Mapping[str, str]
    collectors: Sequence[Collector] = field(repr=False, default=())

    @property
    def facts(self) -> dict[str, Any]:
        """Columns of `runs`."""
        return {**self.side.facts, "started_at": self.done.started_at}

    @property
    def tags(self) -> dict[str, str]:
        """Tags of the run."""
        failed = {"exit_code": str(self.done.exit_code)} if self.done.exit_code else {}
        if self.done.interrupted:
            failed["interrupted"] = "true"
        return {**self.side.tags, **failed}

    @property
    def not_supported(self) -> list[str]:
        """Events that could not be counted."""
        return not_supported(self.folder / COUNTERS)

    def files(self) -> list[Path]:
        """Return its recordings, made ready for their readers."""
        made = [path for one in self.collectors for path in one.files(self.folder)]
        return [self.folder / TIMES, *made]


def tags_of(command: Sequence[str], tools: Sequence[str]) -> dict[str, str]:
    """Return the tags of a command's runs.

    Of these `arguments`, `variables` and `profiler` are in series_fields: runs that differ in them
    are no history of one thing.
    """
    slow = [name for name in tools if COLLECTORS[name].SLOWS]
    tags = {
        "command": shell_text(command),
        "arguments": arguments(command),
        "variables": parallel_variables(os.environ),
        "profiler": " ".join(slow),
        "host": os.uname().nodename,
    }
    return {name: value for name, value in tags.items() if value}


class Session:
    """Runs commands and keeps what they leave in folders under one of its own."""

    def __init__(self, title: str, executions: int, keep: Path | None = None) -> None:
        self._token = secrets.token_hex(3)
        self._number = 0
        self._executions = executions
        self.folder = _new_folder(title, self._token, keep)
        self._input = StandardInput(executions, self.folder / "stdin")

    def warm_up(self, side: Side) -> Execution:
        """Run a command without any tool."""
        with self._input.descriptor() as stdin:
            return execute(side.command, side.variables, stdin, _nothing, side.folder)

    def record(self, side: Side) -> Recorded:
        """Run a command with its tools."""
        self._number += 1
        place = f".{self._number}" if self._executions > 1 else ""
        run_id = f"{side.facts['app']}-{datetime.now():%Y%m%dT%H%M%S}-{self._token}{place}"
        folder = self.folder / run_id.replace("/", "_")
        folder.mkdir()
        collectors = [COLLECTORS[name]() for name in side.tools]
        command = list(side.command)
        for one in collectors:
            command = one.around(command, folder)

        def attach(pid: int) -> None:
            for one in collectors:
                one.attach(pid, folder)
            for one in collectors:
                one.ready()

        lacks = {}
        try:
            with self._input.descriptor() as stdin:
                done = execute(command, side.variables, stdin, attach, side.folder)
        finally:
            lacks = {one.NAME: lack for one in collectors if (lack := one.finish(folder))}
        times = times_text(side.command, done, side.environment)
        (folder / TIMES).write_text(times, encoding="utf-8")
        return Recorded(side, run_id, folder, done, lacks, collectors)

    def write_script(self, db: Address, recorded: Sequence[Recorded]) -> Path:
        """Write commands that land the recordings later; return the path of that script."""
        lines = ["#!/bin/sh", "# Lands what pwh record could not.", "set -e"]
        for one in recorded:
            words = [sys.executable, "-m", "apps.cli"]
            words += ["--db", str(db.absolute() if isinstance(db, Path) else db)]
            words += ["ingest", "--run", one.run_id]
            for name, value in one.facts.items():
                if value is not None:
                    text = value.isoformat() if isinstance(value, datetime) else str(value)
                    words += [f"--{name.replace('_', '-')}={text}"]
            for name, value in one.tags.items():
                words += ["--tag", f"{name}={value}"]
            files = [str(path) for path in one.files()]
            lines.append(shlex.join([*words, *files]))
        script = self.folder / _SCRIPT
        script.write_text("\n".join([*lines, ""]), encoding="utf-8")
        return script

    def discard(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def turns(sides: Sequence[Side], repeat: int) -> Iterator[Side]:
    """Yield the sides interleaved: A B, B A, A B ..., so that a drift of the machine meets both."""
    for number in range(repeat):
        yield from sides if number % 2 == 0 else reversed(sides)


def _new_folder(title: str, token: str, keep: Path | None) -> Path:
    """Return a new folder: in `keep`, else in the user's folder for the state of programs."""
    name = f"{title.replace('/', '_')}-{datetime.now():%Y%m%dT%H%M%S}-{token}"
    if keep is not None:
        folder = keep / name
        folder.mkdir(parents=True)
        return folder
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    folder = Path(state).expanduser() / "pwh" / "recordings" / name
    try:
        folder.mkdir(parents=True)
    except (OSError, RuntimeError):
        folder = Path(tempfile.mkdtemp(prefix=f"pwh-{name}-"))
    return folder


def _nothing(_pid: int) -> None:
    """Attach nothing to a process."""
