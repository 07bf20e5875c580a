"""The action for GitHub: valid, and nothing that its inputs contain is run."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

ACTION = Path(__file__).parents[1] / "action.yml"


@pytest.fixture(scope="module")
def action():
    """Return the parsed action."""
    return yaml.safe_load(ACTION.read_text(encoding="utf-8"))


def test_the_action_is_composite_and_describes_its_inputs(action):
    assert action["runs"]["using"] == "composite"
    assert all(
        one["description"] for one in (*action["inputs"].values(), *action["outputs"].values())
    )
    assert all(step["shell"] == "bash" for step in scripts(action))
    caches = [step for step in action["runs"]["steps"] if "uses" in step]
    restore, save = (step["with"] for step in caches)
    assert save == {name: restore[name] for name in ("path", "key")}
    # the newest of all jobs, whatever their numbers
    assert restore["key"].startswith(restore["restore-keys"])
    used = set(re.findall(r"inputs\.(\w+)", ACTION.read_text(encoding="utf-8")))
    assert used == set(action["inputs"])
    assert "secrets." not in ACTION.read_text(encoding="utf-8")


def scripts(action):
    """Return the steps that run a script."""
    return [step for step in action["runs"]["steps"] if "run" in step]


def test_expressions_are_in_variables_and_not_in_scripts(action):
    assert not any("${{" in step["run"] for step in scripts(action))


@pytest.mark.parametrize("code", [0, 1, 5, 6])
def test_the_script_judges_and_passes_the_exit_code_on(code, action, tmp_path):
    pwh = tmp_path / "pwh"
    pwh.write_text(f'#!/bin/bash\nprintf "%s\\n" "$@" > "{tmp_path}/asked"\n'
                   f'echo "**verdict**" > "$SUMMARY"\nexit {code}\n')  # fmt: skip
    pwh.chmod(0o755)
    hostile = "x; touch stolen $(touch stolen)"
    variables = {
        "PATH": "/usr/bin:/bin",
        **{"PWH": str(pwh), "APP": hostile, "BASELINE": "last:3", "LIMIT": "5%"},
        **{
            name: str(tmp_path / name)
            for name in ("SUMMARY", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
        },
    }
    (script,) = (step["run"] for step in scripts(action) if step.get("id") == "gate")
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], env=variables, cwd=tmp_path)
    assert done.returncode == code
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[0] == "gate" and asked[-2:] == ["--", hostile]
    assert asked[asked.index("--baseline") + 1] == "last:3"
    assert (tmp_path / "GITHUB_STEP_SUMMARY").exists() == (code != 5)
    assert not (tmp_path / "stolen").exists()


@pytest.mark.parametrize("is_there", [True, False])
def test_what_is_saved_is_within_a_size(is_there, action, tmp_path):
    pwh, db = tmp_path / "pwh", tmp_path / "w.duckdb"
    pwh.write_text(f'#!/bin/bash\necho "$*" >> "{tmp_path}/asked"\n')
    pwh.chmod(0o755)
    if is_there:
        db.touch()
    variables = {"PATH": "/usr/bin:/bin", "PWH": str(pwh), "PWH_DB": str(db)}
    script = scripts(action)[-1]["run"]
    subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        env=variables | {"DAYS": "90", "SIZE": "500MB"},
        check=True,
    )
    if is_there:
        assert (tmp_path / "asked").read_text().splitlines() == [
            "retention add --keep answers --days 90",
            "maintain --most 500MB",
        ]
    assert (tmp_path / "asked").exists() == is_there
