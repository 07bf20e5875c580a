-- Top-down shares of runs by region: the level-1 category with the most issue slots, and the part
-- of it that takes most, and from which share on Intel counts the category as what limits. Groups of
-- regions are left out: theirs are no shares.
SELECT
    * EXCLUDE (leaf, reason),
    (SELECT arg_min(c.threshold, c.shipped) FROM slot_categories AS c WHERE c.name = t.category)
        AS threshold
FROM topdown AS t
WHERE leaf AND category IS NOT NULL
  AND _is_of(run_id, CAST($runs AS VARCHAR[]))
ORDER BY run_id, region;
