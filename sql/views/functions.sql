-- Functions: where the time of a run went.

CREATE OR REPLACE VIEW function_shares AS
WITH
  -- ranks and threads of one function are added up, then taken per rank
  ranks AS (
    SELECT run_id, count(DISTINCT coalesce(rank, -1)) AS ranks
    FROM fn_timings
    GROUP BY run_id
  ),

  times AS (
    SELECT
      run_id, function,
      sum(seconds) AS seconds, sum(calls) AS calls, max(seconds) AS longest,
      count(*) AS measurements
    FROM fn_timings
    GROUP BY run_id, function
  )

SELECT
  run_id, function,
  seconds / ranks AS seconds,
  seconds / nullif(sum(seconds) OVER (PARTITION BY run_id), 0) AS share,
  calls, longest, measurements
FROM times
JOIN ranks USING (run_id);

COMMENT ON VIEW function_shares IS 'One row is one function of a run: its own time and its share of all own times.';
COMMENT ON COLUMN function_shares.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN function_shares.function IS 'Function, as the tool names it.';
COMMENT ON COLUMN function_shares.seconds IS 'Exclusive time, s: over all call paths and threads, mean over ranks.';
COMMENT ON COLUMN function_shares.share IS 'Share of the exclusive time of all functions, 0..1.';
COMMENT ON COLUMN function_shares.calls IS 'Calls, over all ranks and threads.';
COMMENT ON COLUMN function_shares.longest IS 'Longest single measurement (one rank, thread, call path), s.';
COMMENT ON COLUMN function_shares.measurements IS 'Measurements that were added up.';
