-- Which functions gain least from more processes?
--
-- Measured at the smallest and the largest count of each set of runs. At 100 % efficiency twice
-- the processes take half the time; a speedup below 1 means that more processes make it slower.
WITH
  -- each function at both ends of its set of runs; strong scaling only, where the work is fixed
  ends AS (
    SELECT
      p.app, p.version, p.function, s.smallest, s.largest,
      max(p.seconds) FILTER (p.parallelism = s.smallest) AS seconds_smallest,
      max(p.seconds) FILTER (p.parallelism = s.largest) AS seconds_largest
    FROM scaling_points AS p
    JOIN scaling_sets AS s
      ON p.set_id = s.set_id AND p.problem_size IS NOT DISTINCT FROM s.problem_size
    WHERE s.scaling = 'strong' AND s.counts > 1
    GROUP BY p.set_id, p.app, p.version, p.function, s.smallest, s.largest
  ),

  speedups AS (
    SELECT *, seconds_smallest / seconds_largest AS speedup
    FROM ends
    WHERE seconds_smallest > 0 AND seconds_largest > 0
  )
SELECT
  app, version, function, largest AS processes,
  round(seconds_largest, 3) AS seconds,
  round(speedup, 3) AS speedup,
  round(100 * speedup * smallest / largest, 1) AS efficiency_percent
FROM speedups
ORDER BY efficiency_percent, app, version, function;
