"""pwh completion: what the Tab key of a shell offers."""

from __future__ import annotations

import os
import subprocess

import pytest

from apps.cli import command_line
from apps.commands.completion import completions


def complete(demo, *typed):
    return completions(command_line(), list(typed), demo)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (("rec",), ["record"]),
        (("fit", "ch"), ["choose"]),
        (("report", "--for"), ["--format"]),
        (("report", "--format", "jsonl"), ["jsonl"]),
        (("report", "sorter@2.10"), ["sorter@2.10"]),
        (("report", "lat"), ["latest"]),
        (("--db", "x", "report", "lat"), []),
        (("trend", "sor"), ["sorter"]),
        (("trend", "sorter", "--metric", "wall"), ["wall_seconds"]),
        (("ack", "sorter-2.10", "noi"), ["noise"]),
        (("compare", "a", "sorter-2.10"), ["sorter-2.10"]),
        (("ingest", "x"), []),
        (("record", "x"), []),
        (("nope", "x"), []),
    ],
)
def test_words(demo_warehouse, typed, found):
    assert complete(demo_warehouse, *typed) == found


def test_a_missing_warehouse_is_no_error(tmp_path):
    assert complete(tmp_path / "none.duckdb", "report", "") == []


def test_the_script_of_bash(run, tmp_path):
    (tmp_path / "pwh").write_text("#!/bin/sh\necho a@1; echo a@2\n")
    (tmp_path / "pwh").chmod(0o755)
    _, script, _ = run("completion", "bash")
    script += 'COMP_LINE="pwh report a@" COMP_POINT=13; _pwh; echo "${COMPREPLY[@]}"\n'
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash"], input=script, env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1 2\n", "")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_scripts_of_other_shells_ask_for_words(run, shell):
    code, out, _ = run("completion", shell)
    assert code == 0 and "pwh completion words -- " in out
