-- The runs $runs, those with the most kinds of trace first, else in their order.
WITH
  named AS (
    SELECT
      unnest(CAST($runs AS VARCHAR[])) AS run_id,
      generate_subscripts(CAST($runs AS VARCHAR[]), 1) AS place
  ),

  traced AS (
    SELECT DISTINCT run_id, 'pmu_samples' AS kind FROM pmu_samples SEMI JOIN named USING (run_id)
    UNION ALL
    SELECT DISTINCT run_id, 'fn_timings' FROM fn_timings SEMI JOIN named USING (run_id)
    UNION ALL
    SELECT DISTINCT run_id, 'tasks' FROM tasks SEMI JOIN named USING (run_id)
    UNION ALL
    SELECT DISTINCT run_id, 'bb_launches' FROM bb_launches SEMI JOIN named USING (run_id)
    UNION ALL
    SELECT DISTINCT run_id, 'segments' FROM segments SEMI JOIN named USING (run_id)
  )

SELECT n.run_id, count(t.kind) AS kinds
FROM named AS n
LEFT JOIN traced AS t USING (run_id)
GROUP BY n.run_id, n.place
ORDER BY kinds DESC, n.place;
