-- requires: throughput_traces
--
-- Every segment as models of throughput take it, whatever it was recorded as.

CREATE OR REPLACE VIEW segment_inputs AS
-- traced segments
SELECT
  run_id, source_id, thread, segment, cycles, instructions, width_bound, critical_path_bound, unit_bound,
  features, 'trace' AS form, is_described, issued, shortest, width, ops / width AS fewest, lacking
FROM _trace_features
UNION ALL BY NAME
-- machine code, decoded as it landed; a core can run a little more than its width where it fuses
SELECT
  f.run_id, f.source_id, f.thread, f.segment, f.cycles, f.instructions, f.width_bound, f.critical_path_bound,
  f.unit_bound, f.features, 'code' AS form, f.features IS NOT NULL AS is_described,
  0.0 AS shortest, f.instructions / f.width_bound AS width, 0.9 * f.width_bound AS fewest
FROM segment_features AS f
UNION ALL BY NAME
-- machine code that landed before pwh decoded it
SELECT
  run_id, source_id, thread, segment, cycles, code.instructions, code.width_bound, code.critical_path_bound,
  code.unit_bound, features, 'code' AS form, features IS NOT NULL AS is_described,
  0.0 AS shortest, code.instructions / code.width_bound AS width, 0.9 * code.width_bound AS fewest
FROM (
  SELECT *, block_summary(hex) AS code, block_features(hex) AS features
  FROM segments
  WHERE hex IS NOT NULL AND source_id NOT IN (SELECT DISTINCT source_id FROM segment_features)
);

COMMENT ON VIEW segment_inputs IS 'One row is one segment as models of throughput take it.';
COMMENT ON COLUMN segment_inputs.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN segment_inputs.source_id IS 'File it came from (sources.source_id).';
COMMENT ON COLUMN segment_inputs.thread IS 'Thread.';
COMMENT ON COLUMN segment_inputs.segment IS 'Segment.';
COMMENT ON COLUMN segment_inputs.cycles IS 'Measured cycles of one pass.';
COMMENT ON COLUMN segment_inputs.instructions IS 'Instructions.';
COMMENT ON COLUMN segment_inputs.width_bound IS 'Cycles by the front end alone.';
COMMENT ON COLUMN segment_inputs.critical_path_bound IS 'Cycles by the dependence chains alone.';
COMMENT ON COLUMN segment_inputs.unit_bound IS 'Cycles by the busiest functional unit alone.';
COMMENT ON COLUMN segment_inputs.features IS 'Inputs of the models of this form, in their order; NULL where there is nothing to go by.';
COMMENT ON COLUMN segment_inputs.form IS 'trace: counts and distributions; code: machine code.';
COMMENT ON COLUMN segment_inputs.is_described IS 'Whether there is anything that a model can go by.';
COMMENT ON COLUMN segment_inputs.issued IS 'Cycles in which 0, 1, 2 ... were issued, measured.';
COMMENT ON COLUMN segment_inputs.shortest IS 'Segments of fewer cycles are left out of threads and of training.';
COMMENT ON COLUMN segment_inputs.width IS 'Instructions a cycle that the core can take at most: micro-operations for traces that count these.';
COMMENT ON COLUMN segment_inputs.fewest IS 'Fewer cycles than these cannot be.';
COMMENT ON COLUMN segment_inputs.lacking IS 'What the trace does not say: no_front_end, no_dependences, assumed_window.';
