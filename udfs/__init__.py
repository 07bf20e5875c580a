"""Functions for SQL: pure typed functions on arrays, registered from an explicit tuple.

Every function has the same name in SQL and in Python, and its parameters do, too. This module is
the only one here that knows DuckDB; array libraries are imported when a function is first called.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from udfs.interrupts import delayed_interrupts
from udfs.udf import Udf

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from duckdb.sqltypes import DuckDBPyType

_SIDE = "STRUCT(name VARCHAR, callers VARCHAR[], cost DOUBLE)[]"
_USUAL = "STRUCT(variance DOUBLE, freedom DOUBLE)"
_CHANGE = (
    '"index" INTEGER, "before" DOUBLE, "after" DOUBLE, p_value DOUBLE, low DOUBLE, high DOUBLE, '
    "p_here DOUBLE"
)
_CHANGES = f"STRUCT({_CHANGE})[]"
_PROVISIONAL = f"STRUCT({_CHANGE}, begins INTEGER, more_runs INTEGER)[]"
_DISTURBANCES = 'STRUCT("first" INTEGER, "last" INTEGER, usual DOUBLE, disturbed DOUBLE)[]'
_FLAG = "STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))"
_FLAGS = f"flags {_FLAG}[]"
_SCALING_MODEL = (
    "STRUCT(formula VARCHAR, parameters MAP(VARCHAR, DOUBLE), r2 DOUBLE, smape DOUBLE, "
    "cv_error DOUBLE, exponent DOUBLE, exponent_low DOUBLE, exponent_high DOUBLE, "
    f"points INTEGER, {_FLAGS})"
)
_FORECAST = f"STRUCT(seconds DOUBLE[], low DOUBLE[], high DOUBLE[], {_FLAGS})"
_BLOCK_SUMMARY = (
    "STRUCT(instructions INTEGER, n_int INTEGER, n_fp INTEGER, n_simd INTEGER, "
    "n_load INTEGER, n_store INTEGER, n_branch INTEGER, n_other INTEGER, "
    "serialising INTEGER, critical_path INTEGER[], width_cycles DOUBLE, "
    "critical_path_cycles DOUBLE, unit_cycles DOUBLE, aliased_cycles DOUBLE, "
    "serial_cycles DOUBLE, flags VARCHAR[])"
)
_CORE = (
    "STRUCT(width DOUBLE, dispatch DOUBLE, lacks VARCHAR, loops BOOLEAN, measured VARCHAR[], "
    "units STRUCT(unit VARCHAR, ports VARCHAR)[], "
    "instructions STRUCT(pattern VARCHAR, class VARCHAR, ports VARCHAR, cycles DOUBLE, "
    "latency DOUBLE, accumulate DOUBLE, operations INTEGER, front_end INTEGER, "
    "least_share DOUBLE, least_latency DOUBLE, least_front_end INTEGER)[])"
)
_THREAD_ELEMENTS = (
    "threads BIGINT[], blocks INTEGER[], weights BIGINT[], as_shares BOOLEAN, metric VARCHAR"
)
_MODEL = "model UBIGINT"
_IDLE = (
    "names VARCHAR[], gaps STRUCT(w BIGINT, a BIGINT, s1 BIGINT, b BIGINT, la BIGINT, u BIGINT, "
    "v BIGINT, is_recorded INTEGER, is_wanted INTEGER)[], "
    "exact STRUCT(w BIGINT, p BIGINT, q BIGINT)[], flights STRUCT(w BIGINT, p BIGINT, q BIGINT)[]"
)
_TASK_GRAPH = (
    "tasks STRUCT(n BIGINT, worker BIGINT, t_start BIGINT, t_end BIGINT, t_submit BIGINT, "
    "idle_from BIGINT, early BIGINT, late BIGINT, rest BIGINT, is_recorded INTEGER, "
    "task VARCHAR)[], inputs STRUCT(reader BIGINT, producer BIGINT, t_made BIGINT, "
    "t_sent BIGINT, t_there BIGINT, data VARCHAR)[], "
    "workers STRUCT(t_begin BIGINT, kind VARCHAR)[]"
)

UDFS: tuple[Udf, ...] = (
    Udf(
        "median_interval(values DOUBLE[])",
        "udfs.statistics",
        "STRUCT(median DOUBLE, low DOUBLE, high DOUBLE)",
        "Median of the values and its 95 % confidence interval, in the unit of the values; no "
        "interval below six values.",
    ),
    Udf(
        "compare_durations(own DOUBLE[][], others DOUBLE[][])",
        "udfs.statistics",
        "STRUCT(ratio DOUBLE, low DOUBLE, high DOUBLE)[]",
        "Ratio own / others of the geometric means of each pair of lists of durations above 0, and "
        "an interval that covers all these ratios together with 95 % confidence; no interval below "
        "three durations.",
    ),
    Udf(
        "detect_changes(values DOUBLE[])",
        "udfs.changes",
        _CHANGES,
        "Lasting changes of level in a series in order of time: position of the first value after "
        "each (from 0), the medians before and after it in the unit of the values, and a p-value; "
        "a series without a change shows one with a probability of 0.002 at most.",
    ),
    Udf(
        "detect_provisional(values DOUBLE[])",
        "udfs.changes",
        _PROVISIONAL,
        "Levels at the end of a series in order of time that are not certain yet, as of "
        "series_findings.",
    ),
    Udf(
        "detect_disturbances(values DOUBLE[])",
        "udfs.changes",
        _DISTURBANCES,
        "Bursts in a series in order of time, as of series_findings.",
    ),
    Udf(
        "series_findings(values DOUBLE[], significance DOUBLE, points VARCHAR[], versions "
        "VARCHAR[])",
        "udfs.changes",
        f"STRUCT(changes {_CHANGES}, provisional {_PROVISIONAL}, disturbances {_DISTURBANCES}, "
        "modes STRUCT(low DOUBLE, high DOUBLE, high_share DOUBLE), drift DOUBLE, "
        "smallest_change DOUBLE, state VARCHAR)",
        "All that is found in a series in order of time, of whose values neighbours with equal "
        "points (not NULL) are repetitions: changes at a significance, the probability of a false "
        "alarm (0..1); levels at the end that are not certain yet (provisional; the level before "
        "begins at begins; more_runs would make it a change); bursts far from the level around "
        "them (disturbances); two levels that alternate (modes), the rise of a drift, the smallest "
        "change that would be found in it, and its state (short, alternating, disturbed, "
        "wandering, noisy, drifting, steady).",
    ),
    Udf(
        "compare_runs(before DOUBLE[][], after DOUBLE[][], history_before DOUBLE[][], "
        f'history_after DOUBLE[][], usual {_USUAL}[], within STRUCT("before" DOUBLE, "after" '
        "DOUBLE, variance_before DOUBLE, variance_after DOUBLE, freedom DOUBLE, noise "
        "VARCHAR)[], family STRUCT(name VARCHAR, is_counted BOOLEAN, is_leading BOOLEAN, "
        '"order" INTEGER)[], level DOUBLE)',
        "udfs.comparison",
        'STRUCT("before" DOUBLE, "after" DOUBLE, ratio DOUBLE, low DOUBLE, high DOUBLE, '
        "p_value DOUBLE, noise VARCHAR, runs_to_settle INTEGER)[]",
        "Ratio after / before of each metric with a confidence interval for all metrics together "
        "(level 0..1) and a corrected p-value, from lists of values, one a run, by metric; values "
        "of other runs (history), what is usual between equal runs (usual_noise), or what the runs "
        "say of their own values (within) show the noise of a single run.",
        pairs=("before", "after", "history_before", "history_after", "usual", "within", "family"),
    ),
    Udf(
        f"match_functions(before {_SIDE}, after {_SIDE})",
        "udfs.comparison.identity",
        'STRUCT("before" VARCHAR, "after" VARCHAR, is_renamed BOOLEAN)[]',
        "Which functions of one side only (with their callers and costs) were moved or renamed on "
        "the other: the two names of each, and whether more differs than the folder of its file.",
    ),
    Udf(
        "usual_noise(variances DOUBLE[], freedoms DOUBLE[])",
        "udfs.comparison",
        _USUAL,
        "What the noise of a single run usually is for metrics of one kind, from the variances of "
        "their logarithms within groups of equal runs, and its degrees of freedom; both are NULL "
        "where the groups are too few.",
        pairs=("variances", "freedoms"),
    ),
    Udf(
        "scaling_fit(counts DOUBLE[], seconds DOUBLE[])",
        "udfs.scaling",
        _SCALING_MODEL,
        "Scaling formula of measurements at hand, in any order, equal counts repetitions: as "
        "scaling_model for the medians at each count and their noise.",
        pairs=("counts", "seconds"),
        example="SELECT scaling_fit([1, 2, 4, 8, 16], [9.8, 5.1, 2.7, 1.5, 1.0])['formula']",
    ),
    Udf(
        "scaling_model(kind VARCHAR, counts DOUBLE[], seconds DOUBLE[], noise DOUBLE)",
        "udfs.scaling",
        _SCALING_MODEL,
        "Scaling formula of seconds over ascending process counts, its quality of fit, and the "
        "exponent of p beyond the largest count with a 90 % interval; noise is the relative "
        "standard deviation of a point, the median of its repetitions.",
        pairs=("counts", "seconds"),
    ),
    Udf(
        "scaling_forecast(kind VARCHAR, counts DOUBLE[], seconds DOUBLE[], noise DOUBLE, "
        "at_counts DOUBLE[], capacity DOUBLE)",
        "udfs.scaling",
        _FORECAST,
        "Predicted seconds at other process counts with 90 % intervals, from seconds measured at "
        "ascending counts; no more than capacity run at once (0: unknown).",
        pairs=("counts", "seconds"),
    ),
    Udf(
        "scaling_patent(kind VARCHAR, counts DOUBLE[], seconds DOUBLE[], noise DOUBLE, "
        "at_counts DOUBLE[])",
        "udfs.scaling",
        "STRUCT(formula VARCHAR, parameters MAP(VARCHAR, DOUBLE), seconds DOUBLE[], low DOUBLE[], "
        f"high DOUBLE[], {_FLAGS})",
        "Formula of seconds over ascending process counts by the basis of the kind alone, all "
        "exponents free, and what it predicts at other counts with 90 % intervals; arguments as of "
        "scaling_forecast.",
        pairs=("counts", "seconds"),
    ),
    Udf(
        "scaling_turning_point(counts DOUBLE[], seconds DOUBLE[], noise DOUBLE)",
        "udfs.scaling",
        f"STRUCT(low DOUBLE, high DOUBLE, {_FLAGS})",
        "Interval (90 %) of the count at which seconds measured at ascending counts are least; "
        "high is NULL where they may fall on.",
        pairs=("counts", "seconds"),
    ),
    Udf(
        "scaling_limits(counts BIGINT[], seconds DOUBLE[], low DOUBLE[], high DOUBLE[], "
        "measured BOOLEAN[], fastest DOUBLE[], weak BOOLEAN)",
        "udfs.scaling",
        "STRUCT(turning BIGINT, turning_low BIGINT, turning_high BIGINT, is_predicted BOOLEAN, "
        "efficient BIGINT, efficient_low BIGINT, efficient_high BIGINT)",
        "Count beyond which a program gets slower, and the largest with an efficiency of half or "
        "more, with 90 % intervals, from its times at measured and predicted counts and the "
        "interval of the fastest count.",
        pairs=("counts", "seconds"),
    ),
    Udf(
        "scaling_speedup_laws(counts DOUBLE[], seconds DOUBLE[], noise DOUBLE, weak BOOLEAN)",
        "udfs.scaling",
        "STRUCT(law VARCHAR, serial DOUBLE, serial_low DOUBLE, serial_high DOUBLE, "
        "coherence DOUBLE, coherence_low DOUBLE, coherence_high DOUBLE, most DOUBLE, "
        "peak DOUBLE, smape DOUBLE)[]",
        "Laws of speed-up (Amdahl, Gustafson, universal scalability) of seconds measured at "
        "ascending counts, with 90 % intervals of their parameters.",
        pairs=("counts", "seconds"),
    ),
    Udf(
        "scaling_surface(counts DOUBLE[], sizes DOUBLE[], seconds DOUBLE[])",
        "udfs.scaling",
        "STRUCT(formula VARCHAR, terms STRUCT(factor DOUBLE, p_exponent DOUBLE, p_log DOUBLE, "
        "n_exponent DOUBLE, n_log DOUBLE)[], r2 DOUBLE, smape DOUBLE, cv_error DOUBLE, "
        f"points INTEGER, {_FLAGS})",
        "Formula of seconds in process count p and problem size n, its terms and its relative "
        "cross-validated error.",
        pairs=("counts", "sizes", "seconds"),
    ),
    Udf(
        "scaling_forecast_at(kind VARCHAR, counts DOUBLE[], sizes DOUBLE[], seconds DOUBLE[], "
        "noise DOUBLE, own_size DOUBLE, at_counts DOUBLE[], at_size DOUBLE)",
        "udfs.scaling",
        _FORECAST,
        "Predicted seconds at other process counts and another problem size, with 90 % intervals.",
        public=False,
        pairs=("counts", "sizes", "seconds"),
    ),
    Udf(
        'load_model(arrays MAP(VARCHAR, STRUCT(shape INTEGER[], "values" DOUBLE[])))',
        "udfs.models",
        "UBIGINT",
        "Number of a model whose arrays are loaded into this process, for the functions that apply "
        "models.",
        public=False,
    ),
    Udf(
        "evaluate_formulas(metrics VARCHAR[], formulas VARCHAR[], events VARCHAR[], names "
        "VARCHAR[], counts DOUBLE[])",
        "udfs.bottleneck.formulas",
        "DOUBLE[]",
        "Metrics of a sample by the formulas of its set (metric_formulas), NULL where an event is "
        "missing.",
        public=False,
    ),
    Udf(
        f"classify_bottleneck(metrics DOUBLE[], cycles DOUBLE, {_MODEL})",
        "udfs.bottleneck.apply",
        "STRUCT(class VARCHAR, probability DOUBLE, probabilities DOUBLE[], "
        "drivers STRUCT(metric INTEGER, contribution DOUBLE, deviation DOUBLE)[], "
        "cost DOUBLE[], cost_low DOUBLE[], cost_high DOUBLE[], hidden BOOLEAN[], "
        f"reason {_FLAG})",
        "Bottleneck class of a sample's metrics (per cycle) and cycles by a loaded model, and the "
        "share of cycles (0..1) that each component costs, with 90 % bands.",
        public=False,
    ),
    Udf(
        "block_features(code VARCHAR)",
        "udfs.throughput.blocks",
        "FLOAT[]",
        "Features of a block of x86-64 machine code in hexadecimal, from which throughput models "
        "predict cycles; NULL where it cannot be decoded.",
        may_return_null=True,
    ),
    Udf(
        "block_summary(code VARCHAR)",
        "udfs.throughput.blocks",
        _BLOCK_SUMMARY,
        "Instruction mix, dependence chains (instructions) and analytic bounds (cycles of one "
        "pass) of a block of x86-64 machine code in hexadecimal; NULL where it cannot be decoded; "
        "flags: not_on_core, system_instruction, unknown_cycles (no bounds for these), "
        "poor_support (x87, MMX, rare ones), "
        "like_aarch64 (no x86-64, but plainly AArch64; the rest is NULL).",
        may_return_null=True,
    ),
    Udf(
        f"block_instructions(code VARCHAR, core {_CORE}, isa VARCHAR)",
        "udfs.throughput.blocks",
        "STRUCT(text VARCHAR, unit VARCHAR, ports VARCHAR, operations INTEGER, cycles DOUBLE, "
        "latency DOUBLE, front_end INTEGER, on_chain BOOLEAN)[]",
        "Instructions of a block of machine code (x86-64, aarch64) in hexadecimal, and what each "
        "costs on a core: units, ports and operations there, cycles that one occupies its unit, "
        "latency (cycles) without loads, macro-operations of the front end, and whether it is in "
        "a longest dependence chain; NULL where it cannot be decoded.",
        may_return_null=True,
    ),
    Udf(
        f"describe_blocks(codes VARCHAR[], distinct BOOLEAN, core {_CORE})",
        "udfs.throughput.blocks",
        f"STRUCT(code {_BLOCK_SUMMARY}, features FLOAT[])[]",
        "Results of block_summary and block_features for many blocks at once.",
        may_return_null=True,
        public=False,
    ),
    Udf(
        f"describe_aarch64(codes VARCHAR[], core {_CORE})",
        "udfs.throughput.described",
        f"{_BLOCK_SUMMARY}[]",
        "As block_summary, for many blocks of AArch64 machine code by the table of a core.",
        may_return_null=True,
        public=False,
    ),
    Udf(
        "longest_chain(distances INTEGER[][])",
        "udfs.throughput.dependences",
        "INTEGER",
        "Length in instructions of the longest dependence chain of a group of instructions, each "
        "given as the distances back to its producers (1: the instruction before).",
    ),
    Udf(
        "data_flow(distances INTEGER[][], latencies DOUBLE[])",
        "udfs.throughput.dependences",
        "STRUCT(flow_unlimited DOUBLE, flow_64 DOUBLE, flow_128 DOUBLE)",
        "Cycles that the data flow of a segment of instructions alone takes, without a window and "
        "in windows of 64 and 128 instructions, by the distances back to their producers and their "
        "latencies (cycles).",
        pairs=("distances", "latencies"),
    ),
    Udf(
        f"predict_throughput(features FLOAT[], {_MODEL})",
        "udfs.throughput.predict",
        "STRUCT(predicted_cycles DOUBLE, low_cycles DOUBLE, high_cycles DOUBLE, "
        "is_outside BOOLEAN)",
        "Predicted cycles of one pass of a segment by a loaded model, with a 90 % band, and "
        "whether the segment is unlike those that the model was fitted to.",
        may_return_null=True,
        public=False,
    ),
    Udf(
        f"throughput_effects(features FLOAT[], {_MODEL})",
        "udfs.throughput.effects",
        "STRUCT(feature_group VARCHAR, factor DOUBLE)[]",
        "Factors by which groups of features change the predicted cycles of a segment against a "
        "typical one (Shapley values).",
        may_return_null=True,
        public=False,
    ),
    Udf(
        f"thread_matrix({_THREAD_ELEMENTS})",
        "udfs.threads",
        "STRUCT(thread_a BIGINT, thread_b BIGINT, distance DOUBLE, brightness DOUBLE)[]",
        "Distances between the basic-block vectors of all threads of a thread block.",
        may_return_null=True,
        public=False,
        pairs=("threads", "blocks", "weights"),
        takes_null=True,
    ),
    Udf(
        f"thread_pixels({_THREAD_ELEMENTS})",
        "udfs.threads",
        "STRUCT(thread BIGINT, pixels BLOB)[]",
        "Rows of the distance matrix of a thread block as a picture, one byte a pixel.",
        may_return_null=True,
        public=False,
        pairs=("threads", "blocks", "weights"),
        takes_null=True,
    ),
    Udf(
        f"thread_similarity({_THREAD_ELEMENTS})",
        "udfs.threads",
        "STRUCT(fluctuation DOUBLE, mean_distance DOUBLE, max_distance DOUBLE, brightness DOUBLE)",
        "Similarity of the threads of a thread block by their basic-block vectors: fluctuation "
        "rate (0..1), mean and largest distance by the metric (euclidean or manhattan, in the unit "
        "of the weights), mean brightness (0..1).",
        may_return_null=True,
        pairs=("threads", "blocks", "weights"),
        takes_null=True,
    ),
    Udf(
        "thread_grouping(vectors BIGINT[], blocks INTEGER[], weights BIGINT[], threads "
        "BIGINT[], as_shares BOOLEAN)",
        "udfs.groups",
        "STRUCT(vector BIGINT, behaviour_group INTEGER, distance DOUBLE, representative BOOLEAN)[]",
        "Behaviour groups of the basic-block vectors of a launch, with a representative each.",
        may_return_null=True,
        public=False,
        pairs=("vectors", "blocks", "weights"),
        takes_null=True,
    ),
    Udf(
        "interval_phases(intervals INTEGER[], blocks INTEGER[], weights BIGINT[])",
        "udfs.phases",
        'STRUCT("interval" INTEGER, phase INTEGER, distance DOUBLE, weight DOUBLE, '
        "representative BOOLEAN)[]",
        "Phase of each interval of a thread by the SimPoint method, from the instructions "
        "(weights) executed in each basic block; weight is the phase's share (0..1) of all "
        "instructions.",
        pairs=("intervals", "blocks", "weights"),
    ),
    Udf(
        f"idle_pieces({_IDLE})",
        "udfs.idle_windows",
        "STRUCT(mode VARCHAR, latency_rule VARCHAR, worker VARCHAR, t_start BIGINT, t_end BIGINT, "
        '"class" VARCHAR)[]',
        "Pieces of idle intervals on the time axis, in every reading.",
        public=False,
    ),
    Udf(
        f"idle_cuts({_IDLE}, totals STRUCT(w BIGINT, p BIGINT, q BIGINT, total BIGINT)[], "
        "t0 BIGINT, t1 BIGINT)",
        "udfs.idle_windows",
        "STRUCT(mode VARCHAR, latency_rule VARCHAR, worker VARCHAR, a BIGINT, starvation1 BIGINT, "
        "ov_concrete BIGINT, ov_uniform BIGINT, ov_rest BIGINT, ov_unsubmitted BIGINT, "
        "lat_inherited BIGINT, own_latency BIGINT, unrecorded BIGINT)[]",
        "Parts of idle intervals within a window, in every reading, in ns.",
        public=False,
    ),
    Udf(
        f"walk_critical_path({_TASK_GRAPH}, last BIGINT)",
        "udfs.critical_path",
        "STRUCT(path STRUCT(n BIGINT, leaves BIGINT, gap_from BIGINT, jumps BOOLEAN, "
        "is_assumed BOOLEAN, is_recorded BOOLEAN, asked BIGINT, since BIGINT, sent BIGINT, "
        "there BIGINT, made BIGINT)[], chain_end BIGINT, placed_end BIGINT, least_end BIGINT)",
        "Tasks on the critical path of a run, from the last, what each waited for last, and how "
        "soon the run could end, in ns.",
        public=False,
    ),
    Udf(
        f"replay_tasks({_TASK_GRAPH}, parts STRUCT(cause VARCHAR, tasks BIGINT[])[])",
        "udfs.replay",
        "STRUCT(no_latency BIGINT, no_overhead BIGINT, one_more_worker BIGINT, halved BIGINT[], "
        "listed BIGINT)",
        "How much shorter replays of a task graph are, in ns.",
        public=False,
    ),
    Udf(
        "cluster_clara(points DOUBLE[][], k INTEGER, seed INTEGER DEFAULT 0)",
        "udfs.clustering.sql",
        "STRUCT(medoids INTEGER[], labels INTEGER[], cost DOUBLE, left_out INTEGER, "
        "reason VARCHAR)",
        "Clusters of rows of metrics around k medoids (CLARA): positions of the medoids, the "
        "cluster of each row, and the sum of distances in the unit of the metrics.",
        example="SELECT cluster_clara([[0, 1], [1, 1], [9, 9]], 2)['labels']",
    ),
    Udf(
        "cluster_kmeans(points DOUBLE[][], k INTEGER, seed INTEGER DEFAULT 0)",
        "udfs.clustering.sql",
        "STRUCT(centres DOUBLE[][], labels INTEGER[], cost DOUBLE, left_out INTEGER, "
        "reason VARCHAR)",
        "Clusters of rows of metrics around k means: the means, the cluster of each row, and the "
        "sum of squared distances in the unit of the metrics.",
        example="SELECT cluster_kmeans([[0, 1], [1, 1], [9, 9]], 2)['centres']",
    ),
    Udf(
        "principal_components(points DOUBLE[][], components INTEGER DEFAULT 2)",
        "udfs.clustering.sql",
        "STRUCT(mean DOUBLE[], components DOUBLE[][], variances DOUBLE[], shares DOUBLE[], "
        "scores DOUBLE[][], left_out INTEGER, reason VARCHAR)",
        "Principal components (PCA) of rows of metrics, which are centred but not scaled: weights "
        "of the metrics, variances, their shares of all variance (0..1), and the score of each row "
        "along each component.",
        example="SELECT principal_components([[0, 1], [1, 3], [2, 5]])['shares']",
    ),
    Udf(
        "self_organising_map(points DOUBLE[][], height INTEGER, width INTEGER)",
        "udfs.clustering.sql",
        "STRUCT(prototypes DOUBLE[][], cells INTEGER[], quantisation_error DOUBLE, "
        "topographic_error DOUBLE, left_out INTEGER, reason VARCHAR)",
        "Self-organising map (SOM) of rows of metrics on a grid of cells: the prototype of each "
        "cell, the cell of each row (from 0, row by row of the grid), the mean distance to the "
        "prototypes in the unit of the metrics, and the share (0..1) of rows whose two nearest "
        "cells are not neighbours.",
        example="SELECT self_organising_map([[0, 1], [1, 1], [9, 9]], 1, 3)['cells']",
    ),
    Udf(
        "gap_statistic(points DOUBLE[][], k_max INTEGER, references INTEGER DEFAULT 50, seed "
        "INTEGER DEFAULT 0)",
        "udfs.clustering.sql",
        "STRUCT(k INTEGER, gap DOUBLE[], s DOUBLE[], log_w DOUBLE[], expected DOUBLE[], "
        '"rows" INTEGER, left_out INTEGER, reason VARCHAR)',
        "Number of clusters (1..k_max) in rows of metrics by the gap statistic, and the figures "
        "behind the choice.",
        example="SELECT gap_statistic([[0, 1], [1, 1], [9, 9], [8, 9]], 3)['k']",
    ),
)


_SQL_TYPES: dict[str, DuckDBPyType] = {}


def register(con: DuckDBPyConnection) -> None:
    """Register all functions with a connection; they receive and return whole Arrow columns.

    Connections of one process to one file share them, so only the first registers any.
    """
    import duckdb

    # DuckDB asks Python for a function's signature, and takes an interrupt there for a bad one.
    with delayed_interrupts():
        for udf in UDFS:
            types = [_sql_type(con, parameter.type) for parameter in udf.parameters]
            try:
                con.create_function(
                    udf.name,
                    _function(udf),
                    None if udf.has_optional else types,
                    _sql_type(con, udf.returns),
                    type="arrow",
                    null_handling="special" if udf.may_return_null else "default",
                )
            except duckdb.CatalogException:
                return


@cache
def _function(udf: Udf) -> Callable[..., Any]:
    """Return what DuckDB calls for a function, and keep it.

    DuckDB lets go of it with the connection that registered it, and would crash over the calls of
    another.
    """
    return udf.deferred()


def _sql_type(con: DuckDBPyConnection, text: str) -> DuckDBPyType:
    """Return the type that SQL writes so, which is parsed once for all connections."""
    if text not in _SQL_TYPES:
        _SQL_TYPES[text] = con.sqltype(text)
    return _SQL_TYPES[text]
