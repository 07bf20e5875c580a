-- requires: bottleneck_summary, failed_runs
--
-- How the diagnosis and the speed of an application changed from version to version.
--
-- Versions are in the order of app_versions. Only runs on one machine, of one size, are compared.

CREATE OR REPLACE VIEW run_versions AS -- One row is a run of an application, and the place of its version among those on one machine at one size.
SELECT
  r.run_id, r.app, r.machine, r.problem_size, r.nodes, r.ranks, r.threads, r.version,
  r.wall_seconds, -- Wall time of the run, s.
  dense_rank() OVER (
    PARTITION BY r.app, r.machine, r.problem_size, r.nodes, r.ranks, r.threads
    ORDER BY v.version_order NULLS FIRST, r.version
  ) AS step -- Place of the version, from 1, in the order of app_versions.
FROM runs AS r
LEFT JOIN app_versions AS v ON r.app = v.app AND r.version = v.version
WHERE r.app IS NOT NULL AND r.run_id NOT IN (SELECT run_id FROM failed_runs);

CREATE OR REPLACE VIEW tuning_history AS -- One row is a version of an application on one machine at one size: its bottleneck, its time and the gain. Applications without counters have no rows.
WITH
  -- runs that are weighted by different units count the same
  weighed AS (
    SELECT
      v.app, v.machine, v.problem_size, v.nodes, v.ranks, v.threads, v.step, b.class,
      CASE WHEN min(b.weighed_by) OVER version = max(b.weighed_by) OVER version THEN b.weight
        ELSE b.share END AS weight
    FROM bottleneck_weights AS b
    JOIN run_versions AS v USING (run_id)
    WINDOW version AS (
      PARTITION BY v.app, v.machine, v.problem_size, v.nodes, v.ranks, v.threads, v.step
    )
  ),

  weights AS (
    SELECT
      app, machine, problem_size, nodes, ranks, threads, step, class, sum(weight) AS weight
    FROM weighed
    GROUP BY ALL
  ),

  -- the class of each version: that with the largest weight in its runs
  verdict AS (
    SELECT
      app, machine, problem_size, nodes, ranks, threads, step,
      array_to_string(
        list_transform(
          _heaviest(list({'class': class, 'weight': weight} ORDER BY weight DESC, class)),
          lambda h: h.class
        ),
        ' or '
      ) AS class
    FROM weights
    GROUP BY ALL
  ),

  -- from the first sample to the last, for runs whose wall time is unknown
  sampled AS (
    SELECT run_id, (max(t_end) - min(t_start)) / 1e9 AS seconds
    FROM pmu_samples
    SEMI JOIN (FROM runs WHERE wall_seconds IS NULL) USING (run_id)
    GROUP BY run_id
  ),

  placed AS (
    SELECT
      v.app, v.machine, v.problem_size, v.nodes, v.ranks, v.threads, v.step, v.version,
      median(coalesce(v.wall_seconds, sampled.seconds)) AS seconds, count(*) AS runs
    FROM run_versions AS v
    LEFT JOIN sampled USING (run_id)
    GROUP BY ALL
  )

SELECT
  p.app, p.machine, p.problem_size, p.nodes, p.ranks, p.threads,
  p.step, -- Place of the version in the history, from 1.
  p.version,
  p.runs, -- Runs of the version.
  v.class, -- Class with the largest weight in its runs (bottleneck_verdicts), or several of a tie; NULL where it has no counters.
  p.seconds, -- Median time of its runs, s: wall time, or from the first to the last sample where that is unknown.
  100 * (lag(p.seconds) OVER steps / nullif(p.seconds, 0) - 1) AS gain_percent, -- Gain in speed over the previous version, %: 100 for twice as fast.
  100 * (first_value(p.seconds) OVER steps / nullif(p.seconds, 0) - 1) AS gain_since_first_percent -- Gain in speed over the first version, %.
FROM placed AS p
LEFT JOIN verdict AS v
  ON p.app = v.app
  AND p.machine IS NOT DISTINCT FROM v.machine
  AND p.problem_size IS NOT DISTINCT FROM v.problem_size
  AND p.nodes IS NOT DISTINCT FROM v.nodes
  AND p.ranks IS NOT DISTINCT FROM v.ranks
  AND p.threads IS NOT DISTINCT FROM v.threads
  AND p.step = v.step
WINDOW
  whole AS (PARTITION BY p.app, p.machine, p.problem_size, p.nodes, p.ranks, p.threads),
  steps AS (whole ORDER BY p.step)
QUALIFY count(v.class) OVER whole > 0;
