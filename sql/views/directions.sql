-- Directions: which values of a metric are better; and which are counted.

-- A time, an energy, or what one thing costs of either or of memory is better lower; things per time
-- are better higher. So a metric and its reciprocal never go two ways.
CREATE OR REPLACE MACRO _better_of_unit(of_unit) AS CASE
  WHEN regexp_full_match(
    lower(of_unit),
    '([num\xB5\x{03BC}]?s|[mun]?secs?|(milli|micro|nano)?seconds?|minutes?|[mu]?j|joules?)(/.*)?'
      || '|(bytes|b|allocs|allocations)/op'
  ) THEN 'lower'
  WHEN regexp_full_match(
    lower(of_unit), '.*/([num\xB5\x{03BC}]?s|[mun]?secs?|(milli|micro|nano)?seconds?|min|minutes?)'
  ) THEN 'higher'
END;

-- What the files of an application state, where all that do agree.
CREATE OR REPLACE VIEW _stated_directions AS
SELECT
  coalesce(r.app, '') AS app, 'metric:' || m.metric AS metric, any_value(m.better) AS better
FROM metrics AS m
JOIN runs AS r ON m.run_id = r.run_id
WHERE m.better IS NOT NULL
GROUP BY coalesce(r.app, ''), m.metric
HAVING count(DISTINCT m.better) = 1;

-- What change_thresholds states, else the unit, else the files of the application; NULL where none
-- does.
CREATE OR REPLACE MACRO _better(stated, of_app, of_metric, of_unit) AS coalesce(
  stated,
  CASE WHEN starts_with(of_metric, 'idle:') THEN 'lower' ELSE _better_of_unit(of_unit) END,
  CASE
    WHEN starts_with(of_metric, 'metric:')
      THEN (
        SELECT better FROM _stated_directions WHERE metric = of_metric AND app = coalesce(of_app, '')
      )
  END
);

-- Whether the values are what a benchmark counts and not what it measures: bytes and allocations of
-- an operation are the same in each run, down to the last digit.
CREATE OR REPLACE MACRO _is_counted(of_metric, of_unit) AS
  starts_with(of_metric, 'metric:')
  AND regexp_full_match(coalesce(of_unit, ''), '(B|bytes|allocs|allocations)(/op)?');
