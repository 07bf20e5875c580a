-- requires: change_points, repetitions
--
-- Two sets of runs side by side: what changed, by how much, and whether that is beyond the noise.
--
-- Where a side has several configurations (fields of series_fields, and the parallelism), equal
-- configurations are compared. Where both have one, these are compared even if they differ. Each
-- run is a repetition, except where a side has only one run: then the repetitions within it are
-- taken (fn_timings.repetition).

CREATE OR REPLACE MACRO comparison(a, b, level := 0.95, metrics := ['*']) AS TABLE
WITH
  sides AS (
    SELECT unnest(list_distinct(a)) AS run_id, 'before' AS side
    UNION ALL
    SELECT unnest(list_distinct(b)) AS run_id, 'after' AS side
  ),

  measured AS (
    SELECT *
    FROM _repetitions(list_concat(a, b))
    WHERE isfinite(value) AND len(list_filter(metrics, lambda pattern: metric GLOB pattern)) > 0
  ),

  placed AS (
    SELECT
      s.side, m.run_id, r.started_at, r.app, r.machine, r.fields AS own_fields,
      CASE
        WHEN m.parallelism IS NULL OR r.parallelism IS NOT NULL THEN r.configuration
        ELSE map_concat(r.fields, MAP {'parallelism': CAST(m.parallelism AS VARCHAR)})
      END AS fields,
      m.metric, m.function, m.repetition, m.value, m.unit
    FROM measured AS m
    JOIN sides AS s ON m.run_id = s.run_id
    JOIN run_configurations AS r ON m.run_id = r.run_id
  ),

  single AS (
    SELECT
      count(DISTINCT fields) FILTER (side = 'before') <= 1
      AND count(DISTINCT fields) FILTER (side = 'after') <= 1 AS yes
    FROM placed
  ),

  keyed AS (
    SELECT p.*, CASE WHEN s.yes THEN MAP {} ELSE p.fields END AS configuration
    FROM placed AS p
    CROSS JOIN single AS s
  ),

  run_counts AS (
    SELECT configuration, side, count(DISTINCT run_id) AS runs
    FROM keyed
    GROUP BY configuration, side
  ),

  units AS (
    SELECT
      k.configuration, k.side, k.metric, k.run_id,
      CASE WHEN c.runs = 1 THEN k.repetition END AS repetition,
      any_value(k.started_at) AS started_at, any_value(k.fields) AS fields,
      any_value(k.own_fields) AS own_fields, any_value(k.app) AS app,
      any_value(k.machine) AS machine, any_value(k.function) AS function,
      any_value(k.unit) AS unit, avg(k.value) AS value
    FROM keyed AS k
    JOIN run_counts AS c ON k.configuration = c.configuration AND k.side = c.side
    GROUP BY k.configuration, k.side, k.metric, k.run_id, CASE WHEN c.runs = 1 THEN k.repetition END
  ),

  pairs AS (
    SELECT
      configuration, metric, any_value(unit) AS unit, any_value(function) AS function,
      coalesce(
        list(value ORDER BY started_at, run_id, repetition) FILTER (side = 'before'), []
      ) AS before,
      coalesce(
        list(value ORDER BY started_at, run_id, repetition) FILTER (side = 'after'), []
      ) AS after,
      any_value(fields) FILTER (side = 'before') AS fields_before,
      any_value(fields) FILTER (side = 'after') AS fields_after,
      any_value(own_fields) FILTER (side = 'before') AS series_before,
      any_value(own_fields) FILTER (side = 'after') AS series_after,
      any_value(app) FILTER (side = 'before') AS app_before,
      arg_max(app, side = 'after') AS app,
      arg_max(machine, side = 'after') AS machine
    FROM units
    GROUP BY configuration, metric
  ),

  -- Only what was measured once needs the noise of its history, that of the other runs.
  histories AS (
    SELECT
      app, fields, metric,
      list_transform(
        list_filter(series, lambda point: NOT list_contains(compared, point.run_id)),
        lambda point: point.value
      ) AS history
    FROM metric_series
    CROSS JOIN (SELECT list_concat(a, b) AS compared)
    WHERE app IN (SELECT unnest([app, app_before]) FROM pairs)
      AND metric IN (SELECT metric FROM pairs WHERE len(before) = 1 OR len(after) = 1)
  ),

  every AS (
    SELECT
      list(
        {
          'pair': p, 'history_before': coalesce(h.history, []),
          'history_after': coalesce(g.history, []),
          'family': split_part(p.metric, ':', 1) || ' ' || coalesce(p.unit, '')
        }
        ORDER BY CAST(p.configuration AS VARCHAR), p.metric
      ) AS every
    FROM pairs AS p
    LEFT JOIN histories AS h
      ON p.app_before = h.app AND p.series_before = h.fields AND p.metric = h.metric
    LEFT JOIN histories AS g
      ON p.app = g.app AND p.series_after = g.fields AND p.metric = g.metric
  ),

  compared AS (
    SELECT
      unnest(every).pair AS p,
      unnest(
        compare_repetitions(
          list_transform(every, lambda e: e.pair.before),
          list_transform(every, lambda e: e.pair.after),
          list_transform(every, lambda e: e.history_before),
          list_transform(every, lambda e: e.history_after),
          list_transform(every, lambda e: e.family),
          CAST(level AS DOUBLE)
        )
      ) AS c
    FROM every
    WHERE every IS NOT NULL
  ),

  ruled AS (
    SELECT
      p, c,
      list_filter(
        t.every,
        lambda t: _matches(p.app, t.app) AND _matches(p.machine, t.machine)
          AND _matches(p.metric, t.metric)
      ) AS ours
    FROM compared
    CROSS JOIN _threshold_rows AS t
  ),

  judged AS (
    SELECT
      p, c,
      coalesce(
        _first_set(list_transform(ours, lambda t: t.better)),
        CASE
          WHEN p.metric LIKE 'idle:%' OR p.unit IN ('s', 'ms', 'us', 'ns') THEN 'lower'
          WHEN p.unit LIKE '%/s' THEN 'higher'
        END
      ) AS better,
      coalesce(_first_set(list_transform(ours, lambda t: t.smallest_change)), 0) AS smallest
    FROM ruled
  )

SELECT
  any_value(p.fields_before) OVER (PARTITION BY p.configuration) AS fields_before,
  any_value(p.fields_after) OVER (PARTITION BY p.configuration) AS fields_after,
  p.metric AS metric, p.unit AS unit,
  CASE
    WHEN len(p.before) = 0 THEN 'new'
    WHEN len(p.after) = 0 THEN 'gone'
    WHEN c.p_value IS NULL THEN 'unknown'
    WHEN c.p_value >= 1 - level OR abs(coalesce(c.ratio, 'infinity') - 1) < smallest THEN 'same'
    WHEN better = 'lower' THEN if(c.after > c.before, 'worse', 'better')
    WHEN better = 'higher' THEN if(c.after < c.before, 'worse', 'better')
    ELSE 'changed'
  END AS verdict,
  c.before AS "before", c.after AS "after", c.ratio AS ratio, c.low AS low, c.high AS high,
  c.p_value AS p_value,
  len(p.before) AS repetitions_before, len(p.after) AS repetitions_after,
  c.noise AS noise,
  CASE WHEN better IN ('lower', 'higher') THEN better END AS better,
  smallest AS smallest_change,
  CASE WHEN p.function IS NOT NULL
    THEN c.before / sum(c.before) FILTER (p.function IS NOT NULL) OVER (PARTITION BY p.configuration)
  END AS share_before,
  CASE WHEN p.function IS NOT NULL
    THEN c.after / sum(c.after) FILTER (p.function IS NOT NULL) OVER (PARTITION BY p.configuration)
  END AS share_after
FROM judged;

COMMENT ON MACRO TABLE comparison IS 'Two sets of runs, a and b (lists of run_id), metric by metric: comparison([''r1'', ''r2''], [''r3''], level := 0.95, metrics := [''seconds:*'']). One row is one metric of one configuration: fields_before and fields_after (what the runs of each side have in common, NULL where a side has none), metric, unit, verdict (worse, better, changed: beyond the noise, by what is better for the metric, where that is known; same: not beyond the noise, or less than smallest_change; unknown: the noise is not known; new, gone), before and after (geometric means, or means where values are not positive), ratio, low and high (simultaneous intervals of all rows with probability level; NULL where it has no bound), p_value (of no change, corrected for the number of rows by Holm''s method), repetitions_before and repetitions_after, noise (repetitions, history: of 6 other runs at least, other side, NULL: unknown), better (lower, higher, NULL: unknown), smallest_change (change_thresholds), share_before and share_after (of functions, in the time of all, 0..1).';
