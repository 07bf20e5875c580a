-- requires: counters, functions, workers, blocks, streams
--
-- The scalars of runs, as they are kept at ingest; and those of runs that nobody has kept any of,
-- because their rows were written by hand or by an older pwh.

-- Of the landing tables whose names begin with `of`; with '' those of the warehouse.
CREATE OR REPLACE MACRO _run_scalars_of(of) AS TABLE
WITH
  functions AS (
    SELECT
      run_id,
      CASE WHEN grouping(function) = 0 THEN 'seconds:' || function ELSE 'functions:seconds' END
        AS metric,
      sum(seconds) AS value
    FROM _function_shares_of(of)
    GROUP BY GROUPING SETS ((run_id, function), (run_id))
  ),

  workers AS (
    SELECT
      run_id, count(*) AS workers, sum(tasks) AS tasks, sum(wall_seconds) AS wall,
      sum(busy_seconds) AS busy, sum(idle_seconds) AS idle, sum(tail_seconds) AS tail
    FROM _worker_summary_of(of)
    GROUP BY run_id
  ),

  launches AS (
    SELECT
      run_id, count(*) AS launches, sum(visits) AS visits, sum(instructions) AS instructions,
      sum(barriers) / nullif(sum(visits), 0) AS sync_rate
    FROM _launch_summary_of(of)
    GROUP BY run_id
  ),

  streams AS (
    SELECT run_id, sum(segments) AS segments, avg(ipc) AS ipc
    FROM _segment_summary_of(of)
    GROUP BY run_id
  ),

  scalars AS (
    SELECT
      run_id,
      unnest([
        {'metric': 'counter:' || event, 'value': value, 'unit': unit},
        {'metric': 'per_cycle:' || event, 'value': per_cycle, 'unit': '1/cycle'}
      ], recursive := true)
    FROM _counter_summary_of(of)
    UNION ALL
    SELECT run_id, metric, value, 's' FROM functions
    UNION ALL
    SELECT
      run_id,
      unnest([
        {'metric': 'tasks:count', 'value': tasks, 'unit': NULL},
        {'metric': 'tasks:workers', 'value': workers, 'unit': NULL},
        {'metric': 'tasks:busy_share', 'value': busy / nullif(wall, 0), 'unit': '1'},
        {'metric': 'tasks:idle_share', 'value': idle / nullif(wall, 0), 'unit': '1'},
        {'metric': 'tasks:tail_share', 'value': tail / nullif(wall, 0), 'unit': '1'}
      ], recursive := true)
    FROM workers
    UNION ALL
    SELECT
      run_id,
      unnest([
        {'metric': 'blocks:launches', 'value': launches, 'unit': NULL},
        {'metric': 'blocks:visits', 'value': visits, 'unit': NULL},
        {'metric': 'blocks:instructions', 'value': instructions, 'unit': NULL},
        {'metric': 'blocks:sync_rate', 'value': sync_rate, 'unit': '1'}
      ], recursive := true)
    FROM launches
    UNION ALL
    SELECT
      run_id,
      unnest([
        {'metric': 'segments:count', 'value': segments, 'unit': NULL},
        {'metric': 'segments:ipc', 'value': ipc, 'unit': '1/cycle'}
      ], recursive := true)
    FROM streams
  )

SELECT run_id, metric, CAST(value AS DOUBLE) AS value, unit
FROM scalars
WHERE value IS NOT NULL;

-- Runs of which nothing is kept. The tables below are cut down to these before anything is added
-- up: where there is no such run, they cost nothing.
CREATE OR REPLACE VIEW _new_runs AS
SELECT run_id FROM runs ANTI JOIN kept_runs USING (run_id);

CREATE OR REPLACE VIEW _new_pmu_samples AS FROM pmu_samples SEMI JOIN _new_runs USING (run_id);
CREATE OR REPLACE VIEW _new_fn_timings AS FROM fn_timings SEMI JOIN _new_runs USING (run_id);
CREATE OR REPLACE VIEW _new_nodes AS FROM nodes SEMI JOIN _new_runs USING (run_id);
CREATE OR REPLACE VIEW _new_workers AS FROM workers SEMI JOIN _new_runs USING (run_id);
CREATE OR REPLACE VIEW _new_tasks AS FROM tasks SEMI JOIN _new_runs USING (run_id);
CREATE OR REPLACE VIEW _new_bb_launches AS FROM bb_launches SEMI JOIN _new_runs USING (run_id);
CREATE OR REPLACE VIEW _new_bb_visits AS FROM bb_visits SEMI JOIN _new_runs USING (run_id);
CREATE OR REPLACE VIEW _new_bb_blocks AS FROM bb_blocks SEMI JOIN _new_runs USING (run_id);
CREATE OR REPLACE VIEW _new_segments AS FROM segments SEMI JOIN _new_runs USING (run_id);
