-- Which hardware events were asked for but could not be counted?
--
-- Virtual machines often hide the counters of the processor; too many events at once do it, too.
SELECT
  machine, event,
  count(*) AS runs,
  string_agg(DISTINCT app, ', ' ORDER BY app) AS apps
FROM counter_summary
JOIN runs USING (run_id)
WHERE not_counted = samples
GROUP BY machine, event
ORDER BY machine, event;
