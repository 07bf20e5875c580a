-- requires: bottleneck_summary
--
-- How the diagnosis and the speed of an application changed from version to version.
--
-- Versions are in the order of their first runs where all of these have a date, else in the order
-- of their names, numbers within them taken as numbers. Only runs on one machine, of one size, are
-- compared.

CREATE OR REPLACE VIEW tuning_history AS
WITH
  -- the class of most processes of a version's runs
  verdict AS (
    SELECT
      app, machine, problem_size, nodes, ranks, threads, version,
      arg_max(class, (processes, class)) AS class
    FROM (
      SELECT
        r.app, r.machine, r.problem_size, r.nodes, r.ranks, r.threads, r.version, b.class,
        sum(b.processes) AS processes
      FROM bottleneck_summary AS b
      JOIN runs AS r USING (run_id)
      GROUP BY ALL
    )
    GROUP BY ALL
  ),

  -- from the first sample to the last, for runs whose wall time is unknown
  sampled AS (
    SELECT run_id, (max(t_end) - min(t_start)) / 1e9 AS seconds
    FROM pmu_samples
    SEMI JOIN (FROM runs WHERE wall_seconds IS NULL) USING (run_id)
    GROUP BY run_id
  ),

  versions AS (
    SELECT
      r.app, r.machine, r.problem_size, r.nodes, r.ranks, r.threads, r.version,
      median(coalesce(r.wall_seconds, sampled.seconds)) AS seconds, count(*) AS runs,
      min(r.started_at) AS started_at
    FROM runs AS r
    LEFT JOIN sampled USING (run_id)
    WHERE r.app IS NOT NULL
    GROUP BY ALL
  ),

  placed AS (
    SELECT
      *,
      row_number() OVER (
        PARTITION BY app, machine, problem_size, nodes, ranks, threads
        ORDER BY
          CASE WHEN is_dated THEN started_at END,
          list_transform(
            regexp_extract_all(version, '\d+'), lambda digits: TRY_CAST(digits AS HUGEINT)
          ),
          version
      ) AS step
    FROM (
      SELECT
        *,
        bool_and(started_at IS NOT NULL) OVER (
          PARTITION BY app, machine, problem_size, nodes, ranks, threads
        ) AS is_dated
      FROM versions
    )
  )

SELECT
  p.app, p.machine, p.problem_size, p.nodes, p.ranks, p.threads, p.step, p.version, p.runs,
  v.class, p.seconds,
  100 * (lag(p.seconds) OVER steps / nullif(p.seconds, 0) - 1) AS gain_percent,
  100 * (first_value(p.seconds) OVER steps / nullif(p.seconds, 0) - 1) AS gain_since_first_percent
FROM placed AS p
LEFT JOIN verdict AS v
  ON p.app = v.app
  AND p.machine IS NOT DISTINCT FROM v.machine
  AND p.problem_size IS NOT DISTINCT FROM v.problem_size
  AND p.nodes IS NOT DISTINCT FROM v.nodes
  AND p.ranks IS NOT DISTINCT FROM v.ranks
  AND p.threads IS NOT DISTINCT FROM v.threads
  AND p.version IS NOT DISTINCT FROM v.version
WINDOW
  whole AS (PARTITION BY p.app, p.machine, p.problem_size, p.nodes, p.ranks, p.threads),
  steps AS (whole ORDER BY p.step)
QUALIFY count(v.class) OVER whole > 0;

COMMENT ON VIEW tuning_history IS 'One row is a version of an application on one machine at one size: its bottleneck, its time and the gain. Applications without counters have no rows.';
COMMENT ON COLUMN tuning_history.app IS 'Application.';
COMMENT ON COLUMN tuning_history.machine IS 'Machine.';
COMMENT ON COLUMN tuning_history.problem_size IS 'Size of the problem.';
COMMENT ON COLUMN tuning_history.nodes IS 'Nodes used.';
COMMENT ON COLUMN tuning_history.ranks IS 'Processes (MPI ranks).';
COMMENT ON COLUMN tuning_history.threads IS 'Threads per process.';
COMMENT ON COLUMN tuning_history.step IS 'Place of the version in the history, from 1.';
COMMENT ON COLUMN tuning_history.version IS 'Version of the application.';
COMMENT ON COLUMN tuning_history.runs IS 'Runs of the version.';
COMMENT ON COLUMN tuning_history.class IS 'Class that most of its processes fall in; NULL where it has no counters.';
COMMENT ON COLUMN tuning_history.seconds IS 'Median time of its runs, s: wall time, or from the first to the last sample where that is unknown.';
COMMENT ON COLUMN tuning_history.gain_percent IS 'Gain in speed over the previous version, %: 100 for twice as fast.';
COMMENT ON COLUMN tuning_history.gain_since_first_percent IS 'Gain in speed over the first version, %.';
