-- Idle time of which the trace does not tell the cause, and arrows of traces that tell one.

ALTER TABLE task_inputs ADD COLUMN t_arrived BIGINT;
ALTER TABLE task_inputs ADD COLUMN is_sent BOOLEAN;
COMMENT ON COLUMN task_inputs.t_arrived IS 'Where an arrow of the trace brought it: the arrow''s end, ns on the clock of the reader''s node.';
COMMENT ON COLUMN task_inputs.is_sent IS 'Whether the arrow says that something was sent, so that it was in transit until t_arrived; false: what happened between the ends of the arrow is unknown; NULL: no arrow.';

ALTER TABLE idle_intervals ADD COLUMN is_recorded BOOLEAN;
ALTER TABLE idle_intervals ADD COLUMN unrecorded_union BIGINT;
ALTER TABLE idle_intervals ADD COLUMN unrecorded_last_arrival BIGINT;
COMMENT ON COLUMN idle_intervals.is_recorded IS 'Whether the trace tells the cause of ov_rest: it has the inputs of the task and how they came, or work of the runtime on this worker; NULL for a tail.';
COMMENT ON COLUMN idle_intervals.unrecorded_union IS 'Of the overhead inherited in the modes propagated and transitive, union latency: passed on from intervals that are not recorded, ns; NULL where none is.';
COMMENT ON COLUMN idle_intervals.unrecorded_last_arrival IS 'The same with last_arrival latency, ns.';

UPDATE idle_intervals
SET is_recorded = (
    run_id, task
  ) IN (SELECT (run_id, task) FROM task_inputs) OR (
    run_id, worker
  ) IN (SELECT (run_id, worker) FROM runtime_intervals)
WHERE kind <> 'tail';

UPDATE idle_intervals
SET is_recorded = false
WHERE list_has_any(flags, ['missing_transfer', 'unknown_input']);
