-- Segments of one run with what they could reach and which bound is the tightest; of more than
-- $most, $most spread evenly.
WITH
  numbered AS (
    SELECT
      thread, segment, predicted, low, high, width_bound, critical_path_bound, unit_bound,
      serialising_bound, measured,
      least(width_bound, critical_path_bound, unit_bound) AS least_bound,
      row_number() OVER (ORDER BY thread, segment) AS n,
      count(*) OVER (PARTITION BY 1) AS segments
    FROM throughput_predictions
    WHERE run_id = $run_id AND predicted IS NOT NULL AND measured IS NOT NULL
  )

SELECT
  * EXCLUDE (n, least_bound),
  CASE
    -- drains come on top of the others, and are longer
    WHEN 2 * serialising_bound <= least_bound THEN 'serialising instructions'
    WHEN least_bound = critical_path_bound THEN 'critical path'
    WHEN least_bound = unit_bound THEN 'functional units'
    WHEN least_bound = width_bound THEN 'front end'
    ELSE 'unknown'
  END AS tightest
FROM numbered
WHERE n * $most // greatest(segments, $most) > (n - 1) * $most // greatest(segments, $most)
ORDER BY thread, segment;
