"""Real servers for tests: `pwh serve` in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
WRITING, READING = "writing-token-0123456789", "reading-token-0123456789"


@dataclass(frozen=True)
class Serving:
    """A server's process, and its address."""

    process: subprocess.Popen[str]
    address: str

    def stop(self, number: int = signal.SIGTERM) -> str:
        """Send a signal; return what the server has written to stderr when it has ended."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=30)[1]


@contextmanager
def served(file: Path, *options: str) -> Iterator[Serving]:
    """Serve a warehouse on a free port of this computer, until the end of the block."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    # Files of tokens come first, and the user may have some.
    environment |= {"PWH_TOKEN_FILE": "", "PWH_READ_TOKEN_FILE": ""}
    environment |= {"PWH_TOKEN": WRITING, "PWH_READ_TOKEN": READING}
    command = [sys.executable, "-m", "apps.cli", "--db", str(file), "serve", f"--port={port}"]
    process = subprocess.Popen(
        [*command, *options], env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert "is served at" in line, line + process.stderr.read()
        yield Serving(process, f"quack:127.0.0.1:{port}")
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
