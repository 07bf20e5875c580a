-- What changed together with the change at a run, as it is stored; as findings. $runs and $against are
-- its sides.
SELECT
  * EXCLUDE (
    change_id, run_id, app, machine, version, started_at, main_metric, main_direction, runs, against,
    place
  ),
  topic = 'counter' AND _is_instructions(subject) AS is_instructions
FROM change_explanations
WHERE run_id = $run_id AND main_metric = $metric AND runs = $runs AND against = $against
ORDER BY place;
