-- Which function will take most of the time on 64 processes?
--
-- Predictions of the scaling models with their 90 % intervals. Flags say how far they extrapolate.
SELECT
  app, version, function,
  round(predicted, 3) AS seconds, round(low, 3) AS low, round(high, 3) AS high,
  round(100 * share, 1) AS percent,
  array_to_string(flag_sentences(flags), '; ') AS flags
FROM scaling_predict(64)
WHERE predicted IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY app, version, machine ORDER BY predicted DESC) <= 3
ORDER BY app, version, predicted DESC;
