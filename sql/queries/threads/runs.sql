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
JOIN traced AS c ON r.run_id = c.run_id
JOIN _run_times AS t ON r.run_id = t.run_id
GROUP BY ALL
ORDER BY bool_or(c.counts_visits) DESC, max(t.last_at) DESC NULLS LAST, max(t.position) DESC, r.run_id;
