-- What the host did before it launched the next work of the devices of a run, the longest first.
SELECT
  device, coalesce(name, '(not recorded)') AS late, doing, sum(gaps) AS gaps,
  sum(idle_ns) / 1e9 AS idle_seconds,
  sum(idle_ns) / sum(sum(idle_ns)) OVER (PARTITION BY device) AS share
FROM gpu_late
WHERE run_id = $run_id
GROUP BY device, name, doing
ORDER BY idle_seconds DESC, device, late;
