-- Memory of the devices and the host of one run over its time: of each the largest value of each of
-- 500 equal stretches of time in which it changes.
WITH
  point AS (
    SELECT device, 'in use' AS what, t, allocated_bytes AS bytes
    FROM gpu_memory
    WHERE run_id = $run_id
    UNION ALL
    SELECT device, 'reserved', t, reserved_bytes
    FROM gpu_memory
    WHERE run_id = $run_id
  ),

  spanned AS (
    SELECT *, min(t) OVER (PARTITION BY 1) AS begin, max(t) OVER (PARTITION BY 1) - min(t) OVER (PARTITION BY 1) AS span
    FROM point
    WHERE bytes IS NOT NULL
  )

SELECT device || ', ' || what AS memory, max(t) / 1e9 AS seconds, max(bytes) AS bytes
FROM spanned
GROUP BY device, what, CAST(500.0 * (t - begin) / nullif(span, 0) AS INTEGER)
QUALIFY max(max(bytes)) OVER (PARTITION BY device, what) > 0
ORDER BY memory, seconds;
