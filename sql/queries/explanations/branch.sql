-- The branch that a run is on, where that is not the default one.
SELECT app, branch, run_id FROM _run_commits WHERE run_id = $run_id AND is_candidate AND branch IS NOT NULL;
