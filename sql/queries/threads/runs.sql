-- Runs with traces of basic blocks, the latest first; those that count visits, which allow more
-- analyses, before those that count instructions only.
WITH
  traced AS (
    SELECT run_id, false AS counts_visits FROM bb_launches
    UNION ALL
    SELECT run_id, bool_or(visits IS NOT NULL) FROM bb_visits GROUP BY run_id
  )

SELECT r.run_id, r.app, r.version, r.machine, r.started_at
FROM runs AS r
JOIN traced AS t USING (run_id)
GROUP BY ALL
ORDER BY bool_or(t.counts_visits) DESC, r.started_at DESC NULLS LAST, r.run_id
LIMIT 500;
