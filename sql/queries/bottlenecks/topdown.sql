-- Top-down shares of runs by region: the level-1 category with the most issue slots, and the part
-- of it that takes most. Groups of regions are left out: theirs are no shares.
SELECT * EXCLUDE (leaf, reason)
FROM topdown
WHERE leaf AND category IS NOT NULL
  AND _is_of(run_id, CAST($runs AS VARCHAR[]))
ORDER BY run_id, region;
