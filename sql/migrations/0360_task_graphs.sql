-- Critical paths and gains follow from one graph of tasks, which was made twice.

DROP TABLE critical_paths;
DROP TABLE idle_gains;
DELETE FROM analyses WHERE analysis IN ('critical_paths', 'idle_gains');
DELETE FROM analysis_states WHERE analysis IN ('critical_paths', 'idle_gains');

CREATE TABLE _task_graphs ( -- One row is what follows from the graph of the tasks of a run: critical_paths and idle_gains, as lists; none of a run with more than two million tasks.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    path STRUCT(step BIGINT, t_start BIGINT, t_end BIGINT, worker VARCHAR, task VARCHAR, name VARCHAR, cause VARCHAR, is_assumed BOOLEAN, ns BIGINT)[] NOT NULL, -- Parts of its critical path, as in critical_paths.
    gains STRUCT(change VARCHAR, name VARCHAR, cause VARCHAR, gain_at_most BIGINT, percent DOUBLE, replay_gain BIGINT, replay_percent DOUBLE, is_recorded BOOLEAN, is_assumed BOOLEAN)[] NOT NULL -- Changes and what they gain, as in idle_gains.
);
