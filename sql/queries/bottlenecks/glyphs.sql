-- Metrics for star glyphs: one row a run, process, region or sample ($by), with its class, the
-- means of its metrics, weighted by cycles, and their long names. Only of the metric set that most
-- samples have, as others do not compare; of more than $most glyphs, $most spread evenly.
WITH
  tall AS (
    SELECT
      run_id,
      CASE WHEN $by <> 'run' AND $by <> 'region' THEN rank END AS rank,
      CASE WHEN $by <> 'run' AND $by <> 'region' THEN thread END AS thread,
      CASE WHEN $by IN ('region', 'sample') THEN region END AS region,
      CASE WHEN $by = 'sample' THEN sample END AS sample,
      metric_set, metric, value, coalesce(cycles, 1) AS weight
    FROM pmu_standardised
    WHERE _is_of(run_id, CAST($runs AS VARCHAR[]))
  ),

  means AS (
    SELECT
      run_id, rank, thread, region, sample, metric_set, metric,
      sum(value * weight) / nullif(sum(weight), 0) AS value
    FROM tall
    WHERE metric_set IS NOT NULL AND isfinite(value)
    GROUP BY ALL
  ),

  layout AS (
    SELECT metric_set, metric, min(position) AS position
    FROM _set_definitions
    WHERE metric IS NOT NULL
    GROUP BY metric_set, metric
  ),

  -- metrics that no sample has are no rays
  rays AS (
    SELECT metric_set, metric, position
    FROM layout
    WHERE metric_set = (
      SELECT metric_set FROM means GROUP BY metric_set ORDER BY count(*) DESC, metric_set LIMIT 1
    ) AND (metric_set, metric) IN (SELECT (metric_set, metric) FROM means)
  ),

  places AS (
    SELECT DISTINCT run_id, rank, thread, region, sample
    FROM means
    WHERE metric_set IN (SELECT metric_set FROM rays)
  ),

  numbered AS (
    SELECT
      p.*,
      row_number() OVER (
        ORDER BY r.started_at, p.run_id, p.rank, p.thread, p.region, p.sample
      ) AS glyph,
      count(*) OVER (PARTITION BY 1) AS places
    FROM places AS p
    JOIN runs AS r ON p.run_id = r.run_id
  ),

  chosen AS (
    SELECT *
    FROM numbered
    WHERE glyph * $most // places > (glyph - 1) * $most // places
  ),

  stars AS (
    SELECT
      c.glyph, any_value(c) AS place, any_value(r.metric_set) AS metric_set,
      list(r.metric ORDER BY r.position) AS metrics,
      list(coalesce(n.name, r.metric) ORDER BY r.position) AS names,
      list(m.value ORDER BY r.position) AS "values"
    FROM chosen AS c
    CROSS JOIN rays AS r
    LEFT JOIN metric_titles AS n ON r.metric = n.metric
    LEFT JOIN means AS m
      ON m.run_id = c.run_id AND m.rank IS NOT DISTINCT FROM c.rank
      AND m.thread IS NOT DISTINCT FROM c.thread AND m.region IS NOT DISTINCT FROM c.region
      AND m.sample IS NOT DISTINCT FROM c.sample AND m.metric_set = r.metric_set
      AND m.metric = r.metric
    GROUP BY c.glyph
  ),

  judged AS (
    SELECT run_id, rank, thread, region, NULL AS sample, class, all_samples AS samples
    FROM bottleneck_verdicts
    WHERE place = CASE $by WHEN 'rank' THEN 'thread' ELSE $by END
      AND _is_of(run_id, CAST($runs AS VARCHAR[]))
    UNION ALL
    SELECT run_id, rank, thread, region, sample, class, 1
    FROM bottlenecks
    WHERE $by = 'sample' AND _is_of(run_id, CAST($runs AS VARCHAR[]))
  )

SELECT
  t.glyph, t.place.run_id AS run_id, r.app, r.version, t.place.rank AS rank,
  t.place.thread AS thread, t.place.region AS region, t.place.sample AS sample,
  arg_max(j.class, (j.samples, j.class)) AS class,
  CAST(sum(j.samples) AS BIGINT) AS samples,
  any_value(t.place.places) AS places, t.metric_set, t.metrics, t.names, t."values"
FROM stars AS t
JOIN runs AS r ON t.place.run_id = r.run_id
LEFT JOIN judged AS j
  ON t.place.run_id = j.run_id AND t.place.rank IS NOT DISTINCT FROM j.rank
  AND t.place.thread IS NOT DISTINCT FROM j.thread
  AND t.place.region IS NOT DISTINCT FROM j.region
  AND t.place.sample IS NOT DISTINCT FROM j.sample
GROUP BY ALL
ORDER BY t.glyph;
