-- Launches of one run, those without visits too.
SELECT launch FROM bb_launches WHERE run_id = $run_id
UNION
SELECT launch FROM bb_visits WHERE run_id = $run_id
ORDER BY launch;
