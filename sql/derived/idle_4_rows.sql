-- The rows of idle_intervals and idle_latency.

-- Runtime work known as a total is spread evenly over what exact runtime leaves of its window, in
-- all at most over the starvation there is. In 128 bits: the products pass 64.
CREATE TEMP TABLE _idle_uniform AS
WITH
  spread AS (
    SELECT i, met, direct, c_u, x_u, c_l, x_l, CAST(least(total, y) AS HUGEINT) AS work, y
    FROM _idle_met
    WHERE y > 0
  ),

  sums AS (
    SELECT
      i,
      sum(work * (met - direct) // y) AS direct,
      sum(work * (met - c_u) // y) AS propagated_u,
      sum(work * (met - c_u - x_u) // y) AS transitive_u,
      sum(work * (met - c_l) // y) AS propagated_l,
      sum(work * (met - c_l - x_l) // y) AS transitive_l
    FROM spread
    GROUP BY i
  )

SELECT
  i,
  CAST(least(u.direct, s1 - a - p.direct) AS BIGINT) AS direct,
  CAST(least(propagated_u, s1 - a - c_u) AS BIGINT) AS propagated_u,
  CAST(least(transitive_u, s1 - a - c_u - x_u) AS BIGINT) AS transitive_u,
  CAST(least(propagated_l, s1 - a - c_l) AS BIGINT) AS propagated_l,
  CAST(least(transitive_l, s1 - a - c_l - x_l) AS BIGINT) AS transitive_l
FROM sums AS u
JOIN _idle_wait USING (i)
JOIN _idle_part AS p USING (i);

INSERT INTO idle_latency BY NAME
SELECT run.run_id, run.source_id, worker.worker, island.p AS t_start, island.q AS t_end
FROM _idle_island AS island
JOIN _idle_worker AS worker USING (w)
JOIN _idle_run AS run USING (r);

INSERT INTO idle_intervals BY NAME
WITH
  part AS (
    SELECT
      wait.*, s1 - a AS s, p.latency, p.unsubmitted, p.direct, p.c_u, p.x_u, p.c_l, p.x_l,
      coalesce(u.direct, 0) AS spread,
      CASE WHEN c_u <> p.direct OR x_u <> 0 THEN {
        ov_concrete: c_u, lat_inherited: x_u,
        ov_uniform_propagated: coalesce(propagated_u, 0),
        ov_uniform_transitive: coalesce(transitive_u, 0)
      } END AS inherited_union,
      CASE WHEN c_l <> p.direct OR x_l <> 0 THEN {
        ov_concrete: c_l, lat_inherited: x_l,
        ov_uniform_propagated: coalesce(propagated_l, 0),
        ov_uniform_transitive: coalesce(transitive_l, 0)
      } END AS inherited_last_arrival
    FROM _idle_wait AS wait
    JOIN _idle_part AS p USING (i)
    LEFT JOIN _idle_uniform AS u USING (i)
  )

SELECT
  run.run_id, run.source_id, worker.worker, part.a AS t_start, part.b AS t_end,
  CASE WHEN gap.is_first THEN 'lead' ELSE 'inner' END AS kind,
  gap.task, gap.t_submit, datum.data AS last_data, part.t_arrival,
  CASE WHEN s > 0 THEN datum.producer END AS blamed_task,
  CASE WHEN s > 0 THEN maker.worker END AS blamed_worker,
  s AS starvation1,
  part.direct AS ov_concrete,
  spread AS ov_uniform,
  part.b - part.a - s - part.latency AS ov_rest,
  part.unsubmitted AS ov_unsubmitted,
  s - part.direct - spread AS starvation,
  part.latency,
  part.direct + spread + ov_rest AS overhead,
  inherited_union, inherited_last_arrival,
  CASE WHEN is_causality OR is_late OR is_missing OR is_negative THEN list_filter(
    [
      CASE WHEN is_causality THEN 'causality' END, CASE WHEN is_late THEN 'late_arrival' END,
      CASE WHEN is_missing THEN 'missing_transfer' END, CASE WHEN is_negative THEN 'neg_transfer' END
    ],
    lambda flag: flag IS NOT NULL
  ) END AS flags
FROM part
JOIN _idle_gap AS gap ON part.i = gap.rowid
JOIN _idle_worker AS worker ON part.w = worker.w
JOIN _idle_run AS run ON worker.r = run.r
LEFT JOIN _idle_datum AS datum ON part.d = datum.rowid
LEFT JOIN _idle_worker AS maker ON part.v = maker.w;

INSERT INTO idle_intervals BY NAME
SELECT
  run.run_id, run.source_id, worker.worker,
  greatest(span.t_begin, span.last_end) AS t_start, span.t_end, 'tail' AS kind,
  span.t_end - greatest(span.t_begin, span.last_end) AS starvation1,
  0 AS ov_concrete, 0 AS ov_uniform, 0 AS ov_rest, 0 AS ov_unsubmitted,
  span.t_end - greatest(span.t_begin, span.last_end) AS starvation, 0 AS latency, 0 AS overhead
FROM _idle_window AS span
JOIN _idle_worker AS worker USING (w)
JOIN _idle_run AS run ON worker.r = run.r
WHERE span.t_end > greatest(span.t_begin, span.last_end);
