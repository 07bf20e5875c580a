"""Collectors: the tools that write recordings of a program while it runs, each for one reader.

Those of perf attach to the program before it begins, so that they measure nothing else; others run
it themselves, which takes the program longer: its times are then in a history of their own.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from warehouse.errors import UsageError

_READY_SECONDS = 10.0
_END_SECONDS = 60.0
_FREQUENCY = 499  # samples per second of processor time; no divisor of what programs do regularly
_MOST_SAMPLES = "1G"
_NOISE = re.compile(rb"^(?:Error:|Events (?:en|dis)abled|\[ perf|WARNING|Warning|py-spy>)|^\s*$")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")


class Collector:
    """A tool and the file that it writes.

    `NAME` is that of --tool, `PROGRAM` its own; `SLOWS` is whether the program takes notably longer
    with it; `RUNS` is whether the tool runs the program, so that there can be only one.
    """

    NAME = ""
    SLOWS = False
    RUNS = False
    PROGRAM = ""
    FILE = ""

    def lack(self, command: Sequence[str]) -> str | None:  # noqa: ARG002
        """Return why it cannot be used here for this command; None where it can."""
        return None if shutil.which(self.PROGRAM) else f"{self.PROGRAM} is not installed"

    def around(self, command: Sequence[str], folder: Path) -> list[str]:  # noqa: ARG002
        """Return the command that runs the program, and writes into the folder."""
        return list(command)

    def attach(self, pid: int, folder: Path) -> None:
        """Begin to look at a process that has not begun."""

    def ready(self) -> None:
        """Wait until it looks at the process, or has given up."""

    def finish(self, folder: Path) -> str | None:
        """End, and return what it could not record; None where all went well."""
        return None if self.files(folder) else "it wrote no file"

    def files(self, folder: Path) -> list[Path]:
        """Return the recordings in the folder, made ready for their readers."""
        return sorted(path for path in folder.glob(f"{self.FILE}*") if path.stat().st_size)


class _Attached(Collector):
    """A tool that looks at a process by its id."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def finish(self, folder: Path) -> str | None:
        """End the tool, and return why it recorded nothing."""
        process, self._process = self._process, None
        if process is None:
            return None
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        log = folder / f"{self.FILE}.log"
        said = log.read_bytes()
        log.unlink()
        if process.returncode in (0, -signal.SIGINT) and _existing(folder / self.FILE):
            return None
        (folder / self.FILE).unlink(missing_ok=True)
        return _reason(self.PROGRAM, said)

    def _start(self, words: Sequence[str], folder: Path, descriptors: tuple[int, ...] = ()) -> None:
        with (folder / f"{self.FILE}.log").open("wb") as messages:
            self._process = subprocess.Popen(  # noqa: S603
                [self.PROGRAM, *words],
                pass_fds=descriptors,
                stdin=subprocess.DEVNULL,
                stdout=messages,
                stderr=messages,
                process_group=0,  # Ctrl-C is for the program
                env={**os.environ, "LC_ALL": "C"},
            )


class _Perf(_Attached):
    """A command of perf, which counts from a signal on."""

    PROGRAM = "perf"
    WORDS: tuple[str, ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self._control = self._acknowledged = -1

    def attach(self, pid: int, folder: Path) -> None:
        """Start perf for a process; `ready` waits for it."""
        control, self._control = os.pipe()
        self._acknowledged, acknowledge = os.pipe()
        words = [*self.WORDS, "-o", str(folder / self.FILE), "-p", str(pid), "-D", "-1"]
        words += ["--control", f"fd:{control},{acknowledge}"]
        self._start(words, folder, (control, acknowledge))
        for descriptor in (control, acknowledge):
            os.close(descriptor)
        with suppress(BrokenPipeError):
            os.write(self._control, b"enable\n")

    def ready(self) -> None:
        """Wait until perf counts, or has given up."""
        select.select([self._acknowledged], [], [], _READY_SECONDS)

    def finish(self, folder: Path) -> str | None:
        """End perf, and return why it recorded nothing."""
        lack = super().finish(folder)
        for descriptor in (self._control, self._acknowledged):
            os.close(descriptor)
        return lack


def _reason(program: str, said: bytes) -> str:
    """Return the first line of a tool's messages that says something."""
    if b"perf_event_paranoid" in said:
        setting = Path("/proc/sys/kernel/perf_event_paranoid")
        value = setting.read_text().strip() if setting.exists() else "unknown"
        return f"perf may not look at programs here (kernel.perf_event_paranoid is {value})"
    lines = [line for line in said.splitlines() if not _NOISE.search(line)]
    text = lines[0].decode("utf-8", "replace").strip() if lines else "it states no reason"
    return f"{program} recorded nothing: {text}"


class PerfStat(_Perf):
    """Counters of the program and its children: those of the hardware, and those of the system."""

    NAME = "perf-stat"
    WORDS = ("stat", "-x,")
    FILE = "counters.csv"


class PerfRecord(_Perf):
    """Samples of the program and its children with call graphs."""

    NAME = "perf-record"
    WORDS = (
        *("record", "-q", "-g", "-F", str(_FREQUENCY), "-N", "-B"),
        *("--max-size", _MOST_SAMPLES),
    )
    FILE = "samples.data"

    def files(self, folder: Path) -> list[Path]:
        """Return the samples as text, with the names of functions."""
        data, text = folder / self.FILE, folder / "samples.perf"
        if not data.exists():
            return _existing(text)
        with text.open("wb") as target:
            subprocess.run(  # noqa: S603
                ["perf", "script", "--no-inline", "-i", str(data)],  # noqa: S607
                stdin=subprocess.DEVNULL,
                stdout=target,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "LC_ALL": "C"},
                check=False,
            )
        data.unlink()
        if not text.stat().st_size:
            text.unlink()
        return _existing(text)


class _Around(Collector):
    """A tool that runs the program itself; of several processes there are several files."""

    SLOWS = True
    RUNS = True
    OPTIONS: tuple[str, ...] = ()

    def around(self, command: Sequence[str], folder: Path) -> list[str]:
        """Return the tool's command; %s in its options is the file."""
        file = str(folder / self.FILE)
        return [self.PROGRAM, *(option.replace("%s", file) for option in self.OPTIONS), *command]


class Callgrind(_Around):
    """Instructions by function and call, exact, under valgrind; 50 times as slow."""

    NAME = "callgrind"
    PROGRAM = "valgrind"
    FILE = "callgrind.out"
    OPTIONS = ("-q", "--tool=callgrind", "--callgrind-out-file=%s")


class Massif(_Around):
    """Heap over time, under valgrind."""

    NAME = "massif"
    PROGRAM = "valgrind"
    FILE = "massif.out"
    OPTIONS = ("-q", "--tool=massif", "--massif-out-file=%s")


class PySpy(_Attached):
    """Samples of Python functions, at 100 Hz; stops the program for each."""

    NAME = "py-spy"
    SLOWS = True
    PROGRAM = "py-spy"
    FILE = "py-spy.speedscope.json"

    def lack(self, command: Sequence[str]) -> str | None:
        """Return whether it is missing, or the program is none of Python."""
        return super().lack(command) or _no_python(command)

    def attach(self, pid: int, folder: Path) -> None:
        """Start py-spy, which tries for a second to find an interpreter in the process."""
        words = ["record", "-f", "speedscope", "-o", str(folder / self.FILE), "-p", str(pid)]
        self._start(words, folder)


class CProfile(_Around):
    """Calls and times of Python functions, exact."""

    NAME = "cprofile"
    FILE = "cprofile.prof"

    def lack(self, command: Sequence[str]) -> str | None:
        """Return whether the program is none of Python, or no file."""
        if (found := _no_python(command)) is not None:
            return found
        if len(command) < 2 or (command[1].startswith("-") and command[1] != "-m"):
            return "the command is not of the form `python SCRIPT ...` or `python -m MODULE ...`"
        return None

    def around(self, command: Sequence[str], folder: Path) -> list[str]:
        """Return the command with cProfile between interpreter and script."""
        return [command[0], "-m", "cProfile", "-o", str(folder / self.FILE), *command[1:]]


def _no_python(command: Sequence[str]) -> str | None:
    is_python = _PYTHON.fullmatch(Path(command[0]).name)
    return None if is_python else f"{command[0]} is no Python interpreter"


def _existing(path: Path) -> list[Path]:
    return [path] if path.exists() and path.stat().st_size else []


COLLECTORS: dict[str, type[Collector]] = {
    one.NAME: one for one in (PerfStat, PerfRecord, PySpy, CProfile, Callgrind, Massif)
}


def usual_tools(command: Sequence[str]) -> list[str]:
    """Return the tools that record a command unless others are named: counters and samples."""
    return ["perf-stat", "perf-record" if PySpy().lack(command) else "py-spy"]


def check_tools(names: Sequence[str], command: Sequence[str]) -> None:
    """Raise `UsageError` where these tools cannot record a command together here."""
    for name in names:
        if name not in COLLECTORS:
            known = ", ".join([*COLLECTORS, "none"])
            raise UsageError(f"there is no tool {name!r}", hint=f"Tools: {known}")
        if lack := COLLECTORS[name]().lack(command):
            raise UsageError(f"--tool {name} cannot be used: {lack}")
    running = [name for name in names if COLLECTORS[name].RUNS]
    if len(running) > 1:
        raise UsageError(f"{running[0]} and {running[1]} cannot run the program together")


def not_supported(counters: Path) -> list[str]:
    """Return the events that perf stat could not count on this machine."""
    lines = counters.read_text(errors="replace").splitlines() if counters.exists() else []
    return [line.split(",")[2] for line in lines if line.startswith("<not supported>,")]
