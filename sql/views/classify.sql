-- requires: standardised, slots
--
-- The bottleneck of one sample whose metrics are at hand, by the model, or the rules, that
-- the analysis bottlenecks applies.

CREATE OR REPLACE MACRO classify(metrics, cycles := 'NaN', set_name := '') AS TABLE -- One row: the bottleneck of one sample whose metrics (per cycle) are given as a struct or map by name, as in bottlenecks; missing are the metrics of the set that were not given; cycles are those of the sample, where known, because a short one names no class. The metric set is set_name, else of those that have all these metrics the smallest with a model. Example: FROM classify({'retiring': 0.2, 'bad_speculation': 0.05, 'frontend_bound': 0.1, 'backend_bound': 0.65, 'memory_bound': 0.5})
WITH
  asked AS (
    SELECT
      CAST(to_json(metrics) AS JSON) AS given, coalesce(CAST(cycles AS DOUBLE), 'NaN') AS counted,
      lower(nullif(set_name, '')) AS wanted
  ),

  named AS (
    SELECT
      *,
      CASE
        WHEN json_type(given) <> 'OBJECT' THEN error(
          'classify: metrics are a struct or map of values by name, such as {''IPC'': 0.4}'
        )
        ELSE json_keys(given)
      END AS keys
    FROM asked
  ),

  layouts AS (
    SELECT metric_set, l.names, m.model, load_model(m.arrays) AS model_number, s.preference, s.whole
    FROM _set_layout AS l
    JOIN metric_sets AS s USING (metric_set)
    LEFT JOIN _bottleneck_models AS m USING (metric_set)
  ),

  -- sets that have all metrics: of those with a model the one with the fewest others
  possible AS (
    SELECT
      l.metric_set, l.names, l.model, l.model_number, l.whole,
      row_number() OVER (
        ORDER BY l.model IS NULL, len(l.names), l.preference, l.metric_set
      ) AS place
    FROM named AS n
    JOIN layouts AS l ON list_has_all(l.names, n.keys)
    WHERE n.wanted IS NULL OR l.metric_set = n.wanted
  ),

  placed AS (
    SELECT
      n.*, p.metric_set, p.names, p.model, p.model_number, p.whole,
      CASE
        WHEN p.metric_set IS NULL AND n.wanted IS NOT NULL
          AND n.wanted NOT IN (SELECT metric_set FROM layouts)
          THEN 'there is no metric set ' || n.wanted || '; the table metric_sets has them'
        WHEN p.metric_set IS NULL THEN
          'no metric set has all of ' || array_to_string(n.keys, ', ')
            || '; the table metric_definitions has the metrics of each'
      END AS problem
    FROM named AS n
    LEFT JOIN possible AS p ON p.place = 1
    WHERE n.given IS NOT NULL
  ),

  checked AS (
    SELECT
      *,
      CASE
        WHEN problem IS NOT NULL THEN error('classify: ' || problem)
        ELSE list_transform(
          names,
          lambda name: CASE
            WHEN json_type(given, '$."' || name || '"') IN ('VARCHAR', 'BOOLEAN', 'ARRAY', 'OBJECT')
              AND TRY_CAST(given ->> name AS DOUBLE) IS NULL
              THEN error('classify: ' || name || ' is no number')
            ELSE TRY_CAST(given ->> name AS DOUBLE)
          END
        )
      END AS "values"
    FROM placed
  ),

  judged AS (
    SELECT
      *,
      classify_bottleneck("values", counted, model_number) AS verdict,
      CASE WHEN model IS NULL THEN _rule_class(slots, counts, 1, command) END AS by_rules
    FROM (
      SELECT
        *, map(names, "values") AS counts, CASE WHEN whole > 0 THEN _slots(counts) END AS slots,
        _slot_command(metric_set) AS command
      FROM checked
    ) AS sampled
  ),

  class_advice AS (
    SELECT b.class, arg_min(b.advice, b.shipped) AS advice
    FROM bottleneck_rules AS b
    GROUP BY b.class
  )

SELECT
  coalesce(j.verdict.class, j.by_rules.class, 'Unknown') AS class,
  coalesce(j.verdict.probability, j.by_rules.probability) AS probability,
  coalesce(j.model, j.by_rules.rules) AS model,
  coalesce(
    list_transform(
      j.verdict.drivers,
      lambda d: {
        'metric': j.names[d.metric + 1], 'contribution': d.contribution, 'deviation': d.deviation
      }
    ),
    list_transform(
      j.by_rules.drivers,
      lambda d: {'metric': d.metric, 'contribution': d.share, 'deviation': d.share}
    )
  ) AS drivers,
  CASE
    WHEN j.by_rules.class = 'Other' THEN _slot_advice(j.by_rules.slot) ELSE a.advice
  END AS advice,
  CASE
    WHEN j.by_rules IS NOT NULL THEN j.by_rules.reason
    WHEN j.model IS NULL THEN _no_model(j.metric_set, j.whole)
    ELSE j.verdict.reason
  END AS reason,
  j.metric_set,
  list_filter(j.names, lambda name, i: j."values"[i] IS NULL) AS missing,
  j.verdict.cost[1] AS frac_mem, j.verdict.cost_low[1] AS frac_mem_low,
  j.verdict.cost_high[1] AS frac_mem_high,
  j.verdict.cost[2] AS frac_dtb, j.verdict.cost_low[2] AS frac_dtb_low,
  j.verdict.cost_high[2] AS frac_dtb_high,
  j.verdict.cost[3] AS frac_icache, j.verdict.cost_low[3] AS frac_icache_low,
  j.verdict.cost_high[3] AS frac_icache_high,
  j.verdict.cost[4] AS frac_dma, j.verdict.cost_low[4] AS frac_dma_low,
  j.verdict.cost_high[4] AS frac_dma_high
FROM judged AS j
LEFT JOIN class_advice AS a ON coalesce(j.verdict.class, j.by_rules.class, 'Unknown') = a.class;
