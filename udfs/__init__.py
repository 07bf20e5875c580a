"""Functions for SQL: pure typed functions on arrays, registered from an explicit tuple.

Every function has the same name in SQL and in Python. This module is the only one here that
knows of DuckDB; array libraries are imported when a function is first called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class Udf:
    """A function for SQL: where it lives, and its SQL types."""

    name: str
    module: str
    parameters: tuple[str, ...]
    returns: str

    @property
    def function(self) -> Callable[..., Any]:
        """The Python function, imported now."""
        from importlib import import_module

        found: Callable[..., Any] = getattr(import_module(self.module), self.name)
        return found

    def deferred(self) -> Callable[..., Any]:
        """Give a function that imports the real one when it is first called."""
        udf = self

        def call(*columns: Any) -> Any:
            return udf.function(*columns)

        return call


UDFS: tuple[Udf, ...] = (
    Udf(
        "median_interval",
        "udfs.statistics",
        ("DOUBLE[]",),
        "STRUCT(median DOUBLE, low DOUBLE, high DOUBLE)",
    ),
)


def register(con: DuckDBPyConnection) -> None:
    """Make all functions known to a connection. They take and give whole Arrow columns."""
    for udf in UDFS:
        con.create_function(
            udf.name, udf.deferred(), list(udf.parameters), udf.returns, type="arrow"
        )
