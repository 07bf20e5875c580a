-- Times of the program of two sets of runs, $before and $after, at the counts at which both were
-- measured, and the function whose time changed most there beyond its noise: twice that of the two
-- together, and 5 %.
WITH
  points AS (
    SELECT set_id, function, noise, unnest(x) AS parallelism, unnest(y) AS seconds
    FROM scaling_series
    WHERE set_id IN ($before, $after) AND kind <> 'total'
  ),

  -- a function that one of them lacks took no time
  changes AS (
    SELECT
      parallelism, function,
      coalesce(b.seconds, 0) - coalesce(a.seconds, 0) AS more
    FROM (FROM points WHERE set_id = $before) AS a
    FULL JOIN (FROM points WHERE set_id = $after) AS b USING (parallelism, function)
    WHERE coalesce(
      abs(ln(b.seconds / a.seconds)) > greatest(0.05, 2 * sqrt(pow(a.noise, 2) + pow(b.noise, 2))),
      true
    )
  ),

  largest AS (
    SELECT parallelism, arg_max(function, abs(more)) AS function, arg_max(more, abs(more)) AS more,
      count(*) AS changed
    FROM changes
    GROUP BY parallelism
  )

SELECT
  parallelism, a.seconds AS seconds_before, b.seconds AS seconds_after,
  b.seconds / a.seconds - 1 AS change,
  coalesce(l.changed, 0) AS functions_changed, l.function, l.more AS function_more
FROM (FROM program_times WHERE set_id = $before) AS a
JOIN (FROM program_times WHERE set_id = $after) AS b USING (parallelism)
LEFT JOIN largest AS l USING (parallelism)
ORDER BY parallelism;
