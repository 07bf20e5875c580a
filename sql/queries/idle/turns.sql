-- Tasks of one run that take turns though several workers run them: all of them, else by type, the
-- longest first, with the share of the run's time in which one ran.
SELECT
  of_all, name, workers, meetings, CAST(ns AS DOUBLE) / span AS share, within, every / 1e9 AS every_seconds,
  usual / 1e9 AS usual_seconds, alone / 1e9 AS alone_seconds
FROM tasks_in_turn
WHERE run_id = $run_id
ORDER BY of_all DESC, ns DESC, name;
