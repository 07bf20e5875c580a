-- What explains the change whose first run this is, where that is stored: as `explain_baseline`.
SELECT DISTINCT 'change' AS chosen_by, run_id AS changed, runs, against, main_metric AS metric
FROM change_explanations
WHERE run_id = $run_id;
