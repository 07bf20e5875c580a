-- Is a slower version slower because it executes more, or because each instruction takes longer?
--
-- Factors against the run before: that of cycles is the product of the other two.
WITH
  -- both counts of a run, over all its processes and regions
  counts AS (
    SELECT
      run_id,
      max(value) FILTER (event = 'cycles') AS cycles,
      max(value) FILTER (event = 'instructions') AS instructions
    FROM counter_summary
    GROUP BY run_id
  ),

  -- each run next to the one before of the same configuration
  steps AS (
    SELECT
      app, version, started_at,
      cycles / lag(cycles) OVER earlier AS cycles_factor,
      instructions / lag(instructions) OVER earlier AS instructions_factor
    FROM counts
    JOIN run_configurations USING (run_id)
    WHERE cycles > 0 AND instructions > 0
    WINDOW earlier AS (PARTITION BY app, configuration ORDER BY started_at, run_id)
  )
SELECT
  app, version,
  round(cycles_factor, 3) AS cycles,
  round(instructions_factor, 3) AS instructions,
  round(cycles_factor / instructions_factor, 3) AS cycles_per_instruction
FROM steps
WHERE cycles_factor IS NOT NULL
ORDER BY abs(ln(cycles_factor)) DESC
LIMIT 10;
