"""Names of a run that nobody states: application, version, machine, and its environment."""

from __future__ import annotations

import hashlib
import mmap
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from ingest.git import git, head_of

_SHELLS = re.compile(r"(?:ba|da|k|z)?sh")
_INTERPRETERS = re.compile(
    r"(?:python|pypy|perl|ruby|node|nodejs|lua|luajit|Rscript|julia|php)[\d.]*"
)
_LAUNCHERS = (
    *("env", "nice", "ionice", "chrt", "taskset", "numactl", "stdbuf", "setsid", "nohup"),
    *("timeout", "time", "sudo", "mpirun", "mpiexec", "srun", "aprun", "jsrun", "prterun"),
)
# Variables that decide how a program runs in parallel.
_PARALLEL = re.compile(
    r"\w+_NUM_THREADS|OMP_\w+|GOMP_\w+|KMP_\w+|GOMAXPROCS|GOGC|JAVA_TOOL_OPTIONS"
    r"|(?:CUDA|ROCR|HIP)_VISIBLE_DEVICES|NUMBA_\w+|PYTHON(?:OPTIMIZE|HASHSEED|DEVMODE)"
    r"|MALLOC_\w+|LD_PRELOAD"
)
# What compilers leave in the programs that they make, near the end of the file.
_COMPILERS = re.compile(rb"GCC: \([^)\0]*\) [\d.]+|(?:clang|rustc) version [\d.]+")
_ASKED_OF_PYTHON = (
    "import platform, sys; print(platform.python_implementation().replace('CPython', 'Python'), "
    "platform.python_version()); "
    "print(*dict.fromkeys(p for p in sys.path if 'packages' in p), sep='\\n')"
)
_PACKAGE = re.compile(r"([\w.]+)-(\d[^-]*)(?:-py[\d.]+)?\.(?:dist|egg)-info")
_MOST_SEARCHED = 16 << 20  # bytes
_SWITCH = {"0": "off", "1": "on"}
_ASSIGNED = re.compile(r'^(\w+)="?([^"\n]*)"?$', re.MULTILINE)
_CONTAINERS = {
    "/.dockerenv": "docker",
    "/run/.containerenv": "podman",
    "/.singularity.d": "apptainer",
}
# Options of interpreters to which the next word belongs, and those after which a program is typed.
_VALUES = ("-X", "-W", "-r", "-o")
_JAVA_VALUES = ("-cp", "-classpath", "--class-path", "-p", "--module-path")
_TYPED = ("-c", "-e", "-")


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the sources in a folder: `name` is None where it is unknown, `lack` is why.

    `facts` are the commit and the branch.
    """

    name: str | None = None
    facts: Mapping[str, str | None] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    lack: str | None = None


def application(command: Sequence[str]) -> str:
    """Return what a command runs: the program, or the script or module of an interpreter.

    `primes` of `python3 -X dev primes.py 10`, `lu` of `mpirun -n 4 ./lu`, `make` of `make -j`.
    """
    name = PurePath(command[0]).name or command[0]
    if name in _LAUNCHERS:
        for at, word in enumerate(command[1:], 1):
            if not word.startswith("-") and "=" not in word and shutil.which(word):
                return application(command[at:])
    if name == "java":
        words = _script(command, _JAVA_VALUES, ())
        return (PurePath(words[1]).stem if words[0] == "-jar" else words[0]) if words else name
    if _SHELLS.fullmatch(name) or _INTERPRETERS.fullmatch(name):
        typed = ("-c",) if _SHELLS.fullmatch(name) else _TYPED
        words = _script(command, _VALUES, typed)
        return (words[1] if words[0] == "-m" else PurePath(words[0]).stem) if words else name
    return name


def _script(
    command: Sequence[str], with_values: Sequence[str], typed: Sequence[str]
) -> Sequence[str]:
    """Return the words of a command from the script, -m MODULE or -jar FILE on; else none."""
    words = command[1:]
    while words and words[0].startswith("-"):
        if words[0] in typed:
            return []
        if words[0] in ("-m", "-jar"):
            return words if len(words) > 1 else []
        words = words[2 if words[0] in with_values else 1 :]
    return words


def arguments(command: Sequence[str]) -> str:
    """Return all words of a command but the first, as a shell would read them."""
    return shell_text(command[1:])


def shell_text(words: Sequence[str]) -> str:
    """Return words as one line that a shell reads as the same words."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """Quote one word; control characters as in $'a\\nb', so that the text is one line."""
    if word.isprintable():
        import shlex

        return shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    shown = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in escaped)
    return "$'" + "".join(shown) + "'"


def parallel_variables(environment: Mapping[str, str]) -> str:
    """Return the variables that decide how programs run in parallel: `OMP_NUM_THREADS=4`."""
    names = sorted(name for name in environment if _PARALLEL.fullmatch(name))
    return " ".join(f"{name}={environment[name]}" for name in names)


def git_version(folder: Path) -> Version:
    """Return the version of the sources in a folder, by git.

    It is what `git describe --tags --always` prints; where tracked files differ from the commit,
    with a + and six digits that stand for the difference, so that each state has its own name.
    """
    described = git(folder, "describe", "--tags", "--always", "--abbrev=9", "HEAD")
    if described.returncode != 0:
        return Version(lack=_why_not(described.stderr))
    name = described.stdout.strip().decode("utf-8", "replace")
    head = head_of(folder.resolve())
    facts = {} if head is None else {"commit": head.commit, "branch": head.branch}
    difference = git(folder, "diff", "--no-color", "--no-ext-diff", "--binary", "HEAD").stdout
    if not difference:
        return Version(name, facts)
    state = hashlib.sha256(difference).hexdigest()[:6]
    return Version(f"{name}+{state}", facts, {"dirty": "true"})


def _why_not(message: bytes) -> str:
    text = message.decode("utf-8", "replace")
    if text == "git is not installed":
        return text
    if "not a git repository" in text:
        return "this folder is not in a git repository"
    if "not a valid object name" in text.lower() or "unknown revision" in text:
        return "the git repository has no commit yet"
    return "git says: " + (text.strip().splitlines() or ["nothing"])[0].removeprefix("fatal: ")


def environment(command: Sequence[str]) -> dict[str, str]:
    """Return what a command runs in: processor, system, and what made or interprets the program."""
    facts = _processor_facts()
    cpufreq = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
    no_turbo = _text("/sys/devices/system/cpu/intel_pstate/no_turbo")
    release = dict(_ASSIGNED.findall(_text("/etc/os-release")))
    driver = re.search(r"Module\S*(?: for \S+)?\s+([\d.]+)", _text("/proc/driver/nvidia/version"))
    found = {
        "cpu": _processor(),
        "microcode": facts.get("microcode"),
        "cores": str(len(os.sched_getaffinity(0))),
        "smt": _SWITCH.get(_text("/sys/devices/system/cpu/smt/active")),
        "governor": _text(cpufreq),
        "turbo": _SWITCH.get({"1": "0", "0": "1"}.get(no_turbo, ""))
        or _SWITCH.get(_text("/sys/devices/system/cpu/cpufreq/boost")),
        "kernel": platform.release(),
        "os": release.get("PRETTY_NAME") or platform.system(),
        "libc": " ".join(platform.libc_ver()).strip(),
        "container": next((name for mark, name in _CONTAINERS.items() if Path(mark).exists()), ""),
        "gpu_driver": driver[1] if driver else None,
        **_made_by(command),
    }
    return {name: text for name, text in found.items() if text}


def _made_by(command: Sequence[str]) -> dict[str, str]:
    """Return the interpreter of a command, with Python's packages, or the program's compilers."""
    program = shutil.which(command[0])
    if program is None:
        return {}
    name = PurePath(command[0]).name
    if _INTERPRETERS.fullmatch(name):
        is_python = name.startswith(("python", "pypy"))
        asked = ["-c", _ASKED_OF_PYTHON] if is_python else ["--version"]
        try:
            done = subprocess.run(  # noqa: S603
                [program, *asked], capture_output=True, check=False, timeout=5, text=True
            )
        except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
            return {}
        line, *folders = (done.stdout or done.stderr).strip().split("\n")
        if done.returncode != 0 or not line:
            return {}
        return {"interpreter": line} | (_packages(folders) if is_python else {})
    try:
        with open(program, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:  # noqa: PTH123
            names = {one.decode() for one in _COMPILERS.findall(data[-_MOST_SEARCHED:])}
    except (OSError, ValueError):
        return {}
    return {"compiler": ", ".join(sorted(names))} if names else {}


def _packages(folders: Sequence[str]) -> dict[str, str]:
    """Return the versions of the packages in folders of Python, by the names of their metadata."""
    found: dict[str, str] = {}
    for folder in map(Path, folders):
        try:
            names = sorted(entry.name for entry in folder.iterdir())
        except OSError:
            continue
        for name in names:
            if package := _PACKAGE.fullmatch(name):
                found.setdefault(f"package:{package[1].lower().replace('_', '-')}", package[2])
    return found


def machine() -> str:
    """Return the processor, the cores that may be used, and the governor of their frequency."""
    cores = sorted(os.sched_getaffinity(0))
    parts = [_processor(), f"{len(cores)} core{'s' if len(cores) != 1 else ''}"]
    governors = {
        text
        for core in cores
        if (text := _text(f"/sys/devices/system/cpu/cpu{core}/cpufreq/scaling_governor"))
    }
    return ", ".join([*parts, *sorted(governors)])


def _processor_facts() -> dict[str, str]:
    """Return what the kernel knows of the first processor."""
    facts: dict[str, str] = {}
    for line in _text("/proc/cpuinfo").splitlines():
        name, _, value = line.partition(":")
        facts.setdefault(name.strip(), " ".join(value.split()))
    return facts


def _processor() -> str:
    facts = _processor_facts()
    for name in ("model name", "cpu model", "cpu", "Model"):
        if facts.get(name):
            return facts[name]
    if "CPU part" in facts:
        return f"{platform.machine()} {facts.get('CPU implementer', '')} {facts['CPU part']}"
    return platform.processor() or platform.machine() or "unknown processor"


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
