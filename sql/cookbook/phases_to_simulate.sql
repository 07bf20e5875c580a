-- Which few intervals of a program can stand for the whole of it in a slow simulator?
--
-- Simulate only these, and add up their results by weight (SimPoint). Intervals are as long as
-- the trace made them: the tag interval_size of the run.
SELECT
  app, run_id, thread,
  count(*) AS intervals_to_simulate,
  sum(intervals) AS intervals_of_thread,
  list(interval ORDER BY weight DESC, interval) AS interval_numbers,
  list(round(weight, 3) ORDER BY weight DESC, interval) AS weights
FROM phase_representatives
JOIN runs USING (run_id)
GROUP BY app, run_id, launch, block, thread
ORDER BY app, run_id, thread;
