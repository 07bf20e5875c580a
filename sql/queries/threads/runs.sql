-- Runs with traces of basic blocks or several CPU threads, the latest first; those that count visits,
-- which allow more analyses, before the others.
WITH
  traced AS (
    SELECT run_id, false AS counts_visits FROM bb_launches
    UNION ALL
    SELECT run_id, bool_or(visits IS NOT NULL) FROM bb_visits GROUP BY run_id
    UNION ALL
    SELECT run_id, false FROM pmu_samples WHERE event = 'Ir'
    GROUP BY run_id HAVING min(thread) <> max(thread)
    UNION ALL
    SELECT run_id, false FROM fn_timings
    GROUP BY run_id HAVING min(thread) <> max(thread)
  )

SELECT r.run_id, r.app, r.version, r.machine, r.started_at
FROM runs AS r
JOIN traced AS t USING (run_id)
GROUP BY ALL
ORDER BY bool_or(t.counts_visits) DESC, r.started_at DESC NULLS LAST, r.run_id
LIMIT 500;
