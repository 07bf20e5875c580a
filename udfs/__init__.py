"""Functions for SQL: pure typed functions on arrays, registered from an explicit tuple.

Every function has the same name in SQL and in Python. This module is the only one here that
knows of DuckDB; array libraries are imported when a function is first called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class Udf:
    """A function for SQL: where it lives, and its SQL types.

    The `optional` parameters come last and can be left out. DuckDB knows no such thing for
    functions in Python: it lets any number of arguments of any type through then, and the function
    casts them. A function that may give NULL for what is not NULL is handed NULLs too.
    """

    name: str
    module: str
    parameters: tuple[str, ...]
    returns: str
    optional: tuple[str, ...] = ()
    may_give_null: bool = False

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

        if self.optional:
            return call
        # DuckDB counts the parameters of the signature, of which *columns would be one.
        names = (f"column_{i}" for i in range(len(self.parameters)))
        kind = Parameter.POSITIONAL_ONLY
        call.__signature__ = Signature([Parameter(n, kind) for n in names])  # type: ignore[attr-defined]
        return call


UDFS: tuple[Udf, ...] = (
    Udf(
        "median_interval",
        "udfs.statistics",
        ("DOUBLE[]",),
        "STRUCT(median DOUBLE, low DOUBLE, high DOUBLE)",
    ),
    Udf(
        "detect_changes",
        "udfs.changes",
        ("DOUBLE[]",),
        'STRUCT("index" INTEGER, "before" DOUBLE, "after" DOUBLE, p_value DOUBLE)[]',
    ),
    Udf(
        "detect_changes_at",
        "udfs.changes",
        ("DOUBLE[]", "DOUBLE"),
        'STRUCT("index" INTEGER, "before" DOUBLE, "after" DOUBLE, p_value DOUBLE)[]',
    ),
    Udf(
        "compare_repetitions",
        "udfs.comparison",
        (*("DOUBLE[][]",) * 4, "VARCHAR[]", "DOUBLE"),
        'STRUCT("before" DOUBLE, "after" DOUBLE, ratio DOUBLE, low DOUBLE, high DOUBLE, '
        "p_value DOUBLE, noise VARCHAR)[]",
    ),
    Udf(
        "scaling_model",
        "udfs.scaling",
        ("VARCHAR", "DOUBLE[]", "DOUBLE[]", "DOUBLE"),
        "STRUCT(formula VARCHAR, parameters MAP(VARCHAR, DOUBLE), r2 DOUBLE, smape DOUBLE, "
        "cv_error DOUBLE, exponent DOUBLE, exponent_low DOUBLE, exponent_high DOUBLE, "
        "points INTEGER, flags VARCHAR[])",
    ),
    Udf(
        "scaling_forecast",
        "udfs.scaling",
        ("VARCHAR", "DOUBLE[]", "DOUBLE[]", "DOUBLE", "DOUBLE[]"),
        "STRUCT(seconds DOUBLE[], low DOUBLE[], high DOUBLE[], flags VARCHAR[])",
    ),
    Udf(
        "scaling_surface",
        "udfs.scaling",
        ("DOUBLE[]", "DOUBLE[]", "DOUBLE[]"),
        "STRUCT(formula VARCHAR, terms STRUCT(factor DOUBLE, p_exponent DOUBLE, p_log DOUBLE, "
        "n_exponent DOUBLE, n_log DOUBLE)[], r2 DOUBLE, smape DOUBLE, cv_error DOUBLE, "
        "points INTEGER, flags VARCHAR[])",
    ),
    Udf(
        "scaling_forecast_at",
        "udfs.scaling",
        ("VARCHAR", *("DOUBLE[]",) * 3, "DOUBLE", "DOUBLE", "DOUBLE[]", "DOUBLE"),
        "STRUCT(seconds DOUBLE[], low DOUBLE[], high DOUBLE[], flags VARCHAR[])",
    ),
    Udf(
        "load_model",
        "udfs.models",
        ('MAP(VARCHAR, STRUCT(shape INTEGER[], "values" DOUBLE[]))',),
        "UBIGINT",
    ),
    Udf(
        "classify_bottleneck",
        "udfs.bottleneck.apply",
        ("DOUBLE[]", "UBIGINT"),
        "STRUCT(class VARCHAR, probability DOUBLE, probabilities DOUBLE[], "
        "drivers STRUCT(metric INTEGER, contribution DOUBLE)[], "
        "cost DOUBLE[], cost_low DOUBLE[], cost_high DOUBLE[], reason VARCHAR)",
    ),
    Udf(
        "block_features",
        "udfs.throughput.blocks",
        ("VARCHAR",),
        "FLOAT[]",
        may_give_null=True,
    ),
    Udf(
        "block_summary",
        "udfs.throughput.blocks",
        ("VARCHAR",),
        "STRUCT(instructions INTEGER, n_int INTEGER, n_fp INTEGER, n_simd INTEGER, "
        "n_load INTEGER, n_store INTEGER, n_branch INTEGER, n_other INTEGER, "
        "serialising INTEGER, critical_path INTEGER[], width_bound DOUBLE, "
        "critical_path_bound DOUBLE, unit_bound DOUBLE)",
        may_give_null=True,
    ),
    Udf(
        "describe_blocks",
        "udfs.throughput.blocks",
        ("VARCHAR[]",),
        "STRUCT(code STRUCT(instructions INTEGER, n_int INTEGER, n_fp INTEGER, n_simd INTEGER, "
        "n_load INTEGER, n_store INTEGER, n_branch INTEGER, n_other INTEGER, "
        "serialising INTEGER, critical_path INTEGER[], width_bound DOUBLE, "
        "critical_path_bound DOUBLE, unit_bound DOUBLE), features FLOAT[])[]",
    ),
    Udf("longest_chain", "udfs.throughput.dependences", ("INTEGER[][]",), "INTEGER"),
    Udf(
        "predict_throughput",
        "udfs.throughput.predict",
        ("FLOAT[]", "UBIGINT"),
        "STRUCT(cycles DOUBLE, low DOUBLE, high DOUBLE)",
        may_give_null=True,
    ),
    Udf(
        "throughput_effects",
        "udfs.throughput.effects",
        ("FLOAT[]", "UBIGINT"),
        "STRUCT(feature_group VARCHAR, factor DOUBLE)[]",
        may_give_null=True,
    ),
    Udf(
        "thread_matrix",
        "udfs.threads",
        ("BIGINT[]", "INTEGER[]", "BIGINT[]", "BOOLEAN", "VARCHAR"),
        "STRUCT(thread_a BIGINT, thread_b BIGINT, distance DOUBLE, brightness DOUBLE)[]",
    ),
    Udf(
        "thread_pixels",
        "udfs.threads",
        ("BIGINT[]", "INTEGER[]", "BIGINT[]", "BOOLEAN", "VARCHAR"),
        "STRUCT(thread BIGINT, pixels BLOB)[]",
    ),
    Udf(
        "thread_similarity",
        "udfs.threads",
        ("BIGINT[]", "INTEGER[]", "BIGINT[]", "BOOLEAN", "VARCHAR"),
        "STRUCT(fluctuation DOUBLE, mean_distance DOUBLE, max_distance DOUBLE, brightness DOUBLE)",
    ),
    Udf(
        "thread_grouping",
        "udfs.groups",
        ("BIGINT[]", "INTEGER[]", "BIGINT[]", "BIGINT[]", "BOOLEAN"),
        "STRUCT(vector BIGINT, behaviour_group INTEGER, distance DOUBLE, representative BOOLEAN)[]",
    ),
    Udf(
        "interval_phases",
        "udfs.phases",
        ("INTEGER[]", "INTEGER[]", "BIGINT[]"),
        'STRUCT("interval" INTEGER, phase INTEGER, distance DOUBLE, weight DOUBLE, '
        "representative BOOLEAN)[]",
    ),
    Udf(
        "cluster_clara",
        "udfs.clustering.sql",
        ("DOUBLE[][]", "INTEGER"),
        "STRUCT(medoids INTEGER[], labels INTEGER[], cost DOUBLE, left_out INTEGER, "
        "reason VARCHAR)",
        optional=("INTEGER",),
    ),
    Udf(
        "gap_statistic",
        "udfs.clustering.sql",
        ("DOUBLE[][]", "INTEGER"),
        "STRUCT(k INTEGER, gap DOUBLE[], s DOUBLE[], log_w DOUBLE[], expected DOUBLE[], "
        '"rows" INTEGER, left_out INTEGER, reason VARCHAR)',
        optional=("INTEGER", "INTEGER"),
    ),
)


def register(con: DuckDBPyConnection) -> None:
    """Make all functions known to a connection. They take and give whole Arrow columns."""
    for udf in UDFS:
        con.create_function(
            udf.name,
            udf.deferred(),
            None if udf.optional else list(udf.parameters),
            udf.returns,
            type="arrow",
            null_handling="special" if udf.may_give_null else "default",
        )
