-- requires: flags
--
-- Why workers idle: every idle interval's starvation, latency and overhead, in every reading.
--
-- Stored per run is the direct reading with union latency, and what the others need
-- (idle_intervals).

CREATE OR REPLACE VIEW _idle_readings AS
SELECT *
FROM (
  VALUES
    ('direct', 'union'), ('propagated', 'union'), ('transitive', 'union'),
    ('direct', 'last_arrival'), ('propagated', 'last_arrival'), ('transitive', 'last_arrival')
) AS reading (mode, latency_rule);

-- Idle intervals in one reading. A macro, as in most readings most columns are not needed, which
-- DuckDB does not read where the reading is a constant.
CREATE OR REPLACE MACRO _idle_reading(of_mode, of_rule) AS TABLE
WITH
  -- own: where the interval's own latency ends, if it is one stretch after the starvation
  cuts AS (
    SELECT
      *,
      least(t_end, greatest(t_start + starvation1, t_arrival)) AS own,
      CASE
        WHEN of_mode = 'direct' THEN NULL
        WHEN of_rule = 'union' THEN inherited_union
        ELSE inherited_last_arrival
      END AS inherited,
      CASE
        WHEN of_mode = 'direct' THEN NULL
        WHEN of_rule = 'union' THEN unrecorded_union
        ELSE unrecorded_last_arrival
      END AS unrecorded
    FROM idle_intervals
  ),

  parts AS (
    SELECT
      run_id, worker, t_start, t_end, kind, task, last_data, blamed_task, blamed_worker, starvation1,
      coalesce(inherited.ov_concrete, ov_concrete) AS ov_concrete,
      CASE of_mode
        WHEN 'propagated' THEN coalesce(inherited.ov_uniform_propagated, ov_uniform)
        WHEN 'transitive' THEN coalesce(inherited.ov_uniform_transitive, ov_uniform)
        ELSE ov_uniform
      END AS ov_uniform,
      CASE of_rule WHEN 'union' THEN ov_rest ELSE t_end - own END AS ov_rest,
      CASE of_rule
        WHEN 'union' THEN ov_unsubmitted
        ELSE greatest(0, least(t_end, coalesce(t_submit, own)) - own)
      END AS ov_unsubmitted,
      CASE of_mode WHEN 'transitive' THEN coalesce(inherited.lat_inherited, 0) ELSE 0 END
        AS lat_inherited,
      CASE of_rule WHEN 'union' THEN latency ELSE own - t_start - starvation1 END AS own_latency,
      coalesce(unrecorded, 0) AS unrecorded, coalesce(is_recorded, true) AS is_recorded,
      _flags(coalesce(flags, [])) AS flags
    FROM cuts
  )

SELECT
  run_id, of_mode AS mode, of_rule AS latency_rule, worker, t_start, t_end, kind, task, last_data,
  blamed_task, blamed_worker, starvation1, ov_concrete, ov_uniform, ov_rest, ov_unsubmitted,
  lat_inherited,
  starvation1 - ov_concrete - lat_inherited - ov_uniform AS starvation,
  own_latency + lat_inherited AS latency,
  ov_concrete + ov_uniform + ov_rest AS overhead,
  unrecorded + CASE WHEN is_recorded THEN 0 ELSE ov_rest - ov_unsubmitted END AS not_recorded,
  flags
FROM parts;

-- The readings of _idle_readings.
CREATE OR REPLACE VIEW idle_attribution AS
FROM _idle_reading('direct', 'union')
UNION ALL FROM _idle_reading('propagated', 'union')
UNION ALL FROM _idle_reading('transitive', 'union')
UNION ALL FROM _idle_reading('direct', 'last_arrival')
UNION ALL FROM _idle_reading('propagated', 'last_arrival')
UNION ALL FROM _idle_reading('transitive', 'last_arrival');

COMMENT ON VIEW idle_attribution IS 'One row is one idle interval of a worker in one reading (mode and latency rule): starvation + latency + overhead is its length, to the nanosecond.';
COMMENT ON COLUMN idle_attribution.mode IS 'direct (the literal reading), propagated (overhead in the producer''s own idle intervals is passed on to those who wait for it) or transitive (latency too: the root cause).';
COMMENT ON COLUMN idle_attribution.latency_rule IS 'union (latency while any input was on the wire) or last_arrival (until the last input arrived; for traces without send times).';
COMMENT ON COLUMN idle_attribution.t_end IS 'End, ns after clock correction.';
COMMENT ON COLUMN idle_attribution.kind IS 'lead (before the worker''s first task), inner, or tail (after its last).';
COMMENT ON COLUMN idle_attribution.task IS 'Task that ended it; NULL for a tail.';
COMMENT ON COLUMN idle_attribution.last_data IS 'Input of that task that was made last; NULL where none is known.';
COMMENT ON COLUMN idle_attribution.blamed_task IS 'Producer of last_data, where the worker starved for it.';
COMMENT ON COLUMN idle_attribution.blamed_worker IS 'Worker of that producer.';
COMMENT ON COLUMN idle_attribution.starvation1 IS 'Wait for the last input to be made, ns.';
COMMENT ON COLUMN idle_attribution.ov_concrete IS 'Of it: runtime work of the producer''s worker, and the overhead inherited from it, ns.';
COMMENT ON COLUMN idle_attribution.ov_uniform IS 'Of it: expected share of runtime work that is known only as a total, ns.';
COMMENT ON COLUMN idle_attribution.ov_rest IS 'What neither starvation nor latency explains, ns.';
COMMENT ON COLUMN idle_attribution.ov_unsubmitted IS 'Of ov_rest: before the program had submitted the task, ns.';
COMMENT ON COLUMN idle_attribution.lat_inherited IS 'Of starvation1: latency in the producer''s own waits, passed on (mode transitive), ns.';
COMMENT ON COLUMN idle_attribution.starvation IS 'No task was ready, ns; a tail is all starvation.';
COMMENT ON COLUMN idle_attribution.not_recorded IS 'Of overhead: the trace does not tell whether it is, because it has neither inputs of the task nor work of the runtime on the worker, or not who made an input or how it came, or because it is inherited from such a wait, ns.';
COMMENT ON COLUMN idle_attribution.flags IS 'Inconsistencies in the trace: causality (the last input was made after the task began), late_arrival (an input arrived after), missing_transfer (an input of another node never arrived; no latency then), neg_transfer (one arrived before it left or was made), unknown_input (an input whose making the trace does not list: what is counted as overhead may be starvation).';
