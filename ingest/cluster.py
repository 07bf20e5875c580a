"""Dask clusters: work in flight on their workers, and what becomes of it.

A worker that ends in the middle of a job is no failure: Dask gives the job to another. Only a job
during which several workers ended in turn is given up.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import re
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from udfs.interrupts import delayed_interrupts
from warehouse.errors import ClusterError, InputError, PwhError, UsageError

if TYPE_CHECKING:
    from distributed import Client, Future

_K = TypeVar("_K")
_LOCAL = "local"
_ADDRESS = re.compile(
    r"((?P<protocol>dask|tcp|tls|ws|wss|ucxx?)://)?"
    r"(?P<host>[\w.-]+|\[[\da-fA-F:.]+\]):(?P<port>\d{1,5})/?",
    re.ASCII,
)
_MOST_PROCESSES = 1024
_FORMS = (
    "A number of processes here, local (one per core), dask://HOST:PORT or tcp://, tls:// ... of a "
    "scheduler, or the JSON file of dask scheduler --scheduler-file."
)
_CONNECT_SECONDS = 10
_LOOK_SECONDS = 2.0
_LONGEST_WAIT = 60.0
# For each thread one job in work and one in wait; the scheduler has them all in memory.
_JOBS_A_THREAD = 2
_MOST_BYTES = 1 << 30


class Cluster:
    """The workers of a Dask cluster."""

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self._name = name

    def map(
        self,
        function: Callable[..., Mapping[str, bytes]],
        jobs: Iterator[tuple[_K, tuple[Any, ...], int]],
    ) -> Iterator[tuple[_K, Mapping[str, bytes] | PwhError]]:
        """Call a function of pwh for each job; yield what becomes of each, the first done first.

        A job is a key, the arguments, and their bytes; the next is taken when there is room for it.
        Raises `ClusterError` where the cluster is lost, or its workers have not the same pwh.
        """
        pending: dict[Future, tuple[_K, int]] = {}
        is_over = False
        try:
            while pending or not is_over:
                room = self._room() if not is_over else 0
                while not is_over and self._fits(pending, room):
                    job = next(jobs, None)
                    if job is None:
                        is_over = True
                    else:
                        key, arguments, size = job
                        pending[self._submit(function, arguments)] = key, size
                if pending:
                    for future in self._finished(pending):
                        key, _ = pending.pop(future)
                        yield key, self._result(future)
        finally:
            with suppress(Exception):
                self._client.cancel(list(pending))

    def _room(self) -> int:
        """Return how many jobs may be in flight."""
        threads = int(sum(self._client.nthreads().values()))
        return max(_JOBS_A_THREAD * threads, _JOBS_A_THREAD)

    @staticmethod
    def _fits(pending: Mapping[Future, tuple[Any, int]], room: int) -> bool:
        return not pending or (
            len(pending) < room and sum(size for _, size in pending.values()) < _MOST_BYTES
        )

    def _submit(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Future:
        call = pickle.dumps(_Call(function, arguments))
        with warnings.catch_warnings():
            # The rows are part of the job, so that Dask can give it to another worker.
            warnings.filterwarnings("ignore", message="Sending large graph")
            key = f"pwh-{uuid4()}"
            return self._client.submit(pickle.loads, call, key=key, pure=False)

    def _finished(self, pending: Mapping[Future, Any]) -> list[Future]:
        """Wait for jobs; return those that are done."""
        from distributed import CancelledError, wait

        alone_since = None
        while True:
            try:
                with self._client.as_current():
                    return list(wait(list(pending), _LOOK_SECONDS, "FIRST_COMPLETED").done)
            except TimeoutError:
                now = time.monotonic()
            except (CancelledError, OSError) as error:
                raise self._lost() from error
            if self._client.nthreads():
                alone_since = None
            elif alone_since is None:
                alone_since = now
            elif now - alone_since > _LONGEST_WAIT:
                raise ClusterError(
                    f"{self._name} has had no workers for {_LONGEST_WAIT:g} s",
                    hint="Start some: dask worker ADDRESS, in an environment with pwh.",
                )

    def _result(self, future: Future) -> Mapping[str, bytes] | PwhError:
        from distributed import CancelledError, KilledWorker

        try:
            found: Mapping[str, bytes] = future.result()
            return found
        except InputError as error:
            return error
        except PwhError:
            raise
        except KilledWorker as error:
            return ClusterError(
                f"{error.allowed_failures + 1} workers ended one after the other during it",
                hint="Memory is the usual reason. Without --on it is done here.",
            )
        except (CancelledError, OSError) as error:
            raise self._lost() from error
        except MemoryError:
            return ClusterError("a worker has too little memory for it")
        except Exception as error:
            raise self._translated(error) from error

    def _lost(self) -> ClusterError:
        return ClusterError(
            f"{self._name} no longer answers", hint="What was stored remains; run it again."
        )

    def _translated(self, error: Exception) -> ClusterError:
        """Return what the error of a worker means."""
        first = str(error).strip().split("\n", 1)[0]
        if isinstance(error, ImportError | AttributeError):
            return ClusterError(
                f"a worker of {self._name} has no pwh, or another one ({first})",
                hint="Install the same pwh where the workers run.",
            )
        return ClusterError(f"a worker of {self._name} failed ({type(error).__name__}: {first})")


class _Call:
    """A call that is made where it is unpickled.

    A worker that has no pwh would end if Dask could not unpickle the function itself.
    """

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self._function = function
        self._arguments = arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._function, self._arguments


@contextmanager
def open_cluster(where: str) -> Iterator[Cluster]:
    """Connect to a cluster, or start one on this machine, until the end of the block.

    `where` is a number of processes, `local`, the address of a scheduler, or the file that it has
    written. Raises `UsageError` for other text, `ClusterError` where no scheduler answers.
    """
    if where == _LOCAL or where.isdecimal():
        count = len(os.sched_getaffinity(0)) if where == _LOCAL else int(where)
        if not 0 < count <= _MOST_PROCESSES:
            raise UsageError(f"--on {where}: 1 to {_MOST_PROCESSES} processes", hint=_FORMS)
        with _local(count) as address, _client(address) as client:
            yield Cluster(client, f"the cluster of {count} processes here")
    else:
        address = _address(where)
        with _client(address) as client:
            yield Cluster(client, f"the Dask cluster {address}")


@contextmanager
def _local(count: int) -> Iterator[str]:
    """Start workers here, each a process with one thread; yield the address of their scheduler."""
    import logging

    from distributed import LocalCluster

    with ExitStack() as end:
        # Dask cannot end a cluster that has not quite started.
        with delayed_interrupts(), _children_without_interrupts():
            local = LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
            end.enter_context(local)
        yield local.scheduler_address


@contextmanager
def _children_without_interrupts() -> Iterator[None]:
    """Keep SIGINT from the threads that start inside, and from all processes that they start.

    Ctrl-C in a terminal is for all processes started from it, but only this one is to say so.
    """
    # It would let signals through again in the thread that starts the first process.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _address(where: str) -> str:
    """Return the address of a scheduler as Dask writes it: PROTOCOL://HOST:PORT."""
    text = where
    if Path(where).is_file():
        try:
            text = str(json.loads(Path(where).read_text(encoding="utf-8"))["address"])
        except (OSError, ValueError, KeyError, TypeError):
            problem = f"--on {where}: the file is not one that a scheduler has written"
            raise UsageError(problem, hint=_FORMS) from None
    found = _ADDRESS.fullmatch(text)
    if found is None or not 0 < int(found["port"]) < 1 << 16:
        raise UsageError(f"--on {where!r} names no cluster", hint=_FORMS)
    protocol = found["protocol"] or "tcp"
    return f"{'tcp' if protocol == 'dask' else protocol}://{found['host']}:{found['port']}"


@contextmanager
def _client(address: str) -> Iterator[Client]:
    """Connect to a scheduler."""
    import logging

    from distributed import Client

    # What of it concerns the user is said by errors.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        found = asyncio.run(asyncio.wait_for(_identity(address), _CONNECT_SECONDS))
        if found.get("type") != "Scheduler":
            raise ConnectionError(f"that is a {found.get('type')}")
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except TimeoutError:
        raise _unanswered(address, f"not within {_CONNECT_SECONDS} s") from None
    except TypeError:
        reason = "no certificates in Dask's configuration, distributed.comm.tls"
        raise _unanswered(address, reason) from None
    except (OSError, ImportError, ValueError, RuntimeError) as error:
        raise _unanswered(address, str(error).split("\n", 1)[0]) from None
    with client:
        yield client


async def _identity(address: str) -> Mapping[str, Any]:
    """Return what the process at an address is; a client would wait for ever for some that are not
    of Dask.
    """
    from distributed.core import rpc
    from distributed.security import Security

    arguments = Security().get_connection_args("client")
    async with rpc(address, connection_args=arguments, timeout=_CONNECT_SECONDS) as remote:
        found: Mapping[str, Any] = await remote.identity()
        return found


def _unanswered(address: str, reason: str) -> ClusterError:
    return ClusterError(
        f"no Dask scheduler answers at {address} ({reason})",
        hint="Is it running there? dask scheduler starts one.",
    )
