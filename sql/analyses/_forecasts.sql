-- key: set_id BIGINT
-- scope: set_id
-- needs: scaling_sets
-- reads: program_times, scaling_series, scaling_sets, runs
-- requires: settings, program_models
-- functions: scaling
--
-- What programs and their functions are predicted to take, at the counts that questions are about.

-- inputs
FROM _set_inputs((SELECT list(scope) FROM _scope));

-- rows
WITH
  -- Two counts an octave from the smallest to 64 times the largest; what is up to the largest is not
  -- asked of functions.
  asked AS (
    SELECT
      s.set_id, coalesce(s.capacity, 0) AS capacity,
      list_sort(list_distinct(list_filter(
        t.measured || _count_grid(s.smallest, s.largest)
          || list_transform([2, 4, 8], lambda times: times * CAST(s.largest AS BIGINT)),
        lambda count: count >= least(s.smallest, list_min(t.measured))
      ))) AS every,
      list_filter(every, lambda count: count >= s.largest) AS beyond
    FROM scaling_sets AS s
    JOIN (
      SELECT set_id, list(parallelism) AS measured FROM program_times GROUP BY set_id
    ) AS t ON s.set_id = t.set_id
    -- of fewer there is no model
    WHERE greatest(s.counts, len(t.measured)) >= 3
  ),

  series AS (
    SELECT set_id, NULL AS function, kind, x, y, noise FROM _program_series
    UNION ALL
    SELECT
      set_id, function, kind, CASE WHEN seen_last THEN x ELSE [] END,
      CASE WHEN seen_last THEN y ELSE [] END, noise
    FROM scaling_series
  )

SELECT
  s.set_id, s.function,
  if(s.function IS NULL, a.every, a.beyond) AS counts,
  scaling_forecast(s.kind, s.x, s.y, s.noise, counts, a.capacity) AS forecast
FROM series AS s
JOIN asked AS a ON s.set_id = a.set_id;
