"""Whether explain names the function and the mechanism of a slowdown that was put into a program.

Twelve mechanisms (folder culprits) in open programs of Debian, PyPI, npm and Go, recorded before
and after by ordinary tools, each set of which contains some of the causes. A case is right where
the first sentence has the function and the mechanism as far as the recordings contain them, and
says nothing false; undecided where it leaves out what they contain; noise where the change of the
runs is not certain; wrong where it names another function or mechanism. Pairs of equal programs
have no cause. Rules are chosen on TUNED programs; the figures of the others are what is reported.

    python -m tests.bench.bench_culprits [--cases 24] [--seed 1] [--programs a b]
        [--mechanisms x y] [--tools t u] [--runs 5] [--sources FOLDER] [--keep FILE]

The folder has the sources of Debian (apt-get source bzip2 cjson pugixml tinyxml2) and what npm
install marked acorn made; programs whose sources, compilers or tools are missing are left out.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from duckdb import DuckDBPyConnection

import warehouse
from apps.output.tables import dicts
from apps.queries.base import ask_dicts
from apps.queries.explanations import Comparison, explanation
from apps.reports.explanations import explanation_sentences
from tests.helpers.support import land

HERE = Path(__file__).with_name("culprits")
PROGRAMS = {  # by language; the first half of each is TUNED
    "c": ("bzip2", "cjson"),
    "cpp": ("pugixml", "tinyxml2"),
    "python": ("highlight", "render", "markdown", "numbers"),
    "node": ("marked", "acorn"),
    "go": ("json", "flate"),
}
TUNED = {"bzip2", "pugixml", "highlight", "render", "marked", "json"}
TOOLS = {
    "c": ("perf", "callgrind"),
    "cpp": ("perf", "callgrind"),
    "python": ("cprofile", "py-spy"),
    "node": ("cpu-prof",),
    "go": ("perf", "pprof"),
}
SIDES = ("before", "after")
RECORDED = {"perf": "perf-record"}  # pwh record --tool
LOSS = {"callgrind": 0.03}  # s, of valgrind that takes fifty times as long
BZIP2 = ["blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib"]
FILES = {
    "bzip2": ("*.c", BZIP2),
    "cjson": ("*.c", ["cJSON"]),
    "pugixml": ("*.cpp", ["pugixml"]),
    "tinyxml2": ("*.cpp", ["tinyxml2"]),
}
MORE = "more_work more_instructions more_calls first_calls"
# Of each mechanism the functions that do it, and the codes that are right.
MECHANISMS = {
    "more_work": ("checksum", MORE),
    "worse_locality": ("gather", "slower_memory slower_cache slower_translations"),
    "lock": ("publish|holder|acquire|lock|wait|sleep", "waits_lock waits_switches waits"),
    "allocation": ("assemble|bytearray|page|alloc|memclr|clear_", "kernel_faults touches_memory"),
    "fsync": ("journal|sync", "waits_disk waits_writes waits_switches waits"),
    "sleep": ("settle|sleep|wait", "sleeps waits_switches waits"),
    "garbage": ("churn|garbage|gc|scan|mark|sweep", "collects_garbage"),
    "recursion": ("visit|descend", MORE),
    "scalar": ("scale|genexpr|sum|equals", MORE),
    "slower_library": ("arrange|insert|compare|sort", MORE),
    "warm_up": ("prepare|compile|regexp|syntax", f"{MORE} collects_garbage"),
    "neighbour": ("", "waits_processor waits_processor_partly waits_preemptions"),
}
WAITS = {"lock", "fsync", "sleep", "neighbour"}
UNNAMED = {  # codes that leave the mechanism open
    *(
        "works_longer",
        "cause_undecided",
        "cause_unknown",
        "slower_calls",
        "same_instructions",
        "waits",
    ),
    *("waits_switches", "kernel"),
}


def contained(tools: str, mechanism: str) -> tuple[bool, bool]:
    """Return whether recordings of the tools contain the function, and the mechanism."""
    if mechanism == "neighbour":
        return False, tools != "callgrind"
    counted = {"more_work", "recursion", "scalar", "slower_library", "warm_up"}
    if tools == "callgrind":  # instructions and misses, no time
        return (both := mechanism in counted | {"worse_locality"}), both
    if tools == "cprofile":  # calls and times of functions, waiting too
        return True, mechanism in WAITS | {"garbage", "allocation", "recursion"}
    if tools == "cpu-prof":  # times of functions, waiting too
        return mechanism != "garbage", mechanism in {"garbage", "allocation", *WAITS}
    # samples of the processor; that it waits is known from counters
    return mechanism not in WAITS, mechanism in WAITS | {"allocation"}


def main() -> None:
    """Print what explain says of each case, and how many are right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    every = [name for names in PROGRAMS.values() for name in names]
    parser.add_argument("--programs", nargs="+", default=every, choices=every)
    parser.add_argument("--mechanisms", nargs="+", default=list(MECHANISMS))
    parser.add_argument(
        "--tools", nargs="+", default=sorted({t for u in TOOLS.values() for t in u})
    )
    parser.add_argument("--cases", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sources", type=Path, default=Path())
    parser.add_argument("--keep", type=Path, help="warehouse of the recordings, which are reused")
    parser.add_argument("--judge", action="store_true", help="record nothing")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        bench = Bench(Path(folder), options)
        cases = [
            (program, tools, mechanism)
            for language, programs in PROGRAMS.items()
            for program in programs
            if program in options.programs and bench.build(language, program)
            for tools in TOOLS[language]
            if tools in options.tools and bench.has(tools)
            for mechanism in (*options.mechanisms, "none")
            if mechanism != "garbage" or language not in ("c", "cpp")
        ]
        random.Random(options.seed).shuffle(cases)
        found: dict[bool, Counter[tuple[str, str]]] = {True: Counter(), False: Counter()}
        for case in cases[: options.cases]:
            if not options.judge:
                bench.record(*case)
        with warehouse.connect(bench.db, read_only=True) as con:
            for program, tools, mechanism in cases[: options.cases]:
                if (told := judge(con, program, tools, mechanism)) is not None:
                    found[program in TUNED][mechanism, told[0]] += 1
                    print(f"{told[0]:9}  {program} {tools} {mechanism}: {told[1]}", flush=True)
    for is_tuned, counts in found.items():
        print("Tuned on:" if is_tuned else "Others:")
        for mechanism in sorted({mechanism for mechanism, _ in counts}):
            verdicts = ("right", "noise", "undecided", "wrong")
            told = (f"{counts[mechanism, verdict]} {verdict}" for verdict in verdicts)
            print(f"  {mechanism}: {', '.join(told)}")
        cases_of = Counter(verdict for (name, verdict) in counts.elements() if name != "none")
        print(f"  {cases_of.total()} slowdowns: {dict(cases_of)}")


class Bench:
    """Programs that are built, and the warehouse with their recordings."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self._folder, self._options = folder, options
        self.db = options.keep or folder / "culprits.duckdb"
        self._commands: dict[str, list[str]] = {}
        with warehouse.connect(self.db) as con:
            self._recorded = {app for (app,) in con.sql("SELECT DISTINCT app FROM runs").fetchall()}

    def has(self, tools: str) -> bool:
        """Return whether the tools are installed."""
        program = {"callgrind": "valgrind", "py-spy": "py-spy"}.get(tools, "perf")
        return shutil.which(program) is not None

    def build(self, language: str, program: str) -> bool:
        """Build a program; return whether it can be."""
        target, sources = self._folder / program, self._options.sources
        if language == "python":
            self._commands[program] = [sys.executable, str(HERE / "culprits.py"), program]
        elif language == "node":
            if not (sources / "node_modules" / program).exists() or not shutil.which("node"):
                return False
            os.environ["NODE_PATH"] = str(sources / "node_modules")
            self._commands[program] = ["node", str(HERE / "culprits.js"), program]
        elif language == "go":
            if not shutil.which("go"):
                return False
            command = ["go", "build", "-o", str(target), str(HERE / "culprits.go")]
            subprocess.run(command, check=True)
            self._commands[program] = [str(target), program]
        else:
            ending, names = FILES[program]
            headers = next((h.parent for h in sources.glob(f"{program}-*/**/{names[-1]}.h")), None)
            if headers is None or not shutil.which("g++"):
                return False
            files = [str(headers / f"{name}{ending[1:]}") for name in names]
            driver = self._folder / "culprits.o"
            made = ["gcc", "-O2", "-g", "-c", str(HERE / "culprits.c"), "-o", str(driver)]
            subprocess.run(made, check=True)
            compiler = "gcc" if language == "c" else "g++"
            own = str(HERE / f"{program}{ending[1:]}")
            command = [compiler, "-O2", "-g", f"-I{headers}", str(driver), own, *files]
            subprocess.run([*command, "-lpthread", "-lm", "-o", str(target)], check=True)
            self._commands[program] = [str(target)]
        return True

    def record(self, program: str, tools: str, mechanism: str) -> None:
        """Record both sides of a case (none: of equal programs) where that is not done yet."""
        app = f"{program}-{tools}-{mechanism}"
        if app in self._recorded:
            return
        name = "neighbour" if mechanism == "none" else mechanism
        command = [*self._commands[program], name]
        before, after = ([*command, side, str(LOSS.get(tools, 0.5))] for side in SIDES)
        runs, has_neighbours = self._options.runs, mechanism == "neighbour"
        if tools in ("perf", "cprofile", "py-spy"):
            words = ["record", "--tool", "perf-stat", "--tool", RECORDED.get(tools, tools)]
            words += ["--app", app, "--repeat", str(runs)]
            if has_neighbours:
                self._pwh(*words, "--", *before)
                with _neighbours():
                    self._pwh(*words, "--", *after)
            else:
                self._pwh(*words, "--against", shlex.join(before), "--", *after)
            return
        with warehouse.connect(self.db) as con:
            for at in range(1 if tools == "callgrind" else runs):
                for side, words in zip(SIDES, (before, after), strict=True):
                    folder = self._folder / f"{app}-{at}-{side}"
                    folder.mkdir()
                    around = _around(tools, words, folder)
                    with _neighbours() if has_neighbours and side == "after" else nullcontext():
                        subprocess.run(around, check=True, capture_output=True, cwd=folder)
                    land(con, folder, run_id=folder.name, facts={"app": app})

    def _pwh(self, *words: str) -> None:
        command = [sys.executable, "-m", "apps.cli", "--db", str(self.db), *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)}: {done.stderr}")


def judge(
    con: DuckDBPyConnection, program: str, tools: str, mechanism: str
) -> tuple[str, str] | None:
    """Return the verdict on a case, and the first sentence; None where it was not recorded."""
    sides = con.execute(
        "SELECT run_id, regexp_extract(concat(run_id, tags['arguments']), 'before|after') "
        "FROM runs WHERE app = ? ORDER BY started_at, run_id",
        [f"{program}-{tools}-{mechanism}"],
    ).fetchall()
    if not sides:
        return None
    against, runs = ([run_id for run_id, of in sides if of == side] for side in SIDES)
    which = Comparison(runs, against)
    rows = dicts(explanation(con, which))
    ids = ask_dicts(con, "explanations/runs", **which.sides)
    coverage = ask_dicts(con, "explanations/coverage", **which.sides)
    said = explanation_sentences(which, ids, rows, coverage, is_short=True)
    first = said[0].text
    cause = next((row for row in rows if row["topic"] == "cause"), None)
    if mechanism == "none":
        return ("wrong" if cause else "right"), first
    has_function, has_mechanism = contained(tools, mechanism)
    functions, codes = MECHANISMS[mechanism]
    if cause is None:
        main = next((row for row in rows if row["topic"] == "metric"), None)
        if not (has_function or has_mechanism):
            return "right", first
        return ("undecided" if main is not None and main["certain"] else "noise"), first
    subject, code = cause["subject"], cause["flags"][0]["code"]
    is_named = code not in UNNAMED or code in codes.split()
    if subject is not None and not re.search(functions or "^$", subject):
        return "wrong", first
    if is_named and code not in codes.split():
        return "wrong", first
    is_short = (has_function and subject is None) or (has_mechanism and not is_named)
    return ("undecided" if is_short else "right"), first


def _around(tools: str, command: Sequence[str], folder: Path) -> list[str]:
    """Return the command that records another one in a folder."""
    if tools == "callgrind":
        options = (
            "--cache-sim=yes",
            "--branch-sim=yes",
            f"--callgrind-out-file={folder}/callgrind.out.1",
        )
        return ["valgrind", "-q", "--tool=callgrind", *options, *command]
    stat = ["perf", "stat", "-o", str(folder / "perf-stat.txt"), "--"]
    if tools == "cpu-prof":
        return [*stat, command[0], "--cpu-prof", f"--cpu-prof-dir={folder}", *command[1:]]
    return [*stat, *command, str(folder / "cpu.pprof")]


@contextmanager
def _neighbours() -> Iterator[None]:
    burn = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(burn) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


if __name__ == "__main__":
    main()
