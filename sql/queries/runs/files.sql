-- The database in use, and the files of some runs: NULL where there are no runs, or no file states
-- facts of one of them, as of rows that were written by hand.
SELECT
  current_database() AS "database",
  CASE WHEN bool_and(f.source_id IS NOT NULL) THEN list(DISTINCT f.source_id) END AS files
FROM (
{runs}
) AS r
LEFT JOIN run_facts AS f ON r.run_id = f.run_id;
