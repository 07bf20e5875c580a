"""One execution of a program: started when its collectors are ready, and its times when it ends.

The program is run by a shell that was started for it and ends before the program begins, so that
the program is a child of pwh but no copy of it: the peak memory that Linux keeps for a process
would otherwise be at least that of pwh itself.
"""

from __future__ import annotations

import ctypes
import fcntl
import math
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from resource import struct_rusage
from types import FrameType

from warehouse.errors import UsageError

NOT_FOUND, NOT_EXECUTABLE = 127, 126  # exit codes, as shells return them
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
_SHELL = "/bin/sh"
# Its name is the folder to run in. The inner shell prints its process id, waits for a line, and
# becomes the program. The outer one only waits, in the foreground, because a shell ignores signals
# for what it runs in the background.
_SCRIPT = """cd -- "$0" || exit
( read -r pid rest </proc/self/stat
echo "$pid" >&{report}
exec {report}>&-
read -r go <&{go} || exit 125
exec "$@" {go}<&- ); exit"""
_RELAYED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


class NotStarted(UsageError):
    """The program cannot be started; `exit_code` is that of a shell."""

    def __init__(self, problem: str, exit_code: int, hint: str | None = None) -> None:
        super().__init__(problem, hint=hint)
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class Execution:
    """Times and exit code of a program that has ended.

    `exit_code` is 128 and the signal's number where a signal ended it, as in shells. Times are in
    seconds, of the program and those of its children that it waited for; `usage` is getrusage(2) of
    these, whose memory is that of the largest process. `run_delay` is how long the first thread of
    the program was ready to run and waited for a processor, NaN where it is unknown. `interrupted`:
    pwh was asked to stop meanwhile.
    """

    started_at: datetime
    exit_code: int
    wall: float
    user: float
    system: float
    run_delay: float
    usage: struct_rusage
    interrupted: bool


def check_program(command: Sequence[str], folder: Path = Path()) -> None:
    """Raise `NotStarted` where the first word of a command is no program to run in a folder."""
    name = command[0]
    path = folder / name
    if shutil.which(path.absolute() if os.sep in name else name):
        return
    if os.sep not in name:
        hint = f"It is in this folder, which is not on PATH: ./{name}" if path.exists() else None
        raise NotStarted(f"there is no program {name!r} on PATH", NOT_FOUND, hint)
    if not path.exists():
        raise NotStarted(f"there is no program {name}", NOT_FOUND)
    kind = "is a folder" if path.is_dir() else "is not executable"
    hint = None if path.is_dir() else f"Make it so: chmod +x {name}. Or name its interpreter."
    raise NotStarted(f"{name} {kind}", NOT_EXECUTABLE, hint)


def execute(
    command: Sequence[str],
    environment: Mapping[str, str],
    stdin: int,
    attach: Callable[[int], None],
    folder: Path = Path(),
) -> Execution:
    """Run a program to its end with this process's output and terminal, and return its times.

    It runs in `folder`.

    `attach` is called with its process id before it begins. Signals that end pwh are relayed to
    the program, those of the terminal reach it anyway; pwh survives them to land what it recorded.
    Raises `KeyboardInterrupt` where one comes before the program begins.
    """
    with _relaying() as relay:
        pid, go = _prepared(command, environment, stdin, folder)
        try:
            attach(pid)
            if relay.interrupted:
                raise KeyboardInterrupt
        except BaseException:
            os.close(go)
            os.waitpid(pid, 0)
            raise
        relay.pid = pid
        _wait_until_it_reads(pid)
        spent, delayed = _scheduled(pid)
        started_at = datetime.now(UTC)
        began = time.perf_counter()
        os.write(go, b"\n")
        # What the scheduler counted of a process is there until its parent has waited for it.
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - began
        run_delay = _scheduled(pid)[1] - delayed
        _, status, usage = os.wait4(pid, 0)
        relay.pid = None
        os.close(go)
    code = os.waitstatus_to_exitcode(status)
    total = usage.ru_utime + usage.ru_stime
    own = 1.0 if math.isnan(spent) else max(0.0, 1 - spent / total) if total else 0.0
    return Execution(
        started_at=started_at,
        exit_code=code if code >= 0 else 128 - code,
        wall=wall,
        user=own * usage.ru_utime,
        system=own * usage.ru_stime,
        run_delay=run_delay,
        usage=usage,
        interrupted=relay.interrupted,
    )


def _wait_until_it_reads(pid: int) -> None:
    """Wait until a process that will read a line is asleep for it.

    On a busy machine it may not have come that far: its times would be those of the program.
    """
    with suppress(OSError):
        while Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] in "RD":
            time.sleep(0.0005)


def _scheduled(pid: int) -> tuple[float, float]:
    """Return how long the first thread of a process ran and waited to run, in s; NaN if unknown."""
    try:
        spent, delayed, _ = map(int, Path(f"/proc/{pid}/schedstat").read_text().split())
    except (OSError, ValueError):
        return math.nan, math.nan
    return spent / 1e9, delayed / 1e9


class _Relay:
    """Passes signals on to a process."""

    def __init__(self) -> None:
        self.pid: int | None = None
        self.interrupted = False

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        self.interrupted |= number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        # What a terminal sends reaches the program itself.
        if self.pid is not None and number in _RELAYED:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)


@contextmanager
def _relaying() -> Iterator[_Relay]:
    relay = _Relay()
    # A signal that is ignored (nohup) stays so, for the program as well.
    handled = [
        number
        for number in (signal.SIGINT, signal.SIGQUIT, *_RELAYED)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]
    before = {number: signal.signal(number, relay) for number in handled}
    try:
        yield relay
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _prepared(
    command: Sequence[str], environment: Mapping[str, str], stdin: int, folder: Path
) -> tuple[int, int]:
    """Return the id of a child process that becomes the program, and where to write a line for it.

    Raises `UsageError` where the system cannot do that.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    wait_end, go = _pipe()
    read_end, report = _pipe()
    low = _two_free_digits()
    script = _SCRIPT.format(go=low[0], report=low[1])
    # What a shell leaves behind becomes a child of pwh, and of nobody else.
    if libc.prctl(_SUBREAPER, 1, 0, 0, 0) != 0:
        raise UsageError("pwh record needs Linux")
    try:
        shell = os.posix_spawn(
            _SHELL,
            [_SHELL, "-c", script, str(folder.absolute()), *command],
            environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, stdin, 0),
                (os.POSIX_SPAWN_DUP2, wait_end, low[0]),
                (os.POSIX_SPAWN_DUP2, report, low[1]),
            ],
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],  # Python ignores these
        )
        os.close(wait_end)
        os.close(report)
        with os.fdopen(read_end) as lines:
            pid = lines.readline().strip()
        os.kill(shell, signal.SIGKILL)
        os.waitpid(shell, 0)
        if not pid.isdigit():
            os.close(go)
            raise UsageError(f"{_SHELL} could not start a process")
    finally:
        libc.prctl(_SUBREAPER, 0, 0, 0, 0)
    return int(pid), go


def _pipe() -> tuple[int, int]:
    """Return the ends of a pipe, none of which has a number that a shell can name.

    In the shell such a number may stand for another end before this one is copied.
    """
    ends = os.pipe()
    reading, writing = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return reading, writing


def _two_free_digits() -> list[int]:
    """Return two file descriptors that the program does not inherit: below 10, as shells name them.

    Raises `UsageError` where there are too few.
    """
    free = [number for number in range(9, 2, -1) if not _is_inherited(number)]
    if len(free) < 2:
        raise UsageError("too many open files are handed to pwh record")
    return free[:2]


def _is_inherited(descriptor: int) -> bool:
    try:
        return os.get_inheritable(descriptor)
    except OSError:
        return False
