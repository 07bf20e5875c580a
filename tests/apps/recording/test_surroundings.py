"""Names of runs that nobody states: application, version and machine."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import version

import pytest

from apps.recording.surroundings import (
    application,
    environment,
    git_version,
    machine,
    parallel_variables,
    shell_text,
)


@pytest.mark.parametrize(
    ("command", "app"),
    [
        ("./lu", "lu"),
        ("/opt/x/solver-2.1 a.in", "solver-2.1"),
        ("python3 primes.py 10", "primes"),
        ("/usr/bin/python3.11 -X dev -u lib/primes.py", "primes"),
        ("python -m http.server", "http.server"),
        ("python3 -c pass", "python3"),
        ("python3", "python3"),
        ("bash -e build.sh", "build"),
        ("java -Xmx1g -cp a:b -jar lib/app.jar x", "app"),
        ("java -cp a:b org.example.Main", "org.example.Main"),
        ("env A=1 sh run.sh", "run"),
        ("taskset -c 0-3 nice -n 5 ls -l", "ls"),
        ("mpirun -n 4 ls", "ls"),
        ("timeout no-such-program", "timeout"),
    ],
)
def test_application(command, app):
    assert application(command.split()) == app


def test_a_command_is_one_line_that_a_shell_reads_again():
    words = ["printf", "%s\\n", "a b", "it's", "two\nlines\t\\", ""]
    text = shell_text(words)
    assert "\n" not in text
    shown = subprocess.run(["bash", "-c", text], capture_output=True, text=True).stdout
    assert shown == "a b\nit's\ntwo\nlines\t\\\n\n"


def test_variables_that_decide_the_parallelism():
    found = parallel_variables({"OMP_NUM_THREADS": "4", "HOME": "/", "GOMAXPROCS": "2"})
    assert found == "GOMAXPROCS=2 OMP_NUM_THREADS=4"


def test_version_of_a_git_repository(tmp_path):
    def git(*words):
        names = ("-c", "user.name=x", "-c", "user.email=x@example.com")
        subprocess.run(["git", "-C", tmp_path, *names, *words], check=True, capture_output=True)

    assert git_version(tmp_path).lack == "this folder is not in a git repository"
    git("init")
    assert git_version(tmp_path).lack == "the git repository has no commit yet"
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-m", "1")
    first = git_version(tmp_path)
    assert first.name == first.facts["commit"][:9] and "dirty" not in first.tags
    (tmp_path / "untracked").write_text("1")
    assert git_version(tmp_path) == first
    git("tag", "v1")
    assert git_version(tmp_path).name == "v1"
    states = []
    for text in ("2", "3", "2"):
        (tmp_path / "a").write_text(text)
        states.append(git_version(tmp_path))
    assert states[0] == states[2] != states[1]
    assert states[0].name.startswith("v1+") and states[0].tags["dirty"] == "true"


def test_python_is_recorded_with_its_packages(tmp_path):
    found = environment([sys.executable, "-c", "pass"])
    assert found["interpreter"] == f"Python {platform.python_version()}"
    assert found["package:pytest"] == version("pytest")
    # The folder of the program is none of its packages.
    (tmp_path / "other-1.0.dist-info").mkdir()
    assert "package:other" not in environment(["python3", str(tmp_path / "x.py")])


def test_machine_has_processor_and_cores():
    assert machine().split(", ")[1].split()[1] in ("core", "cores")
