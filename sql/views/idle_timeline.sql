-- requires: workers
--
-- Idle time on the time axis: what pieces an idle interval consists of, in every reading.

-- Width of one of so many equal bins of a window, ns.
CREATE OR REPLACE MACRO _bin_width(t0, t1, bins) AS greatest(1, (t1 - t0 + bins - 1) // bins);

-- What the functions on idle intervals of `run` take, in lists: those intervals that meet [t0, t1), or,
-- with `only_cut`, that it cuts, are wanted, and all else that was so at the time. NULL is no bound. Workers are
-- numbered from 1: names.
CREATE OR REPLACE MACRO _idle_facts(run, t0, t1, only_cut) AS TABLE
WITH
  worker AS MATERIALIZED (
    SELECT worker, ahead, row_number() OVER (ORDER BY worker) AS w FROM _worker_clocks WHERE run_id = run
  ),

  gap AS MATERIALIZED (
    SELECT
      own.w, i.t_start AS a, i.t_start + i.starvation1 AS s1, i.t_end AS b,
      greatest(s1, least(i.t_end, coalesce(i.t_arrival, s1))) AS la,
      greatest(s1, least(i.t_end, coalesce(i.t_submit, s1))) AS u,
      coalesce(awaited.w, -1) AS v, CAST(coalesce(i.is_recorded, true) AS INTEGER) AS is_recorded,
      CAST(
        b > coalesce(t0, b - 1) AND a < coalesce(t1, a + 1) AND (NOT only_cut OR a < t0 OR b > t1)
        AS INTEGER
      ) AS is_wanted
    FROM (FROM idle_intervals WHERE run_id = run) AS i
    JOIN worker AS own ON i.worker = own.worker
    LEFT JOIN worker AS awaited ON i.blamed_worker = awaited.worker
  ),

  -- nothing outside matters: the cause at a moment depends on that moment alone
  hull AS MATERIALIZED (
    SELECT min(a) AS lo, max(b) AS hi FROM gap WHERE is_wanted = 1 GROUP BY only_cut AND a < t0
  ),

  work AS MATERIALIZED (
    SELECT w.w, r.t_start - w.ahead AS p, r.t_end - w.ahead AS q, r.total_ns AS total
    FROM (FROM runtime_intervals WHERE run_id = run AND t_start < t_end) AS r
    JOIN worker AS w ON r.worker = w.worker
  ),

  known AS MATERIALIZED (
    SELECT w, p, q, total FROM work SEMI JOIN hull ON q > lo AND p < hi WHERE total IS NOT NULL
  ),

  -- what a total is spread over
  reach AS MATERIALIZED (
    FROM hull UNION ALL SELECT min(p), max(q) FROM known
  )

SELECT
  (SELECT list(worker ORDER BY w) FROM worker) AS names,
  coalesce(
    (SELECT list(gap ORDER BY w, a, b, s1, la, v) FROM gap SEMI JOIN hull ON b > lo AND a < hi), []
  ) AS gaps,
  coalesce(
    (
      SELECT list({'w': w, 'p': p, 'q': q} ORDER BY w, p, q)
      FROM work
      SEMI JOIN reach ON q > lo AND p < hi
      WHERE total IS NULL
    ),
    []
  ) AS exact,
  coalesce(
    (
      SELECT list({'w': w.w, 'p': l.t_start, 'q': l.t_end} ORDER BY w.w, l.t_start)
      FROM (FROM idle_latency SEMI JOIN hull ON t_end > lo AND t_start < hi WHERE run_id = run) AS l
      JOIN worker AS w ON l.worker = w.worker
    ),
    []
  ) AS flights,
  coalesce((SELECT list(known ORDER BY w, p, q) FROM known), []) AS totals;

CREATE OR REPLACE MACRO idle_timeline(run, t0, t1) AS TABLE -- One row is one piece of an idle interval of `run` within [t0, t1) (NULL: no bound), as in idle_segments: mode, latency_rule, worker, t_start, t_end, class. It is slow for the whole of a large run: pass a window.
SELECT
  piece.mode, piece.latency_rule, piece.worker,
  greatest(piece.t_start, t0) AS t_start, least(piece.t_end, t1) AS t_end, piece.class
FROM (
  SELECT unnest(idle_pieces(names, gaps, exact, flights)) AS piece
  FROM _idle_facts(run, t0, t1, false)
)
WHERE piece.t_end > coalesce(t0, piece.t_end - 1) AND piece.t_start < coalesce(t1, piece.t_start + 1);
