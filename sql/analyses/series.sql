-- key: series_id BIGINT
-- scope: app
-- requires: change_points
-- reads: run_groups, runs, run_scalars, change_thresholds
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
      _first_set(
        list_transform(
          _thresholds_of(t.every, g.app, g.machine, g.metric), lambda t: t.significance
        )
      ) AS significance
    FROM grouped AS g
    JOIN _configurations AS c USING (configuration_id)
    CROSS JOIN _threshold_rows AS t
  )

SELECT
  CAST(_series_id(configuration_id, metric) AS VARCHAR) AS key, app AS scope,
  md5(concat_ws(chr(0), content, points, unit, machine, significance)) AS digest,
  _series_id(configuration_id, metric) AS series_id,
  app, machine, configuration_id, fields, metric, unit, points, significance
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

  -- one run is no level: all that can be said is that none before was nearly as far away
  ends AS (
    SELECT
      *,
      abs(since[-1] - level) AS off,
      coalesce(list_max(list_transform(since[:-2], lambda value: abs(value - level))), 0) AS usual,
      list_median(list_transform(series[:quarter], lambda point: point.value)) AS opening,
      list_median(list_transform(series[-quarter:], lambda point: point.value)) AS closing
    FROM levels
  )

SELECT
  series_id, app, machine, fields, metric, unit, points, significance,
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
  list_transform(
    list_transform(
      findings.changes,
      lambda c, i: {
        'index': c.index, 'before': c.before, 'after': c.after, 'p_value': c.p_value,
        'more_runs': CAST(NULL AS INTEGER),
        'begins': CASE WHEN i > 1 THEN findings.changes[i - 1].index ELSE 0 END,
        'ends': coalesce(findings.changes[i + 1].index, points)
      }
    )
    || list_transform(
      findings.provisional,
      lambda c: {
        'index': c.index, 'before': c.before, 'after': c.after, 'p_value': c.p_value,
        'more_runs': c.more_runs, 'begins': NULL, 'ends': NULL
      }
    ),
    lambda c: struct_insert(
      c,
      run_id := series[c.index + 1].run_id, version := series[c.index + 1].version,
      "commit" := series[c.index + 1]."commit", started_at := series[c.index + 1].started_at,
      previous_run_id := series[c.index].run_id, previous_version := series[c.index].version,
      previous_commit := series[c.index]."commit",
      -- annotations are of changes less than half the shortest level (8 runs) away
      near_after := CASE WHEN c.index > 3 THEN series[c.index - 3].started_at END,
      near_until := series[c.index + 4].started_at
    )
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
