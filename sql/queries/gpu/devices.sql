-- What the devices of a run did, and what limits them, the least busy first.
SELECT
  a.*, coalesce(a.busy_seconds / nullif(a.window_seconds, 0), 0) AS busy_share, v.args,
  {'code': v.code, 'args': v.args} AS verdict, v.second, v.is_tied, v.flags
FROM gpu_activity AS a
JOIN gpu_verdicts AS v ON a.run_id = v.run_id AND a.device = v.device
WHERE a.run_id = $run_id
ORDER BY busy_share, a.device;
