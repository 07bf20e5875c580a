"""The limit on threads of linear algebra ends with the last call that asked for it."""

from concurrent.futures import ThreadPoolExecutor

import numpy  # noqa: F401  the library whose threads are counted
from threadpoolctl import threadpool_info, threadpool_limits

from udfs.blas import one_blas_thread
from udfs.udf import Udf


def _threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_overlapping_calls_restore_what_was_before() -> None:
    with threadpool_limits(2):
        before = _threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        assert _threads() == {1}
        first.__exit__(None, None, None)
        assert _threads() == {1}
        second.__exit__(None, None, None)
        assert _threads() == before


def test_functions_that_duckdb_calls_have_one_thread() -> None:
    called = Udf("_threads()", __name__, "INTEGER[]", "Counts of threads.").deferred()
    with threadpool_limits(2), ThreadPoolExecutor(1) as duckdbs:
        assert called() == {1}
        assert duckdbs.submit(called).result() == {1}
        assert _threads() != {1}
