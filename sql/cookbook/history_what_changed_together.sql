-- When did the wall time of a program change for good, and what changed in the same version?
--
-- Metrics of the other kinds of trace that changed at the same run may be the cause, or an effect
-- of it.
SELECT
  w.app, w.version, w.previous_version,
  round(100 * w.change, 1) AS wall_time_percent,
  m.metric,
  m.before, m.after, m.unit,
  round(100 * m.change, 1) AS metric_percent
FROM change_points AS w
JOIN change_points AS m ON w.app = m.app AND w.run_id = m.run_id AND w.fields = m.fields
WHERE w.metric = 'wall_seconds' AND m.metric <> 'wall_seconds'
ORDER BY w.started_at, abs(m.change) DESC, m.metric;
