"""The action for GitHub: valid, nothing that its inputs contain is run, and job after job."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from tests.helpers.composite import Job

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
    caches = [step["with"] for step in action["runs"]["steps"] if "uses" in step]
    installed, kept, restore, save = caches
    assert kept == installed
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


# What stands for pip's work: a program, and a line in a file that says so.
PYTHON = f"""#!/bin/bash
if [ "$1" != -m ]; then exec "{sys.executable}" "$@"; fi
echo "$*" >> "$(dirname "$0")/installed"
mkdir -p "$4/bin"
ln -s /bin/true "$4/bin/pip"
cat > "$4/bin/pwh" <<'END'
#!/bin/bash
export PYTHONPATH="{ACTION.parent}" PYTHONDONTWRITEBYTECODE=1
exec "{sys.executable}" -W ignore -c 'from apps.cli import main; main()' "$@"
END
chmod +x "$4/bin/pwh"
"""


YEAR = datetime.now(UTC).year + 1  # runs start after the commit that they are of


@pytest.fixture
def job(tmp_path):
    """Return a function that runs one job of the action: three runs of a commit, then the steps."""
    repository, cache, temp, path = (tmp_path / name for name in ("repository", "c", "t", "path"))
    for folder in (repository, cache, path):
        folder.mkdir()
    (path / "python3").write_text(PYTHON)
    (path / "python3").chmod(0o755)
    git(repository, "init", "-q", "-b", "main")

    def run(number, seconds, branch="main", event="{}", **inputs):
        shutil.rmtree(temp, ignore_errors=True)
        temp.mkdir()
        (temp / "event.json").write_text(event)
        git(repository, "commit", "-q", "--allow-empty", "-m", f"change {number}")
        workspace = tmp_path / f"workspace{number}"
        git(tmp_path, "clone", "-q", "repository", workspace.name)
        lines = ["run_id,machine,started_at,function,seconds"]
        for i in range(3):
            at = f"{YEAR}-01-{number + 1:02}T0{i}:00:00Z"
            lines.append(f"r{number}-{i},ci,{at},f,{seconds + (number + i) % 3 / 100}")
        (workspace / "t.csv").write_text("\n".join(lines) + "\n")
        contexts = {
            **{"github.sha": git(repository, "rev-parse", "HEAD"), "github.ref_name": branch},
            **{"github.run_id": str(number), "github.token": "secret-of-the-test"},
            "github.event.repository.default_branch": "main",
        }
        environment = {
            "PATH": f"{path}:/usr/bin:/bin",
            "GITHUB_EVENT_PATH": str(temp / "event.json"),
            "GITHUB_API_URL": "http://127.0.0.1:9",
        }
        inputs = {"app": "heat", "files": "t.csv", **inputs}
        done = Job(ACTION.parent, inputs, contexts, workspace, temp, cache, environment)
        return done, done.run(), temp / "github_step_summary"

    return run


def git(folder, *words):
    """Return what git prints."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode().strip()


def test_jobs_one_after_the_other_share_what_is_installed_and_the_history(job, tmp_path):
    for number in range(4):
        done, code, summary = job(number, 1.0)
        assert code == 0, done.log
    assert "**heat: no certain regression**" in summary.read_text()
    # of a pull request that is slower: red, and the history of the default branch stays
    request = ("topic", '{"pull_request": {"number": 3}}')
    done, code, summary = job(4, 2.0, *request, comment="true", keep_days="30")
    assert code == 1, done.log
    text = summary.read_text()
    assert "**heat: regression**" in text and "*Not commented: " in text
    assert "secret-of-the-test" not in done.log + text
    # another age of what is kept takes the place of the one before
    done, code, _ = job(5, 1.0, keep_days="30")
    assert code == 0 and "rule 1 set; pwh maintain applies it" in done.log
    assert len((tmp_path / "path" / "installed").read_text().splitlines()) == 1
    histories = sorted(one.name for one in (tmp_path / "c").glob("pwh-heat-*"))
    assert histories == [f"pwh-heat-{number}-" for number in (0, 1, 2, 3, 5)]
