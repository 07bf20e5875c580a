-- How evenly ranks share a function, which tasks take turns, and where the time of each type of task
-- went was computed anew each time it was asked.

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

CREATE TABLE tasks_in_turn ( -- One row is one type of task, or all tasks, of which (nearly) one ran at a time on several workers for half of the run or more: as for a lock, or in a chain.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    of_all BOOLEAN NOT NULL, -- Whether it is all tasks together, whatever their type.
    name VARCHAR, -- Type of task; NULL of all, and where it is unknown.
    tasks BIGINT NOT NULL, -- Tasks.
    workers BIGINT NOT NULL, -- Workers that ran them.
    ns BIGINT NOT NULL, -- Time in which one ran, ns.
    span BIGINT NOT NULL, -- Time from the first to the last task of the run, ns.
    meetings BIGINT NOT NULL, -- Tasks that began before another one had ended.
    within BOOLEAN NOT NULL, -- Whether they ran at a time and took turns inside, as for a lock that they take.
    "every" DOUBLE, -- Usual time from the end of one to the end of the next, ns.
    usual DOUBLE, -- Their mean duration, ns.
    alone BIGINT -- Duration of one that waited for no other, ns.
);

CREATE TABLE _lifecycle_sums ( -- One row is one type of task of a run: task_lifecycle_by_type without what follows from other columns.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    name VARCHAR, -- Type of task; NULL where unknown.
    tasks BIGINT NOT NULL, -- As in task_lifecycle_by_type.
    known_tasks BIGINT NOT NULL, -- As in task_lifecycle_by_type.
    wait_for_inputs_ns BIGINT, -- As in task_lifecycle_by_type.
    wait_to_run_ns BIGINT, -- As in task_lifecycle_by_type.
    run_ns BIGINT -- As in task_lifecycle_by_type.
);
