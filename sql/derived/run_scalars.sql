-- Keeps the scalars of all runs of which none are kept.

DELETE FROM run_scalars
WHERE run_id IN (FROM _new_runs);

INSERT INTO run_scalars BY NAME
FROM _run_scalars_of('_new_');

INSERT INTO kept_runs
FROM _new_runs;
