-- How evenly the ranks share a function was computed anew, of all runs, each time it was asked.

CREATE TABLE _rank_spread ( -- One row is one function in one measurement of a run with known ranks: rank_imbalance without what follows from other columns.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    parallelism BIGINT, -- As in rank_imbalance.
    repetition INTEGER, -- As in rank_imbalance.
    function VARCHAR NOT NULL, -- Function.
    waiting BOOLEAN, -- As in rank_imbalance.
    measured BIGINT, -- Ranks that were measured, whatever ran on them.
    ranks BIGINT, -- As in rank_imbalance.
    called_on BIGINT, -- Ranks that called it.
    unknown BIGINT, -- Ranks whose time is unknown.
    min_seconds DOUBLE, -- As in rank_imbalance.
    mean_seconds DOUBLE, -- As in rank_imbalance.
    max_seconds DOUBLE, -- As in rank_imbalance.
    slowest_ranks INTEGER[], -- As in rank_imbalance.
    share DOUBLE -- As in rank_imbalance.
);
