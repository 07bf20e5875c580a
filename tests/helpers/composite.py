"""Run the steps of a composite action of GitHub in order, as a runner does, with a cache.

Expressions are those that the action uses: names, `==`, `!=`, `&&`, `||` and `always()`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
_TOKEN = re.compile(r"\s*('[^']*'|==|!=|&&|\|\||always\(\)|[\w.-]+)")
_WORDS = {"&&": "and", "||": "or", "always()": "True", "true": "True", "false": "False"}


@dataclass(slots=True)
class Job:
    """A job with one step, the action.

    `contexts` are values by name, such as `github.sha`; `cache` is the folder that jobs share.
    """

    action: Path
    inputs: Mapping[str, str]
    contexts: Mapping[str, str]
    workspace: Path
    temp: Path
    cache: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    log: str = ""
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self) -> int:
        """Return the exit code of the job."""
        described = yaml.safe_load((self.action / "action.yml").read_text(encoding="utf-8"))
        known = dict(self.contexts) | {
            "runner.temp": str(self.temp),
            "github.action_path": str(self.action),
        }
        for name, one in described["inputs"].items():
            known[f"inputs.{name}"] = self.inputs.get(name) or _filled(
                one.get("default", ""), known
            )
        code = 0
        for step in described["runs"]["steps"]:
            condition = str(step.get("if", "True"))
            if (code and "always()" not in condition) or not _value(condition, known):
                continue
            began = time.monotonic()
            if "uses" in step:
                found = {name: _filled(text, known) for name, text in step["with"].items()}
                outputs = self._cached(step["uses"], found)
            else:
                code, outputs = self._script(step, known, code)
            self.seconds[step["name"]] = time.monotonic() - began
            known |= {f"steps.{step.get('id')}.outputs.{k}": v for k, v in outputs.items()}
        return code

    def _script(
        self, step: Mapping[str, Any], known: Mapping[str, str], code: int
    ) -> tuple[int, dict[str, str]]:
        """Run the script of a step; return the exit code so far, and what it puts out."""
        files = {
            name: self.temp / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
        }
        files["GITHUB_OUTPUT"].write_text("")
        files["GITHUB_STEP_SUMMARY"].touch()
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.workspace,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", **self.environment}
            | {name: str(file) for name, file in files.items()}
            | {name: _filled(text, known) for name, text in step.get("env", {}).items()},
            capture_output=True,
            text=True,
        )
        self.log += f"--- {step['name']}\n{done.stdout}{done.stderr}"
        lines = files["GITHUB_OUTPUT"].read_text().splitlines()
        return code or done.returncode, dict(line.split("=", 1) for line in lines)

    def _cached(self, uses: str, found: Mapping[str, str]) -> dict[str, str]:
        path = self.workspace / found["path"]
        if uses.startswith("actions/cache/save@"):
            self._save(found["key"], path)
            return {}
        entries = sorted(self.cache.glob("*"), key=lambda one: one.stat().st_mtime_ns, reverse=True)
        for start in (found["key"], *found.get("restore-keys", "").split()):
            for entry in entries:
                if entry.name.startswith(start):
                    self._copy(entry / "content", path)
                    return {"cache-hit": str(entry.name == found["key"]).lower()}
        return {"cache-hit": ""}

    def _save(self, key: str, path: Path) -> None:
        if path.exists() and not (self.cache / key).exists():
            (self.cache / key).mkdir(parents=True)
            self._copy(path, self.cache / key / "content")

    @staticmethod
    def _copy(source: Path, target: Path) -> None:
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True)
        else:
            shutil.copy2(source, target)


def _filled(text: Any, known: Mapping[str, str]) -> str:
    return _EXPRESSION.sub(lambda found: str(_value(found[1], known) or ""), str(text))


def _value(expression: str, known: Mapping[str, str]) -> Any:
    """Return the value of an expression; the order of `&&` and `||` is that of Python."""
    if expression == "True":
        return True
    words, names = [], {}
    for token in _TOKEN.findall(expression):
        if token in _WORDS or token in ("==", "!="):
            words.append(_WORDS.get(token, token))
        else:
            names[f"v{len(names)}"] = token[1:-1] if token[0] == "'" else known.get(token, "")
            words.append(f"v{len(names) - 1}")
    return eval(" ".join(words), {"__builtins__": {}}, names)
