-- Directions: which values of a metric are better; and which are counted.

-- What change_thresholds states, else the files of the application (metrics.better, where all that
-- state it agree), else the unit; NULL where none does.
CREATE OR REPLACE MACRO _better(stated, of_app, of_metric, of_unit) AS coalesce(
  stated,
  CASE
    WHEN starts_with(of_metric, 'metric:')
      THEN (
        SELECT is_better
        FROM (
          SELECT
            'metric:' || metric AS stated_metric, coalesce(app, '') AS stated_app,
            any_value(better) AS is_better
          FROM metrics
          JOIN runs USING (run_id)
          WHERE better IS NOT NULL
          GROUP BY metric, stated_app
          HAVING count(DISTINCT better) = 1
        )
        WHERE stated_metric = of_metric AND stated_app = coalesce(of_app, '')
      )
  END,
  CASE
    WHEN starts_with(of_metric, 'idle:') THEN 'lower'
    WHEN of_unit IN (
      's', 'ms', 'us', 'ns', 'sec', 'msec', 'usec', 'nsec', 'seconds', 'J', 'mJ', 'uJ', 'Joules'
    ) THEN 'lower'
    WHEN of_unit LIKE '%/s' OR of_unit LIKE '%/sec' THEN 'higher'
  END
);

-- Whether the values are what a benchmark counts and not what it measures: bytes and allocations of
-- an operation are the same in each run, down to the last digit.
CREATE OR REPLACE MACRO _is_counted(of_metric, of_unit) AS
  starts_with(of_metric, 'metric:')
  AND regexp_full_match(coalesce(of_unit, ''), '(B|bytes|allocs|allocations)(/op)?');
