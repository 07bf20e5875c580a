-- key: part_id VARCHAR
-- scope: app
-- requires: change_points
-- reads: run_groups, runs, run_scalars, change_thresholds, default_branches
-- functions: changes
--
-- Parts of series and what is found in them: changes, disturbances, and what their noise is like.
--
-- A series of up to 2000 runs is one part. A longer one has parts of 2000 runs, each of which begins
-- 1000 after the one before, so that a new run touches the last one only. What is found counts in the
-- part that knows 500 runs at least on either side; that of changes next to where the next part takes
-- over is found in both.

-- inputs
WITH
  placed AS (
    SELECT
      p.app, p.configuration_id, p.run_id, p.point, p.place - 1 AS place, g.content, g.fields,
      r.machine
    FROM _run_places AS p
    JOIN run_groups AS g ON p.run_id = g.run_id
    JOIN runs AS r ON p.run_id = r.run_id
    WHERE p.app IN (FROM _scope)
  ),

  contents AS (
    SELECT configuration_id, NULL AS part, bit_xor(hash(content, place)) AS content
    FROM placed
    GROUP BY configuration_id
    UNION ALL
    SELECT configuration_id, part, bit_xor(hash(content, place))
    FROM (
      SELECT configuration_id, content, place, unnest([place // 1000 - 1, place // 1000]) AS part
      FROM placed
    )
    GROUP BY configuration_id, part
  ),

  grouped AS (
    SELECT
      p.app, p.configuration_id, m.metric, any_value(m.unit) AS unit, any_value(p.fields) AS fields,
      string_agg(DISTINCT p.machine, ', ' ORDER BY p.machine) AS machine,
      count(*) > 2000 AS is_split,
      if(is_split, max(p.place) // 1000 - 1, 0) AS last_part
    FROM _scalars AS m
    JOIN placed AS p ON m.run_id = p.run_id
    GROUP BY p.app, p.configuration_id, m.metric
    HAVING _is_series(m.unit, p.point)
  ),

  judged AS (
    SELECT
      g.*, _series_id(g.configuration_id, g.metric) AS series_id, unnest(range(last_part + 1)) AS part,
      _thresholds_of(t.every, g.app, g.machine, g.metric) AS ours,
      _first_set(list_transform(ours, lambda t: t.significance)) AS significance,
      _first_set(list_transform(ours, lambda t: t.smallest_change)) AS smallest_change
    FROM grouped AS g
    CROSS JOIN _threshold_rows AS t
  )

SELECT
  concat_ws(' ', j.series_id, j.part) AS key, j.app AS scope,
  md5(
    concat_ws(
      chr(0), c.content, j.is_split, j.last_part = j.part, j.unit, j.machine, j.significance,
      j.smallest_change
    )
  ) AS digest,
  j.series_id, j.part, j.app, j.machine, j.configuration_id, j.fields, j.metric, j.unit,
  j.significance, j.smallest_change,
  j.part * 1000 AS first_place,
  if(j.is_split, first_place + 2000, CAST('infinity' AS DOUBLE)) AS end_place,
  if(j.part = 0, 0, first_place + 500) AS own_from,
  if(j.part = j.last_part, CAST('infinity' AS DOUBLE), first_place + 1500) AS own_until
FROM judged AS j
JOIN contents AS c
  ON j.configuration_id = c.configuration_id
  AND if(j.is_split, j.part, -1) = coalesce(c.part, -1) AND j.is_split = (c.part IS NOT NULL);

-- rows
WITH
  -- sorted as lists: with ORDER BY the aggregate takes the memory of 2048 rows for each of 17 or more
  listed AS (
    SELECT
      i.key AS part_id,
      list_sort(list({
        'place': p.place - 1, 'value': m.value, 'run_id': p.run_id, 'version': r.version,
        'commit': g."commit", 'started_at': p.counted_at
      })) AS series
    FROM _scalars AS m
    JOIN _run_places AS p ON m.run_id = p.run_id
    JOIN runs AS r ON p.run_id = r.run_id
    JOIN run_groups AS g ON p.run_id = g.run_id
    JOIN _inputs AS i ON p.configuration_id = i.configuration_id AND m.metric = i.metric
    WHERE p.app IN (FROM _scope) AND p.place > i.first_place AND p.place <= i.end_place
    GROUP BY i.key
  ),

  searched AS (
    SELECT
      i.* EXCLUDE (key, scope, digest, configuration_id), l.part_id, l.series,
      len(l.series) AS points,
      series_findings(
        list_transform(l.series, lambda point: point.value), i.significance,
        -- runs of one commit are repetitions of one point
        list_transform(
          l.series,
          lambda point: CASE WHEN point."commit" IS NOT NULL
            THEN concat_ws(chr(0), point."commit", point.version) END
        ),
        list_transform(l.series, lambda point: point.version)
      ) AS findings
    FROM _inputs AS i
    JOIN listed AS l ON i.key = l.part_id
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
      -- up to the last run of a commit, and from the first one
      coalesce(
        list_max(list_transform(
          series, lambda p, i: CASE WHEN p."commit" = series[points // 4]."commit" THEN i END
        )),
        points // 4
      ) AS opening_until,
      coalesce(
        list_min(list_transform(
          series, lambda p, i: CASE WHEN p."commit" = series[-(points // 4)]."commit" THEN i END
        )),
        points - points // 4 + 1
      ) AS closing_from,
      series[-1]."commit" AS last_commit,
      greatest(len(list_filter(series, lambda point: point."commit" = last_commit)), 1) AS repeats,
      series[-1].version AS newest,
      list_filter(
        findings.changes,
        lambda c:
          series[c.index + 1].place >= own_from AND series[c.index + 1].place < own_until
      ) AS own
    FROM searched
  ),

  large AS (
    SELECT
      *,
      list_filter(findings.changes, lambda c: _is_large(c, smallest_change)) AS changes,
      CASE WHEN isinf(own_until) THEN findings.provisional ELSE [] END AS early,
      CASE WHEN isinf(own_until) THEN list_max(
        list_transform(series, lambda point, i: CASE WHEN point.version <> newest THEN i END)
      ) END AS newest_from,
      CASE WHEN findings.drift IS NULL THEN 30 ELSE 8 END AS nearest
    FROM levels
  ),

  -- one run, or commit, is no level: all that can be said is that none before was nearly as far away
  ends AS (
    SELECT
      *,
      abs(list_median(since[-repeats:]) - level) AS off,
      coalesce(
        list_max(list_transform(since[:-repeats - 1], lambda value: abs(value - level))), 0
      ) AS usual,
      -- as far into the part before as a change may be placed differently
      list_filter(
        list_transform(
          changes,
          lambda c, i: {
            'c': c, 'more_runs': CAST(NULL AS INTEGER),
            'begins': CASE WHEN i > 1 THEN changes[i - 1].index ELSE 0 END,
            'ends': coalesce(changes[i + 1].index, points)
          }
        ),
        lambda f:
          series[f.c.index + 1].place >= if(part = 0, 0, own_from - 8)
          AND series[f.c.index + 1].place < own_until
      )
      || list_transform(
        list_filter(early, lambda c: _is_large(c, smallest_change)),
        lambda c: {
          'c': {
            'index': c.index, 'before': c.before, 'after': c.after, 'p_value': c.p_value,
            'low': c.low, 'high': c.high, 'p_here': c.p_here
          },
          'more_runs': c.more_runs, 'begins': c.begins, 'ends': points
        }
      ) AS found
    FROM large
  )

SELECT
  part_id, series_id, part, app, points,
  len(list_filter(series, lambda point: point.place < first_place + 1000)) AS before_next,
  list_median(list_transform(series[:opening_until], lambda point: point.value)) AS opening,
  list_median(list_transform(series[closing_from:], lambda point: point.value)) AS closing,
  len(own) AS changes_of_any_size,
  machine, fields, metric, unit, significance, smallest_change,
  findings.state AS state, level,
  findings.smallest_change / nullif(abs(level), 0) AS smallest_visible,
  findings.modes.low AS low, findings.modes.high AS high,
  findings.modes.high_share AS high_share,
  findings.drift / nullif(abs(level), 0) AS drift,
  CASE WHEN is_outlier THEN since[-1] END AS latest_outlier,
  CASE WHEN is_outlier THEN series[-1].run_id END AS latest_outlier_run_id,
  len(early) AS provisional_of_any_size,
  list_transform(
    found,
    lambda f: struct_insert(
      _boundary(series, f.c.index),
      "before" := f.c.before, "after" := f.c.after, p_value := f.c.p_value,
      more_runs := f.more_runs, low := f.c.low, high := f.c.high, p_here := f.c.p_here,
      runs_before := f.c.index - f.begins, runs_after := f.ends - f.c.index,
      next_run_id := NULL, next_started_at := NULL,
      runs := list_transform(
        series[f.c.index + 1:least(f.ends, f.c.index + nearest)], lambda point: point.run_id
      ),
      against := list_transform(
        series[greatest(f.begins, f.c.index - nearest) + 1:f.c.index], lambda point: point.run_id
      )
    )
  ) AS changes,
  CASE WHEN newest_from IS NULL THEN [] ELSE [_boundary(series, newest_from)] END AS newest_from,
  list_transform(
    list_filter(
      findings.disturbances,
      lambda d:
        series[d.first + 1].place >= own_from AND series[d.first + 1].place < own_until
    ),
    lambda d: {
      'first': d.first, 'last': d.last, 'usual': d.usual, 'disturbed': d.disturbed,
      'run_id': series[d.first + 1].run_id, 'version': series[d.first + 1].version,
      'started_at': series[d.first + 1].started_at, 'last_run_id': series[d.last + 1].run_id,
      'last_version': series[d.last + 1].version, 'last_started_at': series[d.last + 1].started_at
    }
  ) AS disturbances
FROM (
  SELECT
    *,
    points >= 10 AND len(findings.provisional) = 0
      AND off > greatest(1.5 * usual, coalesce(findings.smallest_change, 0)) AS is_outlier
  FROM ends
);
