-- How near the kernels of runs are to the peaks of their GPU, those with the most time first; what
-- limits most of their launches, and the rules of Nsight Compute that estimate the most speedup.
WITH
  limits AS (
    SELECT
      run_id, kernel, mode(code) FILTER (place = 1) AS limited_by,
      mode(code) FILTER (place = 2) AS second
    FROM kernel_limits
    WHERE _is_of(run_id, CAST($runs AS VARCHAR[]))
    GROUP BY run_id, kernel
  ),

  advised AS (
    SELECT
      run_id, region AS kernel, split_part(event, ',', 1) AS rule, avg(value) / 100 AS speedup
    FROM pmu_samples
    WHERE _is_of(run_id, CAST($runs AS VARCHAR[])) AND event LIKE '%, estimated speedup (global)'
    GROUP BY run_id, region, event
    HAVING speedup >= 0.1
  ),

  rules AS (
    SELECT
      run_id, kernel,
      list_transform(
        list_reverse_sort(list({'speedup': speedup, 'rule': rule}))[:3],
        lambda one: format('{} {:.3g} %', one.rule, 100 * one.speedup)
      ) AS rules
    FROM advised
    GROUP BY run_id, kernel
  )

SELECT
  s.* RENAME (memory AS memory_share, compute AS compute_share), l.limited_by, l.second, r.rules
FROM speed_of_light AS s
LEFT JOIN limits AS l ON s.run_id = l.run_id AND s.kernel = l.kernel
LEFT JOIN rules AS r ON s.run_id = r.run_id AND s.kernel = r.kernel
WHERE _is_of(s.run_id, CAST($runs AS VARCHAR[]))
ORDER BY s.run_id, s.seconds DESC NULLS LAST, s.kernel;
