-- Do the threads of a program or kernel execute equally many instructions?
--
-- Above 1 the other threads wait for the busiest one: 1.5 means that it executes half as much
-- again as the mean.
WITH
  threads AS (
    SELECT
      v.run_id, v.launch, v.kernel, v.block, v.thread,
      sum(coalesce(v.instructions, v.visits * b.size)) AS instructions
    FROM bb_visits AS v
    LEFT JOIN bb_blocks AS b
      ON v.run_id = b.run_id AND v.bb = b.bb AND v.kernel IS NOT DISTINCT FROM b.kernel
    GROUP BY v.run_id, v.launch, v.kernel, v.block, v.thread
  )
SELECT
  app, version, kernel,
  count(*) AS threads,
  arg_max(thread, instructions) AS busiest_thread,
  max(instructions) AS most_instructions,
  min(instructions) AS fewest_instructions,
  round(max(instructions) / avg(instructions), 3) AS busiest_over_mean
FROM threads
JOIN runs USING (run_id)
GROUP BY app, version, run_id, launch, kernel
HAVING count(*) > 1
ORDER BY busiest_over_mean DESC, app, version;
