-- The rows of idle_intervals and idle_latency. Those that can be many are taken as they come,
-- without a join, so that they are stored in their order of worker and time.

INSERT INTO idle_latency BY NAME
SELECT run_id, source_id, worker, p AS t_start, q AS t_end
FROM _idle_island;

INSERT INTO idle_intervals BY NAME
SELECT
  run_id, source_id, worker, a AS t_start, b AS t_end,
  CASE WHEN is_first THEN 'lead' ELSE 'inner' END AS kind,
  task, t_submit, data AS last_data, t_arrival,
  CASE WHEN s1 > a THEN producer END AS blamed_task,
  CASE WHEN s1 > a THEN g.blamed_worker END AS blamed_worker,
  s1 - a AS starvation1,
  direct AS ov_concrete,
  g.ov_uniform,
  b - s1 - latency AS ov_rest,
  unsubmitted AS ov_unsubmitted,
  s1 - a - direct - g.ov_uniform AS starvation,
  latency,
  direct + g.ov_uniform + b - s1 - latency AS overhead,
  CASE WHEN c_u <> direct OR x_u <> 0 THEN {
    ov_concrete: c_u, lat_inherited: x_u,
    ov_uniform_propagated: propagated_u, ov_uniform_transitive: transitive_u
  } END AS inherited_union,
  CASE WHEN c_l <> direct OR x_l <> 0 THEN {
    ov_concrete: c_l, lat_inherited: x_l,
    ov_uniform_propagated: propagated_l, ov_uniform_transitive: transitive_l
  } END AS inherited_last_arrival,
  is_recorded,
  nullif(n_u, 0) AS unrecorded_union,
  nullif(n_l, 0) AS unrecorded_last_arrival,
  CASE WHEN is_causality OR is_late OR is_missing OR is_negative OR is_unlisted THEN list_filter(
    [
      CASE WHEN is_causality THEN 'causality' END, CASE WHEN is_late THEN 'late_arrival' END,
      CASE WHEN is_missing THEN 'missing_transfer' END, CASE WHEN is_negative THEN 'neg_transfer' END,
      CASE WHEN is_unlisted THEN 'unknown_input' END
    ],
    lambda flag: flag IS NOT NULL
  ) END AS flags
FROM _idle_measured AS g;

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
