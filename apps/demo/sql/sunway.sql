-- Which bottleneck did each version have, and what did curing it bring?
SELECT
  app, version, class, round(seconds, 1) AS seconds,
  round(gain_since_first_percent) AS percent_since_first
FROM tuning_history
ORDER BY app, step
