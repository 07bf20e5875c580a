"""A PostgreSQL of its own for tests, on a free port."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

USER = "postgres"


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, the newest ones; None where there are none."""
    found = shutil.which("initdb")
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    path = debian[-1] if debian else Path(found) if found else None
    return None if path is None else path.parent


class Postgres:
    """A server with databases; `settings` are those of a connection."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port

    @property
    def settings(self) -> str:
        return f"dbname=postgres host=127.0.0.1 port={self.port} user={USER}"

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        self._control("-o", options, "-l", str(self.folder / "log"), "start")

    def stop(self) -> None:
        """Stop at once, as a crash does."""
        self._control("-m", "immediate", "stop")

    def _control(self, *arguments: str) -> None:
        call("pg_ctl", "-D", str(self.folder / "data"), "-w", *arguments)


def call(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL, which refuses to be run by root."""
    folder = programs()
    assert folder is not None
    as_user = ("runuser", "-u", USER, "--") if os.geteuid() == 0 else ()
    subprocess.run(
        [*as_user, str(folder / program), *arguments],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
    )


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Yield a server that stops, and is gone, at the end of the block."""
    # Not in the folders of pytest: another user has to reach it, and names of sockets are short.
    folder = Path(tempfile.mkdtemp(prefix="pwh-pg-"))
    if os.geteuid() == 0:
        shutil.chown(folder, USER)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        server = Postgres(folder, free.getsockname()[1])
    try:
        data = str(folder / "data")
        call("initdb", "-D", data, "-U", USER, "-A", "trust", "--no-sync", "--locale=C")
        server.start()
        yield server
    finally:
        with suppress(subprocess.CalledProcessError):
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
