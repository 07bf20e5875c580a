-- requires: workers, idle, sides
--
-- Idle time on the time axis: what pieces an idle interval consists of, in every reading.
--
-- At any one moment an idle worker waits for one other worker. If that one was in its runtime then,
-- the moment is overhead; if it idled behind its own starvation, latency or rest; if it starved
-- itself, the worker that it waited for is examined in turn.

-- Width of one of so many equal bins of a window, ns.
CREATE OR REPLACE MACRO _bin_width(t0, t1, bins) AS greatest(1, (t1 - t0 + bins - 1) // bins);

-- Pieces of the idle intervals of some runs that meet [t0, t1), whole; with `only_cut` those of the
-- intervals that do not lie wholly within it. NULL is no bound.
CREATE OR REPLACE MACRO _idle_pieces(runs, t0, t1, only_cut) AS TABLE
WITH RECURSIVE
  gap AS MATERIALIZED (
    SELECT
      row_number() OVER (
        -- intervals of a worker that overlap have an order, too
        ORDER BY run_id, worker, t_start, t_end, starvation1, t_arrival, blamed_worker, kind
      ) AS i,
      run_id, worker, kind, t_start AS a, t_end AS b, t_start + starvation1 AS s1,
      least(t_end, greatest(t_start + starvation1, t_arrival)) AS la,
      blamed_worker AS v
    FROM idle_intervals
    WHERE _is_of(run_id, runs)
  ),

  owner AS MATERIALIZED (
    SELECT *
    FROM gap
    WHERE b > coalesce(t0, b - 1) AND a < coalesce(t1, a + 1)
      AND (NOT only_cut OR a < t0 OR b > t1)
  ),

  -- nothing outside matters: the class of a moment depends on that moment alone
  hull AS MATERIALIZED (
    SELECT min(a) AS lo, max(b) AS hi FROM owner GROUP BY only_cut AND a < t0
  ),

  exact AS (
    SELECT r.run_id, r.worker, r.t_start - w.ahead AS p, r.t_end - w.ahead AS q
    FROM runtime_intervals AS r
    JOIN _worker_clocks AS w ON r.run_id = w.run_id AND r.worker = w.worker
    SEMI JOIN hull ON r.t_end - w.ahead > hull.lo AND r.t_start - w.ahead < hull.hi
    WHERE _is_of(r.run_id, runs)
      AND _is_of(w.run_id, runs)
      AND r.total_ns IS NULL AND r.t_start < r.t_end
  ),

  flight AS (
    SELECT run_id, worker, t_start, t_end
    FROM idle_latency
    SEMI JOIN hull ON t_end > hull.lo AND t_start < hull.hi
    WHERE _is_of(run_id, runs)
  ),

  near AS (
    SELECT * FROM gap SEMI JOIN hull ON b > hull.lo AND a < hull.hi WHERE kind <> 'tail'
  ),

  -- where something begins (+1) or ends (-1): e exact runtime, s starvation, f what follows it,
  -- u latency by the rule union, l by last_arrival
  event (run_id, worker, t, e, s, f, u, l, i) AS (
    SELECT run_id, worker, p, 1, 0, 0, 0, 0, NULL FROM exact
    UNION ALL
    SELECT run_id, worker, q, -1, 0, 0, 0, 0, NULL FROM exact
    UNION ALL
    SELECT run_id, worker, t_start, 0, 0, 0, 1, 0, NULL FROM flight
    UNION ALL
    SELECT run_id, worker, t_end, 0, 0, 0, -1, 0, NULL FROM flight
    UNION ALL
    SELECT run_id, worker, a, 0, 1, 0, 0, 0, i FROM near
    UNION ALL
    SELECT run_id, worker, s1, 0, -1, 1, 0, 1, NULL FROM near
    UNION ALL
    SELECT run_id, worker, la, 0, 0, 0, 0, -1, NULL FROM near
    UNION ALL
    SELECT run_id, worker, b, 0, 0, -1, 0, 0, NULL FROM near
  ),

  change AS (
    SELECT
      run_id, worker, t, sum(e) AS e, sum(s) AS s, sum(f) AS f, sum(u) AS u, sum(l) AS l,
      max(i) AS i
    FROM event
    GROUP BY run_id, worker, t
  ),

  -- each worker's time, cut wherever something changes
  state AS (
    SELECT
      run_id, worker, t AS p, lead(t) OVER so_far AS q, max(i) OVER so_far AS i,
      sum(e) OVER so_far > 0 AS is_exact, sum(s) OVER so_far > 0 AS is_starved,
      sum(f) OVER so_far > 0 AS is_behind,
      sum(u) OVER so_far > 0 AS flies_u, sum(l) OVER so_far > 0 AS flies_l
    FROM change
    WINDOW so_far AS (PARTITION BY run_id, worker ORDER BY t)
  ),

  place AS MATERIALIZED (
    SELECT
      state.run_id, state.worker, state.p, state.q, state.is_exact, state.is_behind,
      state.flies_u, state.flies_l, gap.i, gap.b, gap.v
    FROM state
    -- as a condition of its own, DuckDB would compare all pairs
    LEFT JOIN gap ON CASE WHEN state.is_starved OR state.is_behind THEN state.i END = gap.i
    WHERE state.is_exact OR state.is_starved OR state.is_behind
  ),

  -- unresolved stretches have no class: they still wait for v, in an interval that ends at b. E is
  -- exact runtime of the worker waited for itself, C that of others and the rest of their
  -- intervals, X their latency
  chain (run_id, i, v, p, q, b, depth, class_u, class_l) AS (
    SELECT run_id, i, v, a, s1, b, 0, CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR)
    FROM owner
    WHERE v IS NOT NULL AND kind <> 'tail'
    UNION ALL
    SELECT
      chain.run_id, chain.i, place.v, greatest(chain.p, place.p), least(chain.q, place.q), place.b, depth + 1,
      CASE
        WHEN is_exact THEN CASE depth WHEN 0 THEN 'E' ELSE 'C' END
        WHEN is_behind THEN CASE WHEN flies_u THEN 'X' ELSE 'C' END
      END,
      CASE
        WHEN is_exact THEN CASE depth WHEN 0 THEN 'E' ELSE 'C' END
        WHEN is_behind THEN CASE WHEN flies_l THEN 'X' ELSE 'C' END
      END
    FROM chain
    JOIN place
      ON chain.run_id = place.run_id AND chain.v = place.worker
      AND place.p < chain.q AND place.q > chain.p
    WHERE chain.class_u IS NULL
      AND (is_exact OR (place.b < chain.b AND (is_behind OR place.v IS NOT NULL)))
  ),

  found AS (
    SELECT i, p, q, class_u, class_l FROM chain WHERE class_u IS NOT NULL
    UNION ALL
    SELECT i, s1, s1, NULL, NULL FROM owner
  ),

  piece AS (
    SELECT i, p, q, class_u, class_l FROM found WHERE p < q
    UNION ALL
    SELECT
      i, lag(q, 1, a) OVER (PARTITION BY i ORDER BY p, q), p, 'S', 'S'
    FROM found
    JOIN owner USING (i)
    UNION ALL
    SELECT
      i, p, q, CASE WHEN flies_u THEN 'L' ELSE 'R' END, CASE WHEN flies_l THEN 'L' ELSE 'R' END
    FROM place
    SEMI JOIN owner USING (i)
    WHERE is_behind
  ),

  classed AS (
    SELECT
      i, mode, latency_rule, p, q,
      CASE latency_rule WHEN 'union' THEN class_u ELSE class_l END AS found_class,
      CASE
        WHEN found_class = 'E' THEN 'C'
        WHEN found_class IN ('C', 'X') AND mode = 'direct' THEN 'S'
        WHEN found_class = 'X' AND mode = 'propagated' THEN 'S'
        ELSE found_class
      END AS class
    FROM piece
    CROSS JOIN _idle_readings
    WHERE p < q
  ),

  -- adjacent pieces of one class are merged
  marked AS (
    SELECT
      *,
      p IS DISTINCT FROM lag(q) OVER in_order OR class IS DISTINCT FROM lag(class) OVER in_order
        AS is_first
    FROM classed
    WINDOW in_order AS (PARTITION BY i, mode, latency_rule ORDER BY p, q, class)
  ),

  numbered AS (
    SELECT
      *,
      count(*) FILTER (is_first) OVER (
        PARTITION BY i, mode, latency_rule ORDER BY p, q, class ROWS UNBOUNDED PRECEDING
      ) AS island
    FROM marked
  ),

  merged AS (
    SELECT i, mode, latency_rule, class, min(p) AS t_start, max(q) AS t_end
    FROM numbered
    GROUP BY i, mode, latency_rule, class, island
  )

SELECT
  owner.run_id, merged.mode, merged.latency_rule, owner.worker, owner.a, owner.b, merged.t_start, merged.t_end,
  merged.class
FROM merged
JOIN owner USING (i);

CREATE OR REPLACE MACRO idle_timeline(run, t0, t1) AS TABLE -- One row is one piece of an idle interval of `run` within [t0, t1) (NULL: no bound), as in idle_segments: mode, latency_rule, worker, t_start, t_end, class. It is slow for the whole of a large run: pass a window.
SELECT
  mode, latency_rule, worker,
  greatest(t_start, t0) AS t_start, least(t_end, t1) AS t_end,
  class
FROM _idle_pieces([run], t0, t1, false)
WHERE t_end > coalesce(t0, t_end - 1) AND t_start < coalesce(t1, t_start + 1);
