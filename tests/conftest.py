"""Fixtures that all tests share."""

from __future__ import annotations

import atexit
import fcntl
import gc
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import warehouse as pwh
from tests.helpers import support
from warehouse import connection, terminal_sql

if TYPE_CHECKING:
    from ingest.parsed import Options
    from warehouse.errors import InputError
    from warehouse.session import Connection

if sys.dont_write_bytecode:
    # Hundreds of processes import the same modules. What is compiled of them is kept while the
    # tests run, away from the tree.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = tempfile.mkdtemp(prefix="pycache-")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    atexit.register(shutil.rmtree, sys.pycache_prefix, ignore_errors=True)
# Planning a query allocates and frees thousands of small objects. By default glibc keeps seven of
# each size at hand, and looks for the others in what a long test has left in pieces: a sixth of
# the processor time of landing small files, a few hundredths of that of other queries. In pages of
# 2 MiB, which Linux gives who asks for them, an eighth of the time of a large query is saved.
# Processes read this when they start: those of pytest-xdist, and commands.
os.environ.setdefault("GLIBC_TUNABLES", "glibc.malloc.tcache_count=2000:glibc.malloc.hugetlb=1")
_MAIN = threading.current_thread() is threading.main_thread()
if _MAIN and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So it is in the background of a shell; commands that the tests start would ignore it, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
_IN_MEMORY = Path("/dev/shm")
_ROOM = 8 * 2**30  # several times what is there at once
if _IN_MEMORY.is_dir() and shutil.disk_usage(_IN_MEMORY).free > _ROOM:
    # Thousands of small warehouses are written. On a disk each commit waits for it.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_IN_MEMORY))
# Models of tests are small: their threads would mostly wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
if "PYTEST_XDIST_WORKER" in os.environ:
    # DuckDB has as many threads as this says. A second one costs a tenth of the processor time.
    os.environ.setdefault("SLURM_CPUS_ON_NODE", "1")


# First, so that no process is left with a long one at the end.
_LONG = (
    "tests/browser/",
    "tests/test_reliability.py",
    "tests/udfs/test_bottleneck_fit.py",
    "tests/apps/commands/test_fit.py",
    "tests/sql/test_idle_",
)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let a process of pytest-xdist that is done take tests from another, unless told otherwise."""
    if getattr(config.option, "dist", None) == "load":
        config.option.dist = "worksteal"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one process more than there are cores: those of the browser's tests mostly wait."""
    return len(os.sched_getaffinity(0)) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[object]:
    """Import what the tests import once, in all processes together, and without looking for waste.

    What is compiled of a module is kept, so each process begins with another folder. Garbage
    collection would look through hundreds of thousands of objects again and again that all stay.
    """
    worker, args = os.environ.get("PYTEST_XDIST_WORKER"), session.config.args
    if worker is not None and args == session.config.getini("testpaths"):
        here = Path(__file__).parent
        folders = (path.parent for path in here.glob("*/__init__.py"))
        parts = sorted(map(str, [*folders, *here.glob("test_*.py")]))
        first = int(worker[2:]) * len(parts) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        session.config.args = [*parts[first:], *parts[:first]]
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests that take long first, then file by file, in whatever order they were collected."""
    items.sort(key=lambda item: (not item.nodeid.startswith(_LONG), item.path))


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield an empty warehouse to copy, which takes a tenth of making one, or to read."""
    yield from _open_for_reading(
        _made_once(tmp_path_factory, "template.duckdb", lambda path: pwh.connect(path).close())
    )


@pytest.fixture(scope="module", autouse=True)
def _left() -> Iterator[None]:
    """Leave the warehouses of a module, which its commands looked through again and again."""
    yield
    support.leave_files()


@pytest.fixture
def new_warehouses_are_copies(template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy a template for every new warehouse, which is faster than creating it."""

    def create(file: Path) -> None:
        if not file.parent.is_dir():
            return real(file)
        shutil.copy(template, file)

    real = connection._create
    monkeypatch.setattr(connection, "_create", create)


@pytest.fixture
def in_memory(template: Path) -> Callable[[], Connection]:
    """Return a function that returns an empty warehouse in memory at each call.

    Copying what the template has takes a tenth of creating it, as no view is bound.
    """

    def make() -> Connection:
        con = connection._prepared(connection.MEMORY, read_only=False)
        con.execute(f"ATTACH '{template}' AS template (READ_ONLY)")
        con.execute("COPY FROM DATABASE template TO memory")
        con.execute("DETACH template")
        return con

    return make


@pytest.fixture
def another(
    template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], Connection]]:
    """Yield a function that returns an empty warehouse at each call."""
    folder = tmp_path_factory.mktemp("warehouses")
    opened: list[Connection] = []

    def make() -> Connection:
        path = folder / f"{len(opened)}.duckdb"
        shutil.copy(template, path)
        opened.append(pwh.connect(path))
        return opened[-1]

    yield make
    for con in opened:
        con.close()
    shutil.rmtree(folder)


@pytest.fixture
def warehouse(another: Callable[[], Connection]) -> Connection:
    """Return an empty warehouse."""
    return another()


@pytest.fixture(scope="session")
def demo_warehouse(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the warehouse of `pwh demo`, to be opened read-only; copy it to change it."""

    def make(path: Path) -> None:
        shutil.copy(template, path)
        _fill_demo(path)

    yield from _open_for_reading(_made_once(tmp_path_factory, "demo.duckdb", make))


@pytest.fixture(scope="session")
def samples_warehouse(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a warehouse of all samples, to be opened read-only; copy it to change it."""

    def make(path: Path) -> None:
        from ingest.parsed import Options

        shutil.copy(template, path)
        # Some formats need a package that is not installed everywhere.
        _fill(path, [(Path(__file__).parent / "samples", Options())])

    yield from _open_for_reading(_made_once(tmp_path_factory, "samples.duckdb", make))


def _open_for_reading(path: Path) -> Iterator[Path]:
    """Yield a warehouse that stays open meanwhile, and shared by all that this process opens.

    DuckDB opens a file that this process has open in a twentieth of the time.
    """
    with pwh.connect(path, read_only=True):
        SHARED.add(str(path))
        yield path


SHARED: set[str] = set()


@pytest.fixture(autouse=True)
def _leave_shared_warehouses_their_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not deny SQL files where a test shares the warehouse: DuckDB would deny them to all."""

    def restrict(con: Connection, output: Sequence[Path]) -> None:
        paths = {path for (path,) in con.execute("SELECT path FROM duckdb_databases()").fetchall()}
        if not paths & SHARED:
            real(con, output)

    real = terminal_sql.restrict_files
    monkeypatch.setattr(terminal_sql, "restrict_files", restrict)


def _made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a warehouse made once for all test processes: they share the folder above theirs."""
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    path = folder / name
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")
            make(unfinished)
            unfinished.rename(path)
    return path


def _fill_demo(path: Path) -> None:
    # Imported here, because few tests need them.
    from apps.demo.entries import ENTRIES
    from ingest.parsed import Options

    stated = [
        (one.path, Options(run_id=one.run_id, facts=one.facts, tags=one.tags)) for one in ENTRIES
    ]
    assert _fill(path, stated) == []


def _fill(path: Path, stated: Iterable[tuple[Path, Options]]) -> list[InputError]:
    """Land files in groups, as `pwh ingest` does: in a third of the time. Return the rejections."""
    from apps.landing import Lander
    from ingest.walk import find
    from warehouse.errors import InputError

    found = ((one, options) for path, options in stated for one in find([path]))
    with Lander(path, wait=None, dry_run=False) as lander:
        outcomes = [outcome for _, outcome in lander.land_all(found)]
    return [outcome for outcome in outcomes if isinstance(outcome, InputError)]
