"""The contracts of imports in pyproject.toml: layers, and what readers and functions may know."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[1]


def test_imports_keep_all_contracts():
    # A process of its own: import-linter configures logging and sys.path for the whole process.
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [lint, "--no-cache", "--no-logo"], cwd=PROJECT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
