-- Which functions became slower from one version to another, beyond noise?
--
-- Put your own versions into the two lists. Where a version was run only once, its noise is taken
-- from the history of the program; low and high bound the ratio.
SELECT
  fields_after['ranks'] AS ranks, metric[9:] AS function,
  round(before, 3) AS seconds_before,
  round(after, 3) AS seconds_after,
  round(ratio, 3) AS ratio, round(low, 3) AS low, round(high, 3) AS high, noise
FROM
  comparison(
    (SELECT list(run_id) FROM runs WHERE app = 'stencil' AND version = '1.22'),
    (SELECT list(run_id) FROM runs WHERE app = 'stencil' AND version = '1.23'),
    metrics := ['seconds:*']
  )
WHERE verdict = 'worse'
ORDER BY seconds_after - seconds_before DESC;
