-- Every kind of trace at once: what share of the work is saving?
WITH work (run_id, trace, part, amount) AS (
  SELECT run_id, 'function times', function, seconds FROM fn_timings
  UNION ALL
  SELECT run_id, 'tasks', name, t_end - t_start FROM tasks
  UNION ALL
  SELECT run_id, 'basic blocks', function, instructions
  FROM bb_visits JOIN bb_blocks USING (run_id, bb)
)
SELECT trace, app, version, ranks,
  round(100 * sum(amount) FILTER (part SIMILAR TO '.*(save|write_number).*') / sum(amount), 1)
    AS percent
FROM work
JOIN runs USING (run_id)
WHERE app LIKE 'heat%'
GROUP BY ALL
ORDER BY ALL
