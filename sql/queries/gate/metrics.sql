-- Candidate against baseline: which metrics are worse than a limit for certain, the worst first.
-- $limit may be NULL: then it is that of change_thresholds for the metric, else $default_limit.
-- $metrics are compared, together as in compare, and of them those that match $shown are judged.
-- $better (lower or higher) is the direction of metrics that have none; with $undirected metrics
-- without a direction are there too.
WITH
  compared AS (
    SELECT
      * EXCLUDE (verdict, smallest_change) REPLACE (coalesce(better, CAST($better AS VARCHAR)) AS better),
      coalesce(
        CAST($limit AS DOUBLE), nullif(smallest_change, 0), CAST($default_limit AS DOUBLE)
      ) AS allowed,
      greatest(share_before, share_after) AS share
    FROM comparison(
      from_json($before, '["VARCHAR"]'), from_json($after, '["VARCHAR"]'),
      level := $level, metrics := from_json($metrics, '["VARCHAR"]')
    )
    WHERE ratio IS NOT NULL
      AND len(list_filter(from_json($shown, '["VARCHAR"]'), lambda pattern: metric GLOB pattern)) > 0
      AND (better IS NOT NULL OR $better IS NOT NULL OR $undirected)
  ),

  -- The ratio by which it got worse, and its interval.
  losses AS (
    SELECT
      *,
      CASE WHEN better = 'higher' THEN 1 - ratio ELSE ratio - 1 END AS loss,
      CASE WHEN better = 'higher' THEN 1 - high ELSE low - 1 END AS loss_low,
      CASE WHEN better = 'higher' THEN 1 - low ELSE high - 1 END AS loss_high
    FROM compared
  )

SELECT
  fields_after AS fields, metric, unit,
  CASE
    WHEN p_value IS NULL THEN 'unknown'
    WHEN loss_low > allowed THEN 'worse'
    WHEN loss_high <= allowed THEN 'fine'
    ELSE 'uncertain'
  END AS verdict,
  -- Functions that hardly take time do not fail the gate, nor metrics without a better direction.
  better IS NOT NULL AND coalesce(share >= 0.01, true) AS decides,
  "before" AS baseline, "after" AS candidate, ratio, low, high, p_value, allowed AS "limit",
  runs_before AS runs_baseline, runs_after AS runs_candidate,
  noise, better, share
FROM losses
ORDER BY
  NOT decides, list_position(['worse', 'uncertain', 'unknown', 'fine'], verdict),
  metric NOT IN ('wall_seconds', 'functions:seconds', 'functions:cost'), loss DESC, metric,
  CAST(fields AS VARCHAR);
