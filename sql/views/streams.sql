-- Instruction streams: the segments of each thread, added up.

CREATE OR REPLACE VIEW segment_summary AS -- One row is one thread: its instruction-stream segments added up.
SELECT
  run_id,
  thread, -- Thread; NULL where the file has none.
  count(*) AS segments,
  count(cycles) AS measured, -- Segments with measured cycles.
  CAST(sum(instructions) AS BIGINT) AS instructions, -- Instructions; NULL where the code is not decoded.
  sum(cycles) AS cycles, -- Measured cycles, one pass of each segment.
  sum(instructions) FILTER (cycles > 0) / nullif(sum(cycles) FILTER (instructions IS NOT NULL), 0)
    AS ipc -- Instructions per cycle over the segments where both are known.
FROM segments
GROUP BY run_id, thread;
