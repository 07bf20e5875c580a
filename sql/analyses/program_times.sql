-- key: set_id BIGINT
-- scope: set_id
-- needs: scaling_sets
-- reads: scaling_series, scaling_sets, fn_timings, runs
-- requires: settings, scaling_points, program_models
--
-- The measured time of the program of a set of runs at each parallelism.

-- inputs
FROM _set_inputs((SELECT list(scope) FROM _scope));

-- rows
WITH
  whole AS (
    SELECT function FROM function_classes WHERE kind = 'total'
  ),

  of_threads AS (
    SELECT
      run_id, parallelism, repetition, rank, thread,
      sum(seconds) FILTER (seconds >= 0 AND isfinite(seconds)) AS own,
      max(inclusive_seconds) FILTER (isfinite(inclusive_seconds)) AS outermost
    FROM fn_timings
    WHERE kind IS DISTINCT FROM 'total' AND function NOT IN (FROM whole)
    GROUP BY ALL
  ),

  of_ranks AS (
    SELECT run_id, parallelism, repetition, rank, sum(seconds) FILTER (valid) AS seconds
    FROM _rank_parts
    WHERE tool_kind IS DISTINCT FROM 'total' AND function NOT IN (FROM whole)
    GROUP BY ALL
  ),

  slowest AS (
    SELECT run_id, parallelism, repetition, max(seconds) AS seconds, count(*) AS ranks
    FROM of_ranks
    GROUP BY ALL
  ),

  measurements AS (
    SELECT
      run_id, parallelism, repetition, max(own) AS own, max(outermost) AS outermost,
      count(*) OVER (PARTITION BY run_id) AS of_run
    FROM of_threads
    GROUP BY run_id, parallelism, repetition
  ),

  -- what each measurement has, the best first
  sources AS (
    SELECT
      u.set_id, u.app, u.version, u.machine, coalesce(m.parallelism, u.parallelism) AS parallelism,
      unnest([
        {'place': 1, 'seconds': CASE WHEN m.of_run = 1 THEN r.wall_seconds END},
        -- less than the own times together is not the time of the outermost function
        {'place': 2, 'seconds': CASE WHEN m.outermost >= 0.99 * m.own THEN m.outermost END},
        -- one rank of several need not be the slowest
        {
          'place': 3,
          'seconds':
            CASE
              WHEN w.ranks > 1 OR r.ranks = 1 OR coalesce(m.parallelism, u.parallelism) = 1
                THEN w.seconds
            END
        }
      ]) AS source
    FROM measurements AS m
    JOIN runs AS r ON m.run_id = r.run_id
    JOIN scaling_runs AS u ON m.run_id = u.run_id
    JOIN scaling_sets AS s ON u.set_id = s.set_id
    LEFT JOIN slowest AS w
      ON m.run_id = w.run_id AND m.parallelism IS NOT DISTINCT FROM w.parallelism
      AND m.repetition IS NOT DISTINCT FROM w.repetition
    WHERE NOT s.crossed OR u.problem_size = s.problem_size
  ),

  -- sums of functions, and times of whole runs, also of those that have no profile
  points AS (
    SELECT
      set_id, app, version, machine, kind = 'total' AS is_whole, noise,
      unnest(x) AS parallelism, unnest(y) AS seconds
    FROM scaling_series
  ),

  summed AS (
    SELECT
      set_id, app, version, machine, CAST(parallelism AS BIGINT) AS parallelism,
      CASE WHEN is_whole THEN 1 ELSE 4 END AS place,
      CASE WHEN is_whole THEN max(seconds) ELSE sum(seconds) END AS seconds,
      CASE WHEN is_whole THEN max(noise) ELSE 0 END AS scatter
    FROM points
    GROUP BY set_id, app, version, machine, parallelism, is_whole
  ),

  candidates AS (
    SELECT
      set_id, app, version, machine, parallelism, source['place'] AS place,
      median(source['seconds']) AS seconds,
      coalesce(
        _noise_of_median(stddev_samp(source['seconds']) / avg(source['seconds']), count(*)), 0
      ) AS scatter
    FROM sources
    WHERE source['seconds'] > 0 AND isfinite(source['seconds'])
    GROUP BY set_id, app, version, machine, parallelism, source['place']
    UNION ALL
    SELECT set_id, app, version, machine, parallelism, place, seconds, scatter
    FROM summed
  ),

  known AS (
    SELECT
      set_id, app, version, machine, parallelism, place,
      avg(seconds) AS seconds, max(scatter) AS scatter,
      count(*) OVER (PARTITION BY set_id, place) AS counts,
      max(parallelism) OVER (PARTITION BY set_id, place) AS last
    FROM candidates
    GROUP BY set_id, app, version, machine, parallelism, place
  )

-- one basis for all counts: that which reaches farthest, is known at most of them and is the best
SELECT
  set_id, app, version, machine, parallelism,
  CASE place
    WHEN 3 THEN 'slowest rank'
    WHEN 4 THEN 'sum of rank means'
    ELSE 'wall time'
  END AS basis,
  seconds, scatter
FROM known
QUALIFY place = arg_min(place, (-last, -counts, place)) OVER (PARTITION BY set_id);
