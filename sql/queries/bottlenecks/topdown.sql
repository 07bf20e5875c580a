-- Top-down shares of runs by region: the level-1 category with the most issue slots, and the part
-- of it that takes most, from which share on Intel counts the category as what limits, and whose
-- processor it is. Groups of regions are left out: theirs are no shares.
SELECT
    * EXCLUDE (leaf, reason),
    (SELECT arg_min(c.threshold, c.shipped) FROM slot_categories AS c WHERE c.name = t.category)
        AS threshold,
    (
        SELECT any_value(_slot_vendor(s.metric_set))
        FROM sample_metrics AS s
        JOIN metric_sets AS m USING (metric_set)
        WHERE m.whole > 0 AND s.run_id = t.run_id AND s.region IS NOT DISTINCT FROM t.region
    ) AS vendor
FROM topdown AS t
WHERE leaf AND category IS NOT NULL
  AND _is_of(run_id, CAST($runs AS VARCHAR[]))
ORDER BY run_id, region;
