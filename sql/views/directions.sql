-- Directions: which values of a metric are better.

-- What change_thresholds states, else what the unit does; NULL where neither is known.
CREATE OR REPLACE MACRO _better(stated, metric, unit) AS coalesce(
  stated,
  CASE
    WHEN starts_with(metric, 'idle:') THEN 'lower'
    WHEN unit IN (
      's', 'ms', 'us', 'ns', 'sec', 'msec', 'usec', 'nsec', 'seconds', 'J', 'mJ', 'uJ', 'Joules'
    ) THEN 'lower'
    WHEN unit LIKE '%/s' OR unit LIKE '%/sec' THEN 'higher'
  END
);
