"""Renew constraints.txt: the version and hash of each package that CI installs.

python -m tests.lock

pip chooses the newest versions that `pyproject.toml` admits. The hashes are those of the files for
one Python and one kind of machine; elsewhere CI installs what pip chooses on that day.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1]
LOCK = PROJECT / "constraints.txt"
LOCKED = "CPython 3.11, Linux, x86_64"
HEADER = f"""\
# What CI installs ({LOCKED}), written by python -m tests.lock.
# torch has no hash, as its builds with and without CUDA are different files of one version:
"""


def here() -> str:
    """Return this Python and this kind of machine, as in LOCKED."""
    python = f"{platform.python_implementation()} {sys.version_info[0]}.{sys.version_info[1]}"
    return ", ".join([python, platform.system(), platform.machine()])


def main() -> None:
    """Write the file anew; what has changed is for `git diff` to show."""
    if here() != LOCKED:
        sys.exit(f"constraints.txt is for {LOCKED}; this is {here()}")
    tools = tomllib.loads((PROJECT / "pyproject.toml").read_text())["build-system"]["requires"]
    # hatchling asks for editables only when it builds.
    wanted = [f"{PROJECT}[dev]", *tools, "editables"]
    options = ["--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    command = [sys.executable, "-m", "pip", "install", *options, *wanted]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    lines = []
    for package in sorted(report["install"], key=lambda one: one["metadata"]["name"].lower()):
        name, version = (package["metadata"][key] for key in ("name", "version"))
        if name == "torch":
            lines.insert(0, f"# {name}=={version.partition('+')[0]}")
        elif name != "pwh":
            sha256 = package["download_info"]["archive_info"]["hashes"]["sha256"]
            lines.append(f"{name}=={version} --hash=sha256:{sha256}")
    LOCK.write_text(HEADER + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
