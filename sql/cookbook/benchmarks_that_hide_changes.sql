-- Which benchmarks are too noisy to show that they got 5 % slower?
--
-- A lasting change of visible_percent would be found in four of five such histories. Those with
-- much more need longer runs, more repetitions or a quieter machine, or guard nothing.
SELECT
  app, substr(metric, 8) AS benchmark, points AS runs, state,
  round(100 * smallest_visible, 1) AS visible_percent
FROM series_states
WHERE starts_with(metric, 'metric:') AND coalesce(smallest_visible > 0.05, true)
ORDER BY smallest_visible DESC NULLS FIRST, app, benchmark;
