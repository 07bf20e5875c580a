-- Runs with samples whose class is by a set of counts, not by shares of issue slots.
SELECT DISTINCT c.run_id
FROM metric_coverage AS c
JOIN metric_sets AS s USING (metric_set)
WHERE _is_of(c.run_id, CAST($runs AS VARCHAR[]))
  AND c.names_class AND s.whole = 0;
