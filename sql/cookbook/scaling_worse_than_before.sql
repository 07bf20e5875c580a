-- Which functions scale worse than in an earlier version?
--
-- The exponent is the slope of the time in logarithms: -1 is perfect strong scaling, 0 no gain.
-- Only functions whose exponents differ for certain are shown: the 90 % interval of the difference
-- is above 0.
WITH
  -- when each version was first run
  versions AS (
    SELECT app, version, machine, min(started_at) AS first_start
    FROM runs
    GROUP BY app, version, machine
  ),

  models AS (
    SELECT m.*, v.first_start
    FROM scaling_models AS m
    JOIN versions AS v
      ON m.app = v.app AND m.version = v.version AND m.machine IS NOT DISTINCT FROM v.machine
    WHERE m.exponent IS NOT NULL
  )
SELECT
  later.app, later.function,
  earlier.version AS earlier, later.version AS later,
  earlier.formula AS formula_earlier, later.formula AS formula_later,
  round(earlier.exponent, 2) AS exponent_earlier,
  round(later.exponent, 2) AS exponent_later
FROM models AS earlier
JOIN models AS later
  ON earlier.app = later.app
  AND earlier.machine IS NOT DISTINCT FROM later.machine
  AND earlier.function = later.function
  AND earlier.first_start < later.first_start
  AND later.exponent - earlier.exponent > sqrt(
    pow(later.exponent - later.exponent_low, 2) + pow(earlier.exponent_high - earlier.exponent, 2)
  )
ORDER BY later.exponent - earlier.exponent DESC;
