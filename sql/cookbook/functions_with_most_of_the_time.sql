-- Which few functions take 90 % of the time of each program?
--
-- Own times of the latest run of each program, without the functions that are called.
WITH
  -- the latest run of each program that has function times
  latest AS (
    SELECT run_id, app
    FROM runs
    WHERE run_id IN (SELECT run_id FROM function_shares)
    QUALIFY row_number() OVER (PARTITION BY app ORDER BY started_at DESC, run_id DESC) = 1
  ),

  -- the share of a function and of all that take longer
  running AS (
    SELECT
      app, run_id, function, seconds, share,
      sum(share) OVER (
        PARTITION BY run_id ORDER BY share DESC, function ROWS UNBOUNDED PRECEDING
      ) AS share_so_far
    FROM latest
    JOIN function_shares USING (run_id)
  )
SELECT
  app, run_id, function,
  round(seconds, 3) AS seconds,
  round(100 * share, 1) AS percent,
  round(100 * share_so_far, 1) AS percent_so_far
FROM running
WHERE share_so_far - share < 0.9
ORDER BY app, share DESC;
