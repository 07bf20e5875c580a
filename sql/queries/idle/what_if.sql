-- How much shorter one run could be at most, and whether that takes tasks as independent of each other
-- because no chain of them is recorded: no task reads what a task made that read something itself.
-- Traces of GPUs have which call launched a kernel, and not what it reads.
SELECT *, change = 'one more worker' AND without_chains AS is_assumed
FROM idle_what_if($run_id)
CROSS JOIN (
  SELECT
    NOT EXISTS (
      FROM (FROM task_inputs WHERE run_id = $run_id) AS i
      JOIN (FROM task_data WHERE run_id = $run_id) AS d ON i.data = d.data
      SEMI JOIN (FROM task_inputs WHERE run_id = $run_id) AS made ON d.producer = made.task
    ) AS without_chains
)
ORDER BY replay_gain DESC NULLS LAST, gain_at_most DESC, change;
