-- Are the clocks of the nodes close enough to trust what happens first?
--
-- Differences below the fastest transfer cannot be told from an asymmetric network. Waits that
-- are shorter than the difference prove nothing.
SELECT
  app, run_id, node, other, transfers,
  round(other_ahead_ns / 1e6, 3) AS other_ahead_ms,
  round(fastest_ns / 1e6, 3) AS fastest_transfer_ms,
  round(recorded_ahead_ns / 1e6, 3) AS corrected_by_ms,
  abs(other_ahead_ns - coalesce(recorded_ahead_ns, 0)) <= fastest_ns AS is_within_error
FROM clock_skew
JOIN runs USING (run_id)
ORDER BY app, run_id, node, other;
