-- requires: workers, idle, idle_timeline, idle_sums
--
-- Idle attribution within a window of time.
--
-- Intervals wholly within the window are taken as they are; those that it cuts are added up from
-- their pieces. The uniform share of overhead has no place on the time axis: up to a moment it is
-- computed as if the starvation ended there, so that adjacent windows add up.

-- Exact runtime work of a run's workers that meets [lo, hi), merged where it overlaps, on one
-- clock.
CREATE OR REPLACE MACRO _runtime_exact(run, lo, hi) AS TABLE
WITH
  recorded AS (
    SELECT r.worker, r.t_start - w.ahead AS p, r.t_end - w.ahead AS q
    FROM runtime_intervals AS r
    JOIN _worker_clocks AS w ON r.run_id = w.run_id AND r.worker = w.worker
    WHERE r.run_id = run AND w.run_id = run AND r.total_ns IS NULL AND r.t_start < r.t_end
      AND r.t_end - w.ahead > lo AND r.t_start - w.ahead < hi
  ),

  marked AS (
    SELECT
      worker, p, q,
      coalesce(
        p > max(q) OVER (
          PARTITION BY worker ORDER BY p ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ),
        true
      ) AS is_first
    FROM recorded
  ),

  numbered AS (
    SELECT
      worker, p, q,
      count(*) FILTER (is_first) OVER (
        PARTITION BY worker ORDER BY p ROWS UNBOUNDED PRECEDING
      ) AS island
    FROM marked
  )

SELECT worker, min(p) AS p, max(q) AS q
FROM numbered
GROUP BY worker, island;

-- Runtime totals that overlap the waits of the intervals cut by [t0, t1), with the part of their
-- windows that exact runtime leaves free.
CREATE OR REPLACE MACRO _totals_met(run, t0, t1) AS TABLE
WITH
  met AS MATERIALIZED (
    SELECT
      i.worker, i.t_start AS a, i.blamed_worker, r.t_start - w.ahead AS p, r.t_end - w.ahead AS q,
      r.total_ns, row_number() OVER () AS n
    FROM idle_intervals AS i
    JOIN runtime_intervals AS r ON i.run_id = r.run_id AND i.blamed_worker = r.worker
    JOIN _worker_clocks AS w ON r.run_id = w.run_id AND r.worker = w.worker
    WHERE i.run_id = run AND r.run_id = run AND w.run_id = run
      AND i.t_end > t0 AND i.t_start < t1 AND (i.t_start < t0 OR i.t_end > t1)
      AND r.total_ns IS NOT NULL AND r.t_start < r.t_end
      AND r.t_start - w.ahead < i.t_start + i.starvation1 AND r.t_end - w.ahead > i.t_start
  ),

  exact AS (
    FROM _runtime_exact(run, (SELECT min(p) FROM met), (SELECT max(q) FROM met))
  ),

  taken AS (
    SELECT met.n, sum(least(met.q, exact.q) - greatest(met.p, exact.p)) AS ns
    FROM met
    JOIN exact ON met.blamed_worker = exact.worker AND exact.p < met.q AND exact.q > met.p
    GROUP BY met.n
  )

SELECT worker, a, p, q, total_ns, CAST(q - p - coalesce(ns, 0) AS BIGINT) AS free
FROM met
LEFT JOIN taken USING (n)
WHERE q - p - coalesce(ns, 0) > 0;

CREATE OR REPLACE MACRO idle_window(run, t0, t1) AS TABLE -- The rows of idle_attribution of `run`, in every reading, cut to the window [t0, t1) in ns after clock correction: times and parts are those within it.
WITH
  piece AS MATERIALIZED (
    FROM _idle_pieces([run], t0, t1, true)
  ),

  -- up to either end of the window: the starvation, and its share of each runtime total
  left_until AS (
    SELECT
      mode, latency_rule, worker, a, moment,
      sum(greatest(0, least(t_end, moment) - t_start)) AS ns
    FROM piece
    CROSS JOIN (VALUES (t0), (t1)) AS moments (moment)
    WHERE class = 'S'
    GROUP BY mode, latency_rule, worker, a, moment
  ),

  met_until AS (
    SELECT
      mode, latency_rule, worker, a, moment, total.p, total.q, total_ns, free,
      sum(
        greatest(0, least(piece.t_end, total.q, moment) - greatest(piece.t_start, total.p))
      ) AS ns
    FROM piece
    JOIN _totals_met(run, t0, t1) AS total USING (worker, a)
    CROSS JOIN (VALUES (t0), (t1)) AS moments (moment)
    WHERE class = 'S'
    GROUP BY ALL
  ),

  share_until AS (
    SELECT
      mode, latency_rule, worker, a, moment,
      sum(CAST(least(total_ns, free) AS HUGEINT) * CAST(ns AS HUGEINT) // free) AS ns
    FROM met_until
    GROUP BY mode, latency_rule, worker, a, moment
  ),

  uniform AS (
    SELECT
      mode, latency_rule, worker, a,
      sum(
        CASE moment WHEN t1 THEN 1 ELSE -1 END * least(share_until.ns, left_until.ns)
      ) AS ns
    FROM share_until
    JOIN left_until USING (mode, latency_rule, worker, a, moment)
    WHERE t0 < t1
    GROUP BY mode, latency_rule, worker, a
  ),

  clipped AS (
    SELECT
      mode, latency_rule, worker, a, class,
      greatest(t_start, t0) AS p, greatest(t_start, t0, least(t_end, t1)) AS q
    FROM piece
  ),

  sums AS (
    SELECT
      c.mode, c.latency_rule, c.worker, c.a,
      coalesce(sum(c.q - c.p) FILTER (c.class = 'S'), 0) AS s,
      coalesce(sum(c.q - c.p) FILTER (c.class = 'C'), 0) AS c,
      coalesce(sum(c.q - c.p) FILTER (c.class = 'X'), 0) AS x,
      coalesce(sum(c.q - c.p) FILTER (c.class = 'L'), 0) AS l,
      coalesce(sum(c.q - c.p) FILTER (c.class = 'R'), 0) AS r,
      coalesce(
        sum(greatest(0, least(c.q, i.t_submit) - c.p))
          FILTER (c.class = 'R' AND i.t_submit IS NOT NULL),
        0
      ) AS unsubmitted
    FROM clipped AS c
    JOIN (FROM idle_intervals WHERE run_id = run) AS i ON c.worker = i.worker AND c.a = i.t_start
    GROUP BY c.mode, c.latency_rule, c.worker, c.a
  ),

  cut AS (
    SELECT
      sums.*, least(sums.s, greatest(0, coalesce(uniform.ns, 0))) AS u
    FROM sums
    LEFT JOIN uniform USING (mode, latency_rule, worker, a)
  )

SELECT *
FROM idle_attribution
WHERE run_id = run AND t_start >= t0 AND t_end <= t1
UNION ALL
SELECT
  i.run_id, cut.mode, cut.latency_rule, i.worker,
  greatest(i.t_start, t0), least(i.t_end, t1), i.kind, i.task, i.last_data,
  CASE WHEN s + c + x > 0 THEN i.blamed_task END, CASE WHEN s + c + x > 0 THEN i.blamed_worker END,
  CAST(s + c + x AS BIGINT), CAST(c AS BIGINT), CAST(u AS BIGINT), CAST(r AS BIGINT),
  CAST(unsubmitted AS BIGINT), CAST(x AS BIGINT),
  CAST(s - u AS BIGINT), CAST(l + x AS BIGINT), CAST(c + u + r AS BIGINT),
  -- what is inherited has no place on the time axis: as much of it as of the overhead
  CAST(
    if(i.is_recorded = false, r - unsubmitted, 0)
      + coalesce(c * n.unrecorded // nullif(n.ov_concrete, 0), 0) AS BIGINT
  ),
  _flags(coalesce(i.flags, []))
FROM cut
JOIN (FROM idle_intervals WHERE run_id = run) AS i ON cut.worker = i.worker AND cut.a = i.t_start
LEFT JOIN (
  SELECT
    worker, t_start, 'union' AS latency_rule, unrecorded_union AS unrecorded,
    inherited_union.ov_concrete AS ov_concrete
  FROM idle_intervals
  WHERE run_id = run AND unrecorded_union > 0
  UNION ALL
  SELECT
    worker, t_start, 'last_arrival', unrecorded_last_arrival, inherited_last_arrival.ov_concrete
  FROM idle_intervals
  WHERE run_id = run AND unrecorded_last_arrival > 0
) AS n
  ON cut.worker = n.worker AND cut.a = n.t_start AND cut.latency_rule = n.latency_rule
  AND cut.mode <> 'direct'
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
  shown AS (
    SELECT
      run_id, t_begin = t_end AND t_begin BETWEEN t0 AND t1 AS is_moment,
      greatest(t_begin, t0) AS p, greatest(t_begin, t0, least(t_end, t1)) AS q
    FROM _worker_windows
    WHERE run_id = run
  ),

  sizes AS (
    SELECT run_id, count(*) FILTER (p < q OR is_moment) AS workers, sum(q - p) AS wall
    FROM shown
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
      coalesce(i.starvation, none) AS starvation, coalesce(i.latency, none) AS latency,
      coalesce(i.overhead, none) AS overhead, coalesce(i.unsubmitted, none) AS unsubmitted,
      coalesce(i.not_recorded, none) AS not_recorded, coalesce(i.unfollowed, none) AS unfollowed,
      coalesce(i.tail, none) AS tail,
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
