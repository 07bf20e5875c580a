-- How many iterations do the innermost loops run?
--
-- Loops of a single basic block: it follows itself once for each further iteration. Few iterations
-- mean that unrolling or vectorising that loop brings little.
WITH
  -- how often each block was entered from elsewhere and from itself
  entries AS (
    SELECT
      run_id, launch, kernel, dst AS bb,
      sum(count) FILTER (src <> dst) AS entered,
      sum(count) FILTER (src = dst) AS repeated
    FROM bb_transitions
    GROUP BY run_id, launch, kernel, dst
  )
SELECT
  app, version, e.kernel, e.bb, b.source_file, b.source_line, b.size AS instructions,
  e.entered,
  round(1 + e.repeated / e.entered, 1) AS iterations
FROM entries AS e
JOIN runs USING (run_id)
LEFT JOIN bb_blocks AS b
  ON e.run_id = b.run_id AND e.bb = b.bb AND e.kernel IS NOT DISTINCT FROM b.kernel
WHERE e.repeated > 0 AND e.entered > 0
ORDER BY app, started_at, e.bb;
