-- Did the new compiler make the program faster or slower?
--
-- Put in your own program and tag. Only versions before 1.23 are compared, where the program
-- itself changed: otherwise the compiler is blamed for that.
SELECT
  metric, verdict, runs_before, runs_after,
  round(before, 3) AS before, round(after, 3) AS after,
  round(ratio, 3) AS ratio, round(low, 3) AS low, round(high, 3) AS high
FROM
  comparison(
    (
      SELECT list(run_id)
      FROM runs
      WHERE app = 'stencil' AND tags['compiler'] = 'gcc-13.2' AND started_at < '2026-11-02'
    ),
    (
      SELECT list(run_id)
      FROM runs
      WHERE app = 'stencil' AND tags['compiler'] = 'gcc-13.3' AND started_at < '2026-11-02'
    ),
    metrics := ['wall_seconds', 'seconds:*', 'per_cycle:instructions']
  )
ORDER BY metric <> 'wall_seconds', abs(ln(ratio)) DESC;
