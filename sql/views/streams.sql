-- Instruction streams: the segments of each thread, added up.

CREATE OR REPLACE VIEW segment_summary AS
SELECT
  run_id, thread,
  count(*) AS segments,
  count(cycles) AS measured,
  CAST(sum(instructions) AS BIGINT) AS instructions,
  sum(cycles) AS cycles,
  sum(instructions) FILTER (cycles > 0) / nullif(sum(cycles) FILTER (instructions IS NOT NULL), 0)
    AS ipc
FROM segments
GROUP BY run_id, thread;

COMMENT ON VIEW segment_summary IS 'One row is one thread: its instruction-stream segments added up.';
COMMENT ON COLUMN segment_summary.thread IS 'Thread; NULL where the file has none.';
COMMENT ON COLUMN segment_summary.measured IS 'Segments with measured cycles.';
COMMENT ON COLUMN segment_summary.instructions IS 'Instructions; NULL where the code is not decoded.';
COMMENT ON COLUMN segment_summary.cycles IS 'Measured cycles, one pass of each segment.';
COMMENT ON COLUMN segment_summary.ipc IS 'Instructions per cycle over the segments where both are known.';
