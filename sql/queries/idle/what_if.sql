-- How much shorter one run could be at most.
FROM idle_what_if($run_id)
ORDER BY replay_gain DESC NULLS LAST, gain_at_most DESC, change;
