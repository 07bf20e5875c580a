-- The critical path of one run: its time by type of task and cause, the $most types first.
WITH
  parts AS (
    SELECT
      coalesce(name, '(unknown)') AS what, cause, parts, CAST(ns AS DOUBLE) / 1e9 AS seconds,
      percent, sum(ns) OVER (PARTITION BY name) AS of_type
    FROM critical_path_shares
    WHERE run_id = $run_id
  )

SELECT what, cause, parts, seconds, percent
FROM parts
QUALIFY dense_rank() OVER (ORDER BY of_type DESC, what) <= $most
ORDER BY of_type DESC, what, seconds DESC;
