"""A crowd: twelve writers beside six readers that read in a loop, and the app.

python -m tests.faults.crowd prints how long the writers take without and with the others.
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import warehouse
from tests.faults.damage import warehouse_of_samples

WRITERS, READERS, FILES, TIMES = 12, 6, 40, 3
MOST = 1.5  # times the time without readers
_TREE = str(Path(__file__).parents[2])
_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from apps.cli import main; main()"
_READER = 'while :; do "$@" runs; "$@" sql "SELECT count(*) FROM pmu_samples"; done'
_APP = """
import itertools, sys
sys.path.insert(0, sys.argv[1])
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash
for page in itertools.cycle(["inbox", "overview", "runs", "trend", "idle", "scaling", "compare"]):
    app = AppTest.from_file(sys.argv[1] + "/apps/pages/__main__.py", default_timeout=600)
    app._page_hash = "" if page == "inbox" else calc_hash(page)
    app.run()
    assert not app.exception, app.exception[0].stack_trace
    print(page, *(one.value for one in (*app.error, *app.warning)), flush=True)
"""


def outcomes(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield of the crowd its name and what was wrong: files that did not land, too long a time."""
    seconds: dict[bool, list[float]] = {False: [], True: []}
    whole = warehouse_of_samples(folder)
    for number in range(2 * TIMES):
        is_crowd = bool(number % 2)
        place = folder / str(number)
        place.mkdir()
        db = Path(shutil.copy(whole, place / "w.duckdb"))
        with _others(db) if is_crowd else _nobody():
            began = time.monotonic()
            problems = _written(db)
            seconds[is_crowd].append(time.monotonic() - began)
        for problem in problems:
            yield "crowd", problem
        # Readers were killed in the queue: the next writer tidies up.
        warehouse.connect(db).close()
        left = [path.name for path in place.iterdir() if path.name.startswith(".")]
        yield "crowd", f"{left} is left" if left else ""
    alone, beside = (statistics.median(seconds[is_crowd]) for is_crowd in (False, True))
    ratio = beside / alone
    print(
        f"{WRITERS} writers of {FILES} files: {alone:.1f} s alone, {beside:.1f} s beside "
        f"{READERS} readers and the app, {ratio:.2f} times (medians of {TIMES}; {seconds})"
    )
    yield "crowd", f"{ratio:.2f} times the time without readers" if ratio > MOST else ""


def _written(db: Path) -> list[str]:
    """Let all writers land their files at once; return what was wrong with each."""
    writers = []
    for writer in range(WRITERS):
        numbers = range(writer * FILES, (writer + 1) * FILES)
        files = [_counters(db.parent / f"{number}.csv", number) for number in numbers]
        writers.append(_started(db, "ingest", *map(str, files)))
    problems = []
    for writer in writers:
        _, err = writer.communicate(timeout=600)
        problems.append(f"ingest ends with {writer.returncode}: {err}" if writer.returncode else "")
    with warehouse.connect(db, read_only=True) as con:
        sql = "SELECT count(*), sum(rows) FROM sources WHERE starts_with(path, $1)"
        landed = con.execute(sql, [str(db.parent)]).fetchone()
    expected = (WRITERS * FILES, WRITERS * FILES * 64)
    return [*problems, "" if landed == expected else f"{landed} landed in place of {expected}"]


def _counters(path: Path, seed: int) -> Path:
    lines = (f"{i},0,cycles,{64 * seed + i}" for i in range(64))
    path.write_text("\n".join(["rank,sample,event,value", *lines]) + "\n")
    return path


def _pwh(db: Path) -> list[str]:
    return [sys.executable, "-P", "-c", _START, _TREE, "--db", str(db)]


def _started(db: Path, *words: str) -> subprocess.Popen[str]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*_pwh(db), *words], text=True, **pipes)


@contextmanager
def _nobody() -> Iterator[None]:
    yield


@contextmanager
def _others(db: Path) -> Iterator[None]:
    """Let others read while the block runs."""
    readers = [["sh", "-c", _READER, "sh", *_pwh(db)]] * READERS
    app = [sys.executable, "-P", "-c", _APP, _TREE]
    env = {**os.environ, "PWH_DB": str(db)}
    log = (db.parent / "others.log").open("w")
    started = [
        subprocess.Popen(one, env=env, stdout=log, stderr=log, process_group=0)
        for one in (*readers, app)
    ]
    time.sleep(5)  # The app takes seconds to start.
    try:
        yield
    finally:
        for one in started:
            os.killpg(one.pid, signal.SIGKILL)
            one.wait()
        log.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        wrong = [problem for _, problem in outcomes(Path(name)) if problem]
    print(*wrong, sep="\n")
    sys.exit(bool(wrong))
