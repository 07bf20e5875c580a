-- requires: scaling_points
--
-- Sets of runs that are modelled together, and what is known of the problem they solved.

CREATE OR REPLACE VIEW scaling_sets AS
WITH
  sizes AS (
    SELECT DISTINCT
      r.app, r.version, r.machine, coalesce(t.parallelism, r.parallelism) AS parallelism,
      r.problem_size
    FROM (
      SELECT DISTINCT run_id, parallelism
      FROM fn_timings
      WHERE seconds IS NOT NULL
    ) AS t
    JOIN scaling_runs AS r USING (run_id)
    WHERE coalesce(t.parallelism, r.parallelism) IS NOT NULL
  ),

  counted AS (
    SELECT
      *,
      count(*) OVER (PARTITION BY app, version, machine, parallelism) AS here,
      count(*) OVER (PARTITION BY app, version, machine, problem_size) AS reach
    FROM sizes
  ),

  summed AS (
    SELECT
      app, version, machine,
      count(DISTINCT parallelism) AS counts,
      min(parallelism) AS smallest,
      max(parallelism) AS largest,
      count(DISTINCT problem_size) AS problem_sizes,
      max(here) > 1 AS crossed,
      arg_max(problem_size, (reach, problem_size)) AS widest,
      regr_slope(ln(problem_size), ln(parallelism)) FILTER (problem_size > 0) AS growth
    FROM counted
    GROUP BY app, version, machine
  ),

  cores AS (
    SELECT
      app, version, machine,
      CASE WHEN count(parallelism) > 0 THEN median(cores / parallelism) ELSE 1 END AS cores_each
    FROM scaling_runs
    GROUP BY ALL
  ),

  tagged AS (
    SELECT
      s.app, s.version, s.machine, s.parallelism, s.problem_size, tag.key AS tag, tag.value AS told,
      avg(wall_seconds) AS seconds
    FROM scaling_runs AS s
    JOIN (
      SELECT run_id, wall_seconds, unnest(map_entries(tags)) AS tag
      FROM runs
      WHERE wall_seconds > 0
    ) AS r USING (run_id)
    GROUP BY ALL
  ),

  -- Tags by which runs taken as repetitions differ, with other times. A value found at one count
  -- only may be a measurement.
  mixed AS (
    SELECT
      app, version, machine,
      printf(
        'perhaps several problems: runs at one count differ in %s, and up to %.1f-fold in time',
        array_to_string(list_sort(list(DISTINCT tag)), ', '), max(ratio)
      ) AS flag
    FROM (
      SELECT
        *,
        count(*) OVER (PARTITION BY app, version, machine, problem_size, tag, told) AS counts,
        max(seconds) OVER point / min(seconds) OVER point AS ratio
      FROM tagged
      WINDOW point AS (PARTITION BY app, version, machine, parallelism, problem_size, tag)
    )
    WHERE counts > 1 AND ratio > 1.25
    GROUP BY ALL
  )

SELECT
  s.app, s.version, s.machine,
  CASE WHEN problem_sizes > 1 AND NOT crossed AND growth > 0 THEN 'weak' ELSE 'strong' END
    AS scaling,
  problem_sizes = 0 AS assumed,
  crossed,
  CASE WHEN crossed OR problem_sizes = 1 THEN widest END AS problem_size,
  problem_sizes, counts, smallest, largest, growth,
  c.cores_each,
  list_filter(
    [
      CASE
        WHEN problem_sizes = 0
          THEN 'scaling assumed strong: the problem sizes of the runs are not known'
      END,
      CASE
        WHEN problem_sizes > 1 AND NOT crossed AND growth > 0 AND abs(growth - 1) > 0.25
          THEN printf(
            'weak scaling in part: the problem grows with the parallelism to the power %.2f', growth
          )
        WHEN problem_sizes > 1 AND NOT crossed AND NOT coalesce(growth > 0, false)
          THEN 'problem sizes differ, but do not grow with the parallelism'
      END,
      x.flag
    ],
    lambda flag: flag IS NOT NULL
  ) AS flags
FROM summed AS s
JOIN cores AS c
  ON s.app IS NOT DISTINCT FROM c.app AND s.version IS NOT DISTINCT FROM c.version
  AND s.machine IS NOT DISTINCT FROM c.machine
LEFT JOIN mixed AS x
  ON s.app IS NOT DISTINCT FROM x.app AND s.version IS NOT DISTINCT FROM x.version
  AND s.machine IS NOT DISTINCT FROM x.machine;

COMMENT ON VIEW scaling_sets IS 'One row is one set of runs that are modelled together: those of the same application, version and machine.';
COMMENT ON COLUMN scaling_sets.app IS 'Application.';
COMMENT ON COLUMN scaling_sets.version IS 'Version.';
COMMENT ON COLUMN scaling_sets.machine IS 'Machine.';
COMMENT ON COLUMN scaling_sets.scaling IS 'strong: the work of the whole problem is fixed; weak: the problem grows with the parallelism, so the work of each process is fixed. strong where the sizes are unknown.';
COMMENT ON COLUMN scaling_sets.assumed IS 'Whether scaling is the default, because no run states its problem size.';
COMMENT ON COLUMN scaling_sets.crossed IS 'Whether several problem sizes were run at the same parallelism, so that both parameters can be modelled.';
COMMENT ON COLUMN scaling_sets.problem_size IS 'The set''s own problem size: the only one, or of several the one run at most counts (the largest of these); NULL where it is unknown or grows with the parallelism.';
COMMENT ON COLUMN scaling_sets.problem_sizes IS 'Different problem sizes.';
COMMENT ON COLUMN scaling_sets.counts IS 'Different counts (parallelism).';
COMMENT ON COLUMN scaling_sets.smallest IS 'Smallest parallelism measured.';
COMMENT ON COLUMN scaling_sets.largest IS 'Largest parallelism measured.';
COMMENT ON COLUMN scaling_sets.growth IS 'Exponent with which the problem size grows with the parallelism; 1 is weak scaling proper.';
COMMENT ON COLUMN scaling_sets.cores_each IS 'Cores for each unit of parallelism (threads of a rank); NULL where that is nodes whose cores are unknown.';
COMMENT ON COLUMN scaling_sets.flags IS 'What was assumed, and what speaks against one problem: tags by which runs at one count differ, if their times do by more than a quarter.';

-- The series that is modelled: a function's times at the set's own problem size, with what is wrong
-- with it.
CREATE OR REPLACE VIEW scaling_series AS
WITH
  series AS (
    SELECT
      p.app, p.version, p.machine, p.function, any_value(p.kind) AS kind,
      coalesce(
        list_sort(
          list({'x': CAST(p.parallelism AS DOUBLE), 'y': p.seconds}) FILTER (p.seconds > 0)
        ),
        []
      ) AS points,
      median(p.scatter) FILTER (p.repetitions > 1) AS scatter,
      CAST(max(p.repetitions) AS INTEGER) AS repetitions,
      count(*) AS measured,
      max(p.parallelism) AS last,
      max(p.parallelism) FILTER (p.seconds > 0 OR p.seconds IS NULL) AS last_above_zero,
      bool_or(p.seconds = 0 OR p.seconds IS NULL) AS has_zero,
      bool_or(p.dropped) AS has_negative,
      bool_or(p.repetitions > 1 AND p.slowest >= 10 * p.fastest AND p.slowest > 0) AS differs,
      any_value(s.counts) AS counts
    FROM scaling_points AS p
    JOIN scaling_sets AS s
      ON p.app IS NOT DISTINCT FROM s.app AND p.version IS NOT DISTINCT FROM s.version
      AND p.machine IS NOT DISTINCT FROM s.machine
    WHERE NOT s.crossed OR p.problem_size = s.problem_size
    GROUP BY p.app, p.version, p.machine, p.function
  ),

  -- Of runs without a profile, of which only the wall time is known, functions know nothing.
  bounded AS (
    SELECT *, max(last) OVER (PARTITION BY app, version, machine, kind = 'total') AS largest
    FROM series
  )

SELECT
  app, version, machine, function, kind,
  list_transform(points, lambda point: point['x']) AS x,
  list_transform(points, lambda point: point['y']) AS y,
  coalesce(scatter, 0) AS noise,
  repetitions,
  last_above_zero IS NOT DISTINCT FROM largest AS seen_last,
  kind <> 'total' OR bool_and(kind = 'total') OVER (PARTITION BY app, version, machine)
    AS in_program,
  list_filter(
    [
      CASE
        WHEN last < largest
          THEN printf('no model: not seen at the largest counts, last at %d of %d', last, largest)
        WHEN last_above_zero IS NULL THEN 'no model: 0 s at all counts'
        WHEN last_above_zero < largest
          THEN printf(
            'no model: 0 s at the largest counts, last above zero at %d of %d',
            last_above_zero, largest
          )
      END,
      CASE WHEN has_zero THEN 'zero times dropped' END,
      CASE WHEN has_negative THEN 'negative times dropped' END,
      CASE
        WHEN measured < counts
          THEN printf('missing counts: measured at %d of %d', measured, counts)
      END,
      CASE
        WHEN scatter > 0.2 THEN printf('noise: repetitions scatter by %.0f %%', 100 * scatter)
      END,
      CASE WHEN differs THEN 'repetitions differ tenfold' END
    ],
    lambda flag: flag IS NOT NULL
  ) AS flags
FROM bounded;

COMMENT ON VIEW scaling_series IS 'One row is the series of one function of a set of runs, at the set''s own problem size.';
COMMENT ON COLUMN scaling_series.app IS 'Application.';
COMMENT ON COLUMN scaling_series.version IS 'Version.';
COMMENT ON COLUMN scaling_series.machine IS 'Machine.';
COMMENT ON COLUMN scaling_series.function IS 'Function.';
COMMENT ON COLUMN scaling_series.kind IS 'Kind, as in scaling_points.';
COMMENT ON COLUMN scaling_series.x IS 'Parallelism of the points with a time above zero, ascending.';
COMMENT ON COLUMN scaling_series.y IS 'Their times, s.';
COMMENT ON COLUMN scaling_series.noise IS 'Scatter of the repetitions: median over the counts of standard deviation over mean; 0 where there is only one.';
COMMENT ON COLUMN scaling_series.repetitions IS 'Most repetitions at a count.';
COMMENT ON COLUMN scaling_series.seen_last IS 'Whether it took time at the largest count at which functions (or whole runs, for those of kind total) were measured. If not it may have stopped being called, so nothing is predicted of it.';
COMMENT ON COLUMN scaling_series.in_program IS 'Whether its time is a part of the program''s: whole-run rows (kind total) are only where nothing else was measured.';
COMMENT ON COLUMN scaling_series.flags IS 'What is amiss with the measurements.';
