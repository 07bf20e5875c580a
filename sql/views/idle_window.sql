-- requires: workers, idle, idle_timeline, idle_sums
--
-- Idle attribution within a window of time.
--
-- Intervals wholly within the window are taken as they are; those that it cuts are attributed up to both of its
-- ends.

CREATE OR REPLACE MACRO idle_window(run, t0, t1) AS TABLE -- The rows of idle_attribution of `run`, in every reading, cut to the window [t0, t1) in ns after clock correction: times and parts are those within it.
SELECT *
FROM idle_attribution
WHERE run_id = run AND t_start >= t0 AND t_end <= t1
UNION ALL
SELECT
  i.run_id, cut.mode, cut.latency_rule, i.worker,
  greatest(i.t_start, t0), least(i.t_end, t1), i.kind, i.task, i.last_data,
  CASE WHEN cut.starvation1 > 0 THEN i.blamed_task END,
  CASE WHEN cut.starvation1 > 0 THEN i.blamed_worker END,
  cut.starvation1, cut.ov_concrete, cut.ov_uniform, cut.ov_rest, cut.ov_unsubmitted, cut.lat_inherited,
  cut.starvation1 - cut.ov_concrete - cut.ov_uniform - cut.lat_inherited, cut.own_latency + cut.lat_inherited,
  cut.ov_concrete + cut.ov_uniform + cut.ov_rest,
  cut.unrecorded + if(i.is_recorded = false, cut.ov_rest - cut.ov_unsubmitted, 0),
  _flags(coalesce(i.flags, []))
FROM (
  SELECT unnest(idle_cuts(names, gaps, exact, flights, totals, CAST(t0 AS BIGINT), CAST(t1 AS BIGINT))) AS cut
  FROM _idle_facts(run, t0, t1, true)
)
JOIN (FROM idle_intervals WHERE run_id = run) AS i ON cut.worker = i.worker AND cut.a = i.t_start
WHERE t0 < t1;

-- The idle intervals of a run in one reading, within [t0, t1) where that is not NULL.
CREATE OR REPLACE MACRO _idle_within(run, of_mode, of_rule, t0, t1) AS TABLE
FROM idle_attribution
WHERE run_id = run AND mode = of_mode AND latency_rule = of_rule AND t0 IS NULL
UNION ALL
FROM idle_window(run, t0, t1)
WHERE mode = of_mode AND latency_rule = of_rule AND t0 IS NOT NULL;

CREATE OR REPLACE MACRO slo_window(run, t0, t1) AS TABLE -- As slo_by_run, one row for each reading of `run`, of the window [t0, t1) in ns after clock correction.
WITH
  sizes AS (
    SELECT
      run_id, count(*) FILTER (p < q OR (t_begin = t_end AND t_begin BETWEEN t0 AND t1)) AS workers,
      sum(q - p) AS wall
    FROM (
      SELECT *, greatest(t_begin, t0) AS p, greatest(t_begin, t0, least(t_end, t1)) AS q FROM _worker_windows
      WHERE run_id = run
    )
    GROUP BY run_id
  ),

  idle AS (
    SELECT
      mode, latency_rule, count(*) FILTER (kind <> 'tail') AS intervals,
      sum(t_end - t_start) AS ns,
      sum(starvation) FILTER (kind <> 'tail') AS starvation, sum(latency) AS latency,
      sum(overhead) AS overhead, sum(ov_unsubmitted) AS unsubmitted,
      sum(not_recorded) AS not_recorded,
      sum(not_recorded) FILTER (last_data IS NOT NULL OR len(flags) > 0) AS unfollowed,
      sum(t_end - t_start) FILTER (kind = 'tail') AS tail
    FROM idle_window(run, t0, t1)
    GROUP BY mode, latency_rule
  ),

  sums AS (
    SELECT
      s.run_id, r.mode, r.latency_rule, s.workers, coalesce(i.intervals, none) AS intervals,
      s.wall, s.wall - coalesce(i.ns, none) AS busy,
      coalesce(COLUMNS(i.* EXCLUDE (mode, latency_rule, intervals, ns)), none),
      (SELECT any_value(doubt) FROM _worker_sums WHERE run_id = run) AS doubt
    FROM sizes AS s
    CROSS JOIN _idle_readings AS r
    -- nothing is known of a run written by hand, until pwh refresh
    CROSS JOIN (
      SELECT CASE WHEN count(*) > 0 THEN 0 END AS none FROM kept_runs WHERE run_id = run
    ) AS k
    LEFT JOIN idle AS i USING (mode, latency_rule)
  ),

  root AS (
    SELECT
      latency_rule, _root(doubt, starvation, latency, overhead, unsubmitted, not_recorded) AS root
    FROM sums
    WHERE mode = 'transitive'
  ),

  figured AS (
    SELECT s.*, _figures(s, r.root, t, s.workers) AS figures
    FROM sums AS s
    JOIN root AS r USING (latency_rule)
    -- gains and path are those of the whole run
    LEFT JOIN (
      SELECT * REPLACE (NULL AS is_chain, NULL AS nothing_helps, NULL AS path_cause)
      FROM _run_tasks
      WHERE run_id = run
    ) AS t ON true
  )

SELECT * EXCLUDE (unfollowed, doubt, figures), figures.*
FROM figured;
