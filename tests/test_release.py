"""A release: its files are whole, what is installed runs elsewhere, all that names it agrees."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
from fnmatch import fnmatch
from pathlib import Path
from zipfile import ZipFile

import pytest
import typer
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from apps.cli import app
from tests.test_dependencies import LOCK, PYPROJECT
from warehouse.version import __version__

PROJECT = Path(__file__).parents[1]
PACKAGES = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
# conda-forge names these packages otherwise than PyPI.
CONDA_NAMES = {
    "duckdb": "python-duckdb",
    "graphviz": "python-graphviz",
    "msgpack": "msgpack-python",
}


def shipped() -> set[str]:
    """Return the files of the packages, relative to the project."""
    found = (one for package in PACKAGES for one in (PROJECT / package).rglob("*"))
    return {
        one.relative_to(PROJECT).as_posix()
        for one in found
        if one.is_file() and "__pycache__" not in one.parts
    }


def build(source: Path, target: str, folder: Path) -> Path:
    """Return the one file that hatchling builds of a target, without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, stdout=subprocess.DEVNULL)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """Return the sdist."""
    pytest.importorskip("hatchling")
    return build(PROJECT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """Return the wheel, built from the sdist alone, as pip and conda do it."""
    source = tmp_path_factory.mktemp("source")
    with tarfile.open(sdist) as archive:
        archive.extractall(source, filter="data")
    return build(source / f"pwh-{__version__}", "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def wheel_files(wheel):
    """Return the names of the files in the wheel, and its metadata."""
    with ZipFile(wheel) as archive:
        return {
            name: archive.read(name).decode() if ".dist-info/" in name else ""
            for name in archive.namelist()
        }


def test_the_wheel_has_every_file_of_the_packages_and_no_other(wheel, wheel_files):
    info = f"pwh-{__version__}.dist-info"
    assert wheel.name == f"pwh-{__version__}-py3-none-any.whl"
    assert {name for name in wheel_files if not name.startswith(info)} == shipped()
    licences = {name for name in wheel_files if name.startswith(f"{info}/licenses/")}
    assert licences == {f"{info}/licenses/{one}" for one in ("LICENSE", "NOTICE.md")}


def test_the_metadata_states_licence_and_version(wheel_files):
    metadata = wheel_files[f"pwh-{__version__}.dist-info/METADATA"]
    for line in ("Name: pwh", f"Version: {__version__}", "License-Expression: MIT"):
        assert line in metadata.splitlines()


def test_what_is_installed_runs_in_another_folder(wheel, tmp_path):
    environment, elsewhere = tmp_path / "environment", tmp_path / "another folder"
    elsewhere.mkdir()
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    options = ["--no-deps", "--no-index", "--no-compile", "--quiet"]
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", *options, str(wheel)]
    subprocess.run(pip, check=True)
    # What pwh needs comes from the environment of the tests, whose own .pth files, such as one that
    # names this tree, do not count from here.
    purelib = sysconfig.get_path("purelib", vars={"base": str(environment)})
    Path(purelib, "tests.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith(("PWH", "PYTHON"))
    }

    def run(*command: str | Path) -> str:
        done = subprocess.run(
            command, cwd=elsewhere, env=variables, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    modules = run(python, "-c", f"import {', '.join(PACKAGES)} as _; print(_.__path__[0])")
    assert Path(modules.strip()).is_relative_to(environment)
    pwh = environment / "bin" / "pwh"
    assert run(pwh, "--version") == f"pwh {__version__}\n"
    assert "pwh" in run(pwh, "demo")
    assert "stencil" in run(pwh, "report", "stencil-1.23")
    run(pwh, "report", "stencil-1.23", "-o", "report.html")
    assert f"Written by pwh {__version__}" in (elsewhere / "report.html").read_text()


def test_versions_agree():
    recipe = yaml.safe_load((PROJECT / ".ci" / "conda" / "meta.yaml").read_text(encoding="utf-8"))
    changelog = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", changelog, re.MULTILINE)
    revision = re.search(r"rev: v(\S+)", (PROJECT / "apps" / "README.md").read_text("utf-8"))
    named = {recipe["package"]["version"], newest[1], revision[1]}
    for file in ("action.yml", "apps/README.md", "docs/how-to/ci.md"):
        text = (PROJECT / file).read_text(encoding="utf-8")
        named.update(re.findall(r"(?:OWNER/REPOSITORY@v|pwh==)(\d+\.\d+\.\d+)", text))
    assert named == {__version__}


def test_the_recipe_for_conda_needs_what_pyproject_needs():
    recipe = yaml.safe_load((PROJECT / ".ci" / "conda" / "meta.yaml").read_text(encoding="utf-8"))
    project = PYPROJECT["project"]
    run = dict(one.split(" ", 1) for one in recipe["requirements"]["run"])
    assert SpecifierSet(run.pop("python")) == SpecifierSet(project["requires-python"])
    assert {name: SpecifierSet(versions) for name, versions in run.items()} == {
        CONDA_NAMES.get(one.name, one.name): one.specifier
        for one in map(Requirement, project["dependencies"])
    }
    assert set(PYPROJECT["build-system"]["requires"]) <= {
        one.replace(" ", "") for one in recipe["requirements"]["host"]
    }
    assert recipe["build"]["entry_points"] == [
        f"{name} = {target}" for name, target in project["scripts"].items()
    ]
    assert recipe["about"]["license"] == project["license"]
    assert recipe["about"]["license_file"] == project["license-files"]


@pytest.fixture(scope="module")
def dockerfile():
    """Return the instructions of the Dockerfile, each as its name and the rest."""
    text = (PROJECT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return [tuple(line.split(" ", 1)) for line in lines]


def test_the_image_copies_all_that_is_built_and_only_what_exists(dockerfile):
    copied = {
        source
        for name, rest in dockerfile
        if name == "COPY" and not rest.startswith("--from=")
        for source in rest.split()[:-1]
    }
    assert {one for one in copied if not (PROJECT / one).exists()} == set()
    project = PYPROJECT["project"]
    assert {*PACKAGES, "pyproject.toml", project["readme"], *project["license-files"]} <= copied


def test_the_stages_of_the_image_follow_each_other(dockerfile):
    stages: list[str] = []
    for name, rest in dockerfile:
        if name == "FROM":
            base, _, stage = rest.partition(" AS ")
            python = re.fullmatch(r"python:([\d.]+)-slim", base)
            assert base in stages or PYPROJECT["project"]["requires-python"] == f">={python[1]}"
            stages.append(stage)
        elif source := re.match(r"--from=(\S+)", rest):
            assert source[1] in stages
    assert "full" in stages and stages[-1] == "slim"  # what is built without --target
    extras = re.findall(r"'\.\[(\w+)\]'", " ".join(rest for _, rest in dockerfile))
    assert extras == ["all"] and "all" in PYPROJECT["project"]["optional-dependencies"]


def test_the_image_has_the_locked_versions_for_pip(dockerfile):
    (command,) = (rest for name, rest in dockerfile if "/versions.txt" in rest and "sed" in rest)
    shell = ["bash", "-c", command.replace("> /versions.txt", "")]
    versions = subprocess.run(shell, cwd=PROJECT, check=True, capture_output=True, text=True).stdout
    found = {line for line in versions.splitlines() if not line.startswith("#")}
    assert found == set(re.findall(r"^(?:# )?([\w.-]+==[\w.]+)", LOCK, re.MULTILINE))


@pytest.mark.parametrize("hook", ["pwh-recordings", "pwh-gate"])
def test_hooks_run_commands_that_exist(hook):
    hooks = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (one,) = (one for one in hooks if one["id"] == hook)
    assert one["language"] == "python" and one["name"] and one["description"]
    program, command, *options = one["entry"].split()
    assert program in PYPROJECT["project"]["scripts"]
    known = typer.main.get_command(app).commands[command]
    assert set(options) <= {name for one in known.params for name in one.opts}


@pytest.mark.parametrize(("extra", "code"), [([], 0), (["bad.csv"], 3)])
def test_the_hook_of_recordings_reads_and_lands_nothing(extra, code, tmp_path):
    hooks = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (hook,) = (one for one in hooks if one["id"] == "pwh-recordings")
    (tmp_path / "bad.csv").write_text("a,b\nc")
    good = PROJECT / "apps" / "demo" / "recordings" / "heat-1.0.perf.csv"
    _, *words = hook["entry"].split()
    main = [sys.executable, "-c", "from apps.cli import main; main()"]
    done = subprocess.run(
        [*main, *words, *hook["args"], *extra, str(good)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    assert "would land" in done.stdout and not list(tmp_path.glob("*.duckdb"))


def test_the_notice_names_where_all_data_comes_from():
    notice = (PROJECT / "NOTICE.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in notice.splitlines() if line.startswith("| `")]
    patterns = {pattern for row in rows for pattern in re.findall(r"`([^`]+)`", row[1])}
    data = {one for one in shipped() if Path(one).suffix not in (".py", ".sql", ".md")}
    unnamed = {one for one in data if not any(fnmatch(one, pattern) for pattern in patterns)}
    assert unnamed == set()
    assert {one for one in patterns if not any(fnmatch(file, one) for file in data)} == set()


VULNERABLE = '{"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]}'
FINE = '{"name": "b", "version": "1", "vulns": []}'
SKIPPED = '{"name": "c", "skip_reason": "not found"}'


@pytest.mark.parametrize(
    ("answer", "code", "printed"),
    [
        (f'{{"dependencies": [{FINE}, {VULNERABLE}]}}', 1, "a 1: CVE-1, fixed in 2"),
        (f'{{"dependencies": [{FINE}, {SKIPPED}]}}', 0, "audited 1 of 2 locked versions"),
        ("", 0, "no audit"),
        (None, 0, "no audit"),
    ],
    ids=["a finding", "not all known", "no answer", "no network"],
)
def test_only_a_finding_fails_the_audit(answer, code, printed, tmp_path):
    (tmp_path / ".ci").mkdir()
    script = tmp_path / ".ci" / "audit"
    script.write_bytes((PROJECT / ".ci" / "audit").read_bytes())
    (tmp_path / "constraints.txt").write_text("# torch==1\na==1 --hash=sha256:0\n")
    # the environment that it makes, with a pip that installs nothing
    programs = tmp_path / "programs"
    programs.mkdir()
    stub = programs / "python3"
    stub.write_text(
        f'#!/bin/bash\nif [ "$1" != -m ]; then exec {sys.executable} "$@"; fi\n'
        'mkdir -p "$3/bin" && cp "$0-pip" "$3/bin/pip" && cp "$0-audit" "$3/bin/pip-audit"\n'
    )
    (programs / "python3-pip").write_text(f"#!/bin/bash\nexit {int(answer is None)}\n")
    (programs / "python3-audit").write_text(
        f"#!/bin/bash\ncat >asked\necho '{answer}'\nexit {int(answer != '')}\n"
    )
    for one in programs.iterdir():
        one.chmod(0o755)
    done = subprocess.run(
        ["bash", str(script)],
        env={"PATH": f"{programs}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, printed in done.stdout + done.stderr) == (code, True), done.stderr
    if answer is not None:
        assert (tmp_path / "asked").read_text() == "torch==1\na==1\n"
