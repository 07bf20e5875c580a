-- key: series_id BIGINT
-- scope: app
-- requires: change_points
-- reads: run_groups, runs, run_scalars, metrics, change_thresholds
-- functions: changes
--
-- Series and all that is found in them: changes, disturbances, and what their noise is like.

-- inputs
WITH
  grouped AS (
    SELECT
      app, configuration_id, metric, any_value(unit) AS unit,
      string_agg(DISTINCT machine, ', ' ORDER BY machine) AS machine,
      count(*) AS points,
      bit_xor(hash(run_id, started_at, version, "commit", value)) AS content
    FROM _series_points
    WHERE app IN (FROM _scope)
    GROUP BY app, configuration_id, metric
    HAVING _is_series(unit, started_at)
  ),

  judged AS (
    SELECT
      g.*, c.fields,
      _thresholds_of(t.every, g.app, g.machine, g.metric) AS ours,
      _first_set(list_transform(ours, lambda t: t.significance)) AS significance,
      _first_set(list_transform(ours, lambda t: t.smallest_change)) AS smallest_change
    FROM grouped AS g
    JOIN _configurations AS c USING (configuration_id)
    CROSS JOIN _threshold_rows AS t
  )

SELECT
  CAST(_series_id(configuration_id, metric) AS VARCHAR) AS key, app AS scope,
  md5(concat_ws(chr(0), content, points, unit, machine, significance, smallest_change)) AS digest,
  _series_id(configuration_id, metric) AS series_id,
  app, machine, configuration_id, fields, metric, unit, points, significance, smallest_change
FROM judged;

-- rows
WITH
  listed AS (
    SELECT i.series_id, _points_in_order(p.started_at, p.run_id, p.version, p."commit", p.value) AS series
    FROM _series_points AS p
    JOIN _inputs AS i ON p.configuration_id = i.configuration_id AND p.metric = i.metric
    WHERE p.app IN (FROM _scope)
    GROUP BY i.series_id
  ),

  searched AS (
    SELECT
      i.* EXCLUDE (key, scope, digest, configuration_id), l.series,
      series_findings(list_transform(l.series, lambda point: point.value), i.significance)
        AS findings
    FROM _inputs AS i
    JOIN listed AS l USING (series_id)
  ),

  levels AS (
    SELECT
      *,
      coalesce(
        findings.changes[-1].after, list_median(list_transform(series, lambda point: point.value))
      ) AS level,
      list_transform(
        series[coalesce(findings.changes[-1]."index", 0) + 1:], lambda point: point.value
      ) AS since,
      points // 4 AS quarter
    FROM searched
  ),

  large AS (
    SELECT
      *,
      list_filter(findings.changes, lambda c: _is_large(c, smallest_change)) AS changes,
      list_filter(findings.provisional, lambda c: _is_large(c, smallest_change)) AS provisional,
      CASE WHEN findings.drift IS NULL THEN 30 ELSE 8 END AS nearest
    FROM levels
  ),

  -- one run is no level: all that can be said is that none before was nearly as far away
  ends AS (
    SELECT
      *,
      abs(since[-1] - level) AS off,
      coalesce(list_max(list_transform(since[:-2], lambda value: abs(value - level))), 0) AS usual,
      list_median(list_transform(series[:quarter], lambda point: point.value)) AS opening,
      list_median(list_transform(series[-quarter:], lambda point: point.value)) AS closing
    FROM large
  )

SELECT
  series_id, app, machine, fields, metric, unit, points, significance, smallest_change,
  findings.state AS state,
  level,
  findings.smallest_change / nullif(abs(level), 0) AS smallest_visible,
  findings.modes.low AS low, findings.modes.high AS high,
  findings.modes.high_share AS high_share,
  findings.drift / nullif(abs(level), 0) AS drift,
  CASE
    WHEN points >= 10 AND len(findings.provisional) = 0
      AND off > greatest(1.5 * usual, coalesce(findings.smallest_change, 0))
      THEN since[-1]
  END AS latest_outlier,
  CASE WHEN latest_outlier IS NOT NULL THEN series[-1].run_id END AS latest_outlier_run_id,
  CASE WHEN points >= 10 THEN (closing - opening) / nullif(abs(opening), 0) END AS overall_change,
  len(findings.changes) AS changes_of_any_size,
  len(findings.provisional) AS provisional_of_any_size,
  list_transform(
    list_transform(
      changes,
      lambda c, i: {
        'c': c, 'more_runs': CAST(NULL AS INTEGER),
        'begins': CASE WHEN i > 1 THEN changes[i - 1].index ELSE 0 END,
        'ends': coalesce(changes[i + 1].index, points)
      }
    )
    || list_transform(
      provisional,
      lambda c: {
        'c': {'index': c.index, 'before': c.before, 'after': c.after, 'p_value': c.p_value},
        'more_runs': c.more_runs, 'begins': NULL, 'ends': NULL
      }
    ),
    lambda f: {
      'index': f.c.index, 'before': f.c.before, 'after': f.c.after, 'p_value': f.c.p_value,
      'more_runs': f.more_runs, 'run_id': series[f.c.index + 1].run_id,
      'version': series[f.c.index + 1].version, 'commit': series[f.c.index + 1]."commit",
      'started_at': series[f.c.index + 1].started_at,
      'previous_run_id': series[f.c.index].run_id,
      'previous_version': series[f.c.index].version,
      'previous_commit': series[f.c.index]."commit",
      -- annotations are of changes less than half the shortest level (8 runs) away
      'near_after': CASE WHEN f.c.index > 3 THEN series[f.c.index - 3].started_at END,
      'near_until': series[f.c.index + 4].started_at,
      'next_run_id': series[f.ends + 1].run_id,
      'next_started_at': series[f.ends + 1].started_at,
      'runs': list_transform(
        series[f.c.index + 1:least(f.ends, f.c.index + nearest)], lambda point: point.run_id
      ),
      'against': list_transform(
        series[greatest(f.begins, f.c.index - nearest) + 1:f.c.index], lambda point: point.run_id
      )
    }
  ) AS changes,
  list_transform(
    findings.disturbances,
    lambda d: {
      'first': d.first, 'last': d.last, 'usual': d.usual, 'disturbed': d.disturbed,
      'run_id': series[d.first + 1].run_id, 'version': series[d.first + 1].version,
      'started_at': series[d.first + 1].started_at, 'last_run_id': series[d.last + 1].run_id,
      'last_version': series[d.last + 1].version, 'last_started_at': series[d.last + 1].started_at
    }
  ) AS disturbances
FROM ends;
