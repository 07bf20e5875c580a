-- How much shorter one run could be at most, what gains most first, whether its tasks are a
-- chain, and what most of its critical path is.
SELECT g.*, coalesce(t.is_chain, false) AS is_chain, t.path_cause
FROM (FROM idle_gains WHERE run_id = $run_id AND change <> 'half as long') AS g
LEFT JOIN (FROM _run_tasks WHERE run_id = $run_id) AS t ON true
ORDER BY replay_gain DESC NULLS LAST, gain_at_most DESC, change;
