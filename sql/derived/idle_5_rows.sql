-- The rows of idle_intervals and idle_latency.

INSERT INTO idle_latency BY NAME
SELECT run.run_id, run.source_id, worker.worker, island.p AS t_start, island.q AS t_end
FROM _idle_island AS island
JOIN _idle_worker AS worker USING (w)
JOIN _idle_run AS run USING (r);

INSERT INTO idle_intervals BY NAME
WITH
  part AS (
    SELECT
      g.*, s1 - a AS s, coalesce(u.direct, 0) AS spread,
      CASE WHEN c_u <> g.direct OR x_u <> 0 THEN {
        ov_concrete: c_u, lat_inherited: x_u,
        ov_uniform_propagated: coalesce(propagated_u, 0),
        ov_uniform_transitive: coalesce(transitive_u, 0)
      } END AS inherited_union,
      CASE WHEN c_l <> g.direct OR x_l <> 0 THEN {
        ov_concrete: c_l, lat_inherited: x_l,
        ov_uniform_propagated: coalesce(propagated_l, 0),
        ov_uniform_transitive: coalesce(transitive_l, 0)
      } END AS inherited_last_arrival
    FROM _idle_measured AS g
    LEFT JOIN _idle_uniform AS u USING (place)
  )

SELECT
  run.run_id, run.source_id, worker.worker, part.a AS t_start, part.b AS t_end,
  CASE WHEN is_first THEN 'lead' ELSE 'inner' END AS kind,
  task, t_submit, data AS last_data, t_arrival,
  CASE WHEN s > 0 THEN producer END AS blamed_task,
  CASE WHEN s > 0 THEN maker.worker END AS blamed_worker,
  s AS starvation1,
  direct AS ov_concrete,
  spread AS ov_uniform,
  b - a - s - latency AS ov_rest,
  unsubmitted AS ov_unsubmitted,
  s - direct - spread AS starvation,
  latency,
  direct + spread + ov_rest AS overhead,
  inherited_union, inherited_last_arrival,
  CASE WHEN is_causality OR is_late OR is_missing OR is_negative THEN list_filter(
    [
      CASE WHEN is_causality THEN 'causality' END, CASE WHEN is_late THEN 'late_arrival' END,
      CASE WHEN is_missing THEN 'missing_transfer' END, CASE WHEN is_negative THEN 'neg_transfer' END
    ],
    lambda flag: flag IS NOT NULL
  ) END AS flags
FROM part
JOIN _idle_worker AS worker ON part.w = worker.w
JOIN _idle_run AS run ON worker.r = run.r
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
