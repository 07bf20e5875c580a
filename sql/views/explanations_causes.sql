-- requires: flags, explanations_sides, bottleneck_summary, scaling_models
--
-- What changed between two groups of runs in verdicts: bottlenecks and scaling exponents.
--
-- Each macro returns a row for each subject, with its values on both sides (b: before, a: after; in
-- the order of the runs), and whether the change is `sure`, where verdicts decide that. `relevant`,
-- `notable` and `query` are as in explanations_metrics.sql, with the runs `ids`.

CREATE OR REPLACE MACRO _explain_bottlenecks(pairs) AS TABLE
WITH
  side AS (
    SELECT unnest(pairs, recursive := true)
  ),

  judged AS MATERIALIZED (
    SELECT s.id, s.is_after, s.place, b.*
    FROM side AS s
    JOIN bottleneck_by_region AS b ON s.run_id = b.run_id
    WHERE _is_of(b.run_id, _run_ids(pairs)) AND b.class <> 'Unknown'
  ),

  places AS (
    SELECT
      id, region,
      mode(class) FILTER (NOT is_after) AS before_label,
      mode(class) FILTER (is_after) AS after_label,
      list(class) FILTER (NOT is_after) AS classes_before,
      list(class) FILTER (is_after) AS classes_after,
      list(costs ORDER BY place) FILTER (NOT is_after) AS costs_before,
      list(costs ORDER BY place) FILTER (is_after) AS costs_after,
      median(cycles) FILTER (is_after) - median(cycles) FILTER (NOT is_after) AS more,
      list(DISTINCT run_id ORDER BY run_id) AS ids
    FROM (
      SELECT
        *, MAP {'mem': frac_mem, 'dtb': frac_dtb, 'icache': frac_icache, 'dma': frac_dma} AS costs
      FROM judged
    )
    GROUP BY id, region
    HAVING count(*) FILTER (is_after) > 0 AND count(*) FILTER (NOT is_after) > 0
  ),

  -- the cost of the class after the change, else of the class before
  priced AS (
    SELECT
      *,
      CASE
        WHEN after_label IN ('Mem', 'DTB', 'ICache', 'DMA') THEN lower(after_label)
        WHEN before_label IN ('Mem', 'DTB', 'ICache', 'DMA') THEN lower(before_label)
        ELSE 'mem'
      END AS component,
      list_transform(costs_before, lambda c: c[component]) AS b,
      list_transform(costs_after, lambda c: c[component]) AS a
    FROM places
  )

SELECT
  id, 'bottleneck' AS topic, region AS subject, 'frac_' || component AS metric,
  'of cycles' AS unit, b, a, before_label, after_label,
  CASE WHEN sum(more) OVER (PARTITION BY id) > 0 AND region IS NOT NULL
    THEN more / sum(more) OVER (PARTITION BY id) END AS share,
  CASE
    WHEN before_label = after_label THEN NULL
    WHEN len(classes_before) > 1 AND len(classes_after) > 1 THEN
      len(list_filter(classes_before, lambda c: c = before_label)) >= 0.9 * len(classes_before)
      AND len(list_filter(classes_after, lambda c: c = after_label)) >= 0.9 * len(classes_after)
  END AS sure,
  before_label <> after_label OR abs(list_median(a) - list_median(b)) >= 0.05 AS relevant,
  relevant AS notable,
  _flags([]) AS flags,
  'SELECT run_id, class, probability, frac_' || component || ' FROM bottleneck_by_region'
    || ' WHERE region ' || coalesce('= ' || _quoted(region), 'IS NULL') || ' AND ' AS query,
  ids
FROM priced;

CREATE OR REPLACE MACRO _explain_scaling(pairs) AS TABLE
WITH
  side AS (
    SELECT unnest(pairs, recursive := true)
  ),

  -- the sets of runs of the versions on both sides; those next to the change come first
  sets AS (
    SELECT
      s.id, s.is_after, _set_id(r.app, r.version, r.machine) AS set_id,
      min(if(s.is_after, s.place, -s.place)) AS place
    FROM side AS s
    JOIN runs AS r ON s.run_id = r.run_id
    GROUP BY ALL
  ),

  -- As scaling_models, which would fit the functions of all sets: what depends on both sides of a
  -- join is computed after it.
  fitted AS (
    SELECT
      t.id, t.is_after, t.place, f.app, f.version, f.function,
      CASE WHEN t.id IS NOT NULL THEN _fitted(f.kind, f.seen_last, f.x, f.y, f.noise) END AS model,
      _model_flags(f.flags, f.seen_last, model, s.flags) AS flags
    FROM sets AS t
    JOIN scaling_series AS f ON t.set_id = f.set_id
    JOIN scaling_sets AS s ON f.set_id = s.set_id
    WHERE f.app IS NOT NULL AND f.kind <> 'total'
  ),

  models AS (
    SELECT
      * EXCLUDE (model),
      model['formula'] AS formula, model['exponent'] AS exponent,
      model['exponent_low'] AS exponent_low, model['exponent_high'] AS exponent_high
    FROM fitted
    WHERE model['exponent'] IS NOT NULL
    QUALIFY rank() OVER (PARTITION BY id, is_after ORDER BY place) = 1
  )

SELECT
  b.id, 'scaling' AS topic, b.function AS subject, 'exponent' AS metric,
  CAST(NULL AS VARCHAR) AS unit, [b.exponent] AS b, [a.exponent] AS a,
  b.formula AS before_label, a.formula AS after_label,
  CAST(NULL AS DOUBLE) AS share,
  _is_steeper(a, b) OR _is_steeper(b, a) AS sure,
  true AS relevant, false AS notable,
  list_distinct(b.flags || a.flags) AS flags,
  'SELECT version, exponent, exponent_low, exponent_high, formula FROM scaling_models WHERE app = '
    || _quoted(a.app) || ' AND function = ' || _quoted(a.function) || ' AND version IN ('
    || _quoted(b.version) || ', ' || _quoted(a.version) || ')' AS query,
  CAST(NULL AS VARCHAR[]) AS ids
FROM (FROM models WHERE NOT is_after) AS b
JOIN (FROM models WHERE is_after) AS a
  ON b.id = a.id AND b.function = a.function AND b.version IS DISTINCT FROM a.version;
