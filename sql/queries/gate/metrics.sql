-- Candidate against baseline: which metrics are certainly worse, and by at least a limit, the worst
-- first; a single run that is, where it may be an outlier, is to be measured again.
-- $limit may be NULL: then it is that of change_thresholds for the metric, else $default_limit.
-- $compared is the table of what was compared, of which the metrics that match $shown are judged.
-- $better (lower or higher) is the direction of metrics that have none; with $undirected metrics
-- without a direction are there too. What is acknowledged between the two sides does not decide; a
-- change that is not certain yet (provisional_changes), or in the baseline already and not
-- acknowledged, is a verdict with $provisional only. What is worse than 0 is so by more than any
-- limit. What the candidate lacks, other than functions, is missing: no verdict on it.
WITH
  sides AS (
    SELECT
      max(started_at) FILTER (is_after) AS newest,
      max(started_at) FILTER (NOT is_after) AS newest_before,
      min(started_at) FILTER (NOT is_after) AS oldest_before,
      list(DISTINCT version) FILTER (is_after) AS versions,
      list(DISTINCT version) FILTER (NOT is_after) AS versions_before
    FROM (
      SELECT *, list_contains(from_json($after, '["VARCHAR"]'), run_id) AS is_after
      FROM runs
    )
    WHERE is_after OR list_contains(from_json($before, '["VARCHAR"]'), run_id)
  ),

  acknowledged AS (
    SELECT list({'metric': a.metric, 'reason': a.reason} ORDER BY a.said_at DESC) AS every
    FROM acknowledgements AS a
    JOIN sides AS s
      ON a.app = $app AND a.reason IN ('expected', 'noise', 'fixed')
      -- what is to have it fixed is judged
      AND NOT EXISTS (
        FROM _runs_since_fix AS f
        WHERE f.app = a.app AND f.fixed_in = a.fixed_in
          AND list_contains(from_json($after, '["VARCHAR"]'), f.run_id)
      )
      AND (
        a.started_at > s.newest_before AND a.started_at <= s.newest
        OR list_contains(s.versions, a.version) AND NOT list_contains(s.versions_before, a.version)
      )
  ),

  -- the latest change of each series up to the candidate: since the baseline, or within it
  changed AS (
    SELECT
      c.fields, c.metric, c.more_runs, c.run_id,
      c.started_at <= s.newest_before AS is_within,
      c.direction = 'worse' AND (NOT is_within OR c.acknowledged IS NULL) AS is_open
    FROM _found_changes AS c
    JOIN sides AS s ON c.started_at > s.oldest_before AND c.started_at <= s.newest
    WHERE c.app = $app
    QUALIFY row_number() OVER (PARTITION BY c.fields, c.metric ORDER BY c.started_at DESC) = 1
  ),

  compared AS (
    SELECT
      * EXCLUDE (verdict, smallest_change) REPLACE (coalesce(better, CAST($better AS VARCHAR)) AS better),
      coalesce(
        CAST($limit AS DOUBLE), nullif(smallest_change, 0), CAST($default_limit AS DOUBLE)
      ) AS allowed,
      greatest(share_before, share_after) AS share,
      verdict AS in_comparison
    FROM (
      FROM query_table($compared)
      UNION ALL BY NAME
      -- a baseline that is named is no level
      SELECT CAST(NULL AS VARCHAR) AS level_until WHERE false
    )
    WHERE verdict <> 'new' AND (verdict <> 'gone' OR share_before IS NULL)
      AND _matches_any(metric, from_json($shown, '["VARCHAR"]'))
      AND (better IS NOT NULL OR $better IS NOT NULL OR $undirected)
  ),

  -- The ratio by which it got worse, and its interval.
  losses AS (
    SELECT
      *,
      CASE WHEN better = 'higher' THEN 1 - ratio ELSE ratio - 1 END AS loss,
      CASE WHEN better = 'higher' THEN 1 - high ELSE low - 1 END AS loss_low,
      CASE WHEN better = 'higher' THEN 1 - low ELSE high - 1 END AS loss_high,
      loss >= allowed AND coalesce(p_value < 1 - CAST($level AS DOUBLE), false) AS is_certain,
      -- one run may be an outlier, unless the metric hardly varies
      runs_after = 1 AND noise IN ('history', 'other side', 'usual')
        AND coalesce(high - low > 1e-4, true) AS is_single
    FROM compared
  ),

  judged AS (
    SELECT
      l.*, CASE WHEN c.is_open THEN c.more_runs END AS more_runs, CASE WHEN c.is_within THEN c.run_id END AS changed_within,
      list_filter(a.every, lambda known: _matches(l.metric, known.metric))[1].reason AS acknowledged,
      CASE
        WHEN in_comparison = 'gone' THEN 'missing'
        WHEN ratio IS NULL AND ("before" = "after" OR in_comparison = 'better') THEN 'fine'
        WHEN (ratio IS NULL AND "before" = 0 AND in_comparison = 'worse')
          OR (is_certain AND NOT is_single)
          THEN 'worse'
        WHEN $provisional AND loss > allowed AND c.is_open THEN 'provisional'
        WHEN is_certain THEN 'again'
        WHEN p_value IS NULL THEN 'unknown'
        WHEN loss_high <= allowed THEN 'fine'
        ELSE 'uncertain'
      END AS verdict,
      -- Functions that hardly take time do not fail the gate, nor metrics without a better direction.
      better IS NOT NULL AND coalesce(share >= 0.01, true) AND acknowledged IS NULL
        AND in_comparison <> 'gone' AS decides
    FROM losses AS l
    CROSS JOIN acknowledged AS a
    LEFT JOIN changed AS c ON l.fields_after = c.fields AND l.metric = c.metric
  )

SELECT
  fields_after AS fields, metric, unit, verdict, decides,
  decides AND verdict IN ('worse', 'provisional') AS fails,
  decides AND verdict = 'again' AS needs_run,
  "before" AS baseline, "after" AS candidate, ratio, low, high, p_value, allowed AS "limit",
  runs_before AS runs_baseline, runs_after AS runs_candidate,
  noise, better, share, more_runs, changed_within, level_until, acknowledged
FROM judged
ORDER BY
  NOT decides,
  list_position(['worse', 'provisional', 'again', 'uncertain', 'unknown', 'fine', 'missing'], verdict),
  metric NOT IN ('wall_seconds', 'functions:seconds', 'functions:cost'), loss DESC, metric,
  CAST(fields AS VARCHAR);
