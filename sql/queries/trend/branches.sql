-- The branches that runs of an application are on.
SELECT branch, is_candidate, count(*) AS runs
FROM _run_commits
WHERE app = $app
GROUP BY ALL
ORDER BY runs DESC, branch;
