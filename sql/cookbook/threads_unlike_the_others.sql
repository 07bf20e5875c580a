-- Which threads do something else than the others?
--
-- Threads are grouped by how often they visit each basic block. A small group next to a large one
-- is a thread with work of its own: output, communication, the rest of a division.
SELECT
  app, run_id, launch, behaviour_group, g.threads,
  round(100 * share, 1) AS percent,
  g.block AS example_block, g.thread AS example_thread
FROM thread_groups AS g
JOIN runs USING (run_id)
WHERE share < 0.5
ORDER BY share, app, run_id, launch, behaviour_group;
