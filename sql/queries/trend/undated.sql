-- How many runs of an application are in no series, as neither their start nor the date of their
-- commit is known. No row where there are none.
SELECT count(*) AS runs
FROM _run_commits
SEMI JOIN (FROM _scalars) AS m USING (run_id)
WHERE app = $app AND counted_at IS NULL
HAVING runs > 0;
