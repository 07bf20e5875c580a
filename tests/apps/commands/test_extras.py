"""Without the packages of extras: what needs them says the line to type, the rest works."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from apps.commands.options import EXTRAS

CODE = """
import contextlib, io, json, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in packages:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

packages, calls = json.loads(sys.argv[1])
sys.meta_path.insert(0, Blocked())
from apps.cli import main
found = []
for call in calls:
    sys.argv[1:] = call
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code
    found.append([code or 0, out.getvalue(), err.getvalue()])
print(json.dumps(found))
"""
PACKAGES = [package for packages in EXTRAS.values() for package in packages]


def called(*calls):
    """Return exit code, stdout and stderr of calls in a process that has no package of an extra."""
    command = [sys.executable, "-c", CODE, json.dumps([PACKAGES, calls])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_command_whose_extra_is_missing_says_what_to_type(demo_warehouse):
    calls = {
        "fit bottlenecks": "fit",
        "ui": "ui",
        "notify send": "notify",
        "mcp": "mcp",
    }
    found = called(*[["--db", str(demo_warehouse), *call.split()] for call in calls])
    for (code, out, err), extra in zip(found, calls.values(), strict=True):
        assert (code, out) == (2, "")
        problem, line = err.splitlines()
        assert problem.startswith("pwh: this command needs the package ")
        assert line == f"  Type: {sys.executable} -m pip install 'pwh[{extra}]'"


def test_shipped_models_and_other_analyses_need_no_extra(demo_warehouse):
    calls = (
        ["diagnose", "stencil-1.23"],
        ["throughput", "heat_blocks"],
        ["threads", "heat-ac", "--phases"],
    )
    for code, out, err in called(*[["--db", str(demo_warehouse), *call] for call in calls]):
        assert code == 0 and out, err


@pytest.mark.parametrize("extra", EXTRAS)
def test_extras_are_those_of_the_project(extra):
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    project = tomllib.loads(text)["project"]
    names = [line.partition(">")[0] for line in project["optional-dependencies"][extra]]
    assert sorted(names) == list(EXTRAS[extra])
    assert not set(names) & {line.partition(">")[0] for line in project["dependencies"]}
