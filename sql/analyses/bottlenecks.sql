-- key: run_id VARCHAR
-- scope: run_id
-- reads: sample_metrics, _file_sets, pmu_samples, runs, bottleneck_labels, models
-- requires: flags, settings, standardised, slots
-- functions: bottleneck.apply, models
--
-- One named bottleneck for every sample: the manual label, else the model's verdict, else, without
-- a model of its metrics, the class that rules name by its shares of issue slots or its counts.

-- inputs
WITH
  labels AS (
    SELECT run_id, string_agg(CAST(l AS VARCHAR), ',' ORDER BY CAST(l AS VARCHAR)) AS labels
    FROM bottleneck_labels AS l
    WHERE run_id IN (FROM _scope)
    GROUP BY run_id
  )

SELECT
  r.run_id AS key, r.run_id AS scope,
  md5(
    concat_ws(
      chr(0), c.digest, l.labels, r.machine, r.tags['issue_width'], r.environment['cpu'],
      _settings('bottlenecks')
    )
  ) AS digest
FROM _run_contents AS c
JOIN runs AS r ON c.run_id = r.run_id
LEFT JOIN labels AS l ON c.run_id = l.run_id
WHERE c.run_id IN (FROM _scope) AND c.rows['pmu_samples'] > 0;

-- rows
WITH
  -- manual labels of single samples, the latest of each
  sample_labels AS (
    SELECT
      run_id, rank, thread, region, sample, arg_max(class, said_at) AS class,
      arg_max(coalesce(said_by, 'a person'), said_at) AS said_by
    FROM bottleneck_labels
    WHERE sample IS NOT NULL
    GROUP BY run_id, rank, thread, region, sample
  ),

  -- manual labels of all samples of a place: the narrowest first, of equally narrow ones the latest
  place_labels AS (
    SELECT
      run_id,
      list(
        {'rank': rank, 'thread': thread, 'region': region, 'class': class, 'said_by': said_by}
        ORDER BY narrowness DESC, said_at DESC
      ) AS labels
    FROM (
      SELECT
        * REPLACE (coalesce(said_by, 'a person') AS said_by),
        CASE WHEN region IS NULL THEN 0 ELSE 4 END + CASE WHEN thread IS NULL THEN 0 ELSE 2 END
          + CASE WHEN rank IS NULL THEN 0 ELSE 1 END AS narrowness
      FROM bottleneck_labels
      WHERE sample IS NULL
    )
    GROUP BY run_id
  ),

  -- the user's advice for a class comes before pwh's
  class_advice AS (
    SELECT class, arg_min(advice, shipped) AS advice
    FROM bottleneck_rules
    GROUP BY class
  ),

  -- loaded once, so that samples stream through classify_bottleneck
  loaded AS MATERIALIZED (
    SELECT metric_set, model, load_model(arrays) AS model_number
    FROM _bottleneck_models
  ),

  -- shares of issue slots of the same sample
  shares AS (
    SELECT s.*, _slots(map(s.names, s.metrics)) AS slots
    FROM sample_metrics AS s
    JOIN metric_sets AS t USING (metric_set)
    WHERE t.whole > 0 AND s.reason IS NULL
  ),

  -- what would count shares of issue slots
  commands AS (
    SELECT
      run_id,
      _slot_command(
        concat_ws(
          ' ', any_value(r.environment['cpu']), string_agg(f.metric_set || ' ' || f.events[1].written, ' ')
        )
      ) AS command
    FROM _file_sets AS f
    JOIN runs AS r USING (run_id)
    WHERE f.is_used
    GROUP BY run_id
  ),

  judged AS (
    SELECT
      s.*, m.model,
      classify_bottleneck(
        CASE WHEN s.reason IS NULL THEN s.metrics END, coalesce(s.cycles, 'NaN'), m.model_number
      ) AS verdict,
      CASE
        WHEN m.model IS NULL AND (h.slots IS NOT NULL OR s.reason IS NULL)
          THEN _rule_class(
            h.slots, map(s.names, s.metrics), least(h.running, s.running),
            k.command
          )
      END AS by_rules
    FROM sample_metrics AS s
    LEFT JOIN commands AS k ON s.run_id = k.run_id
    LEFT JOIN loaded AS m ON s.metric_set = m.metric_set
    LEFT JOIN shares AS h
      ON s.run_id = h.run_id
      AND s.source_id = h.source_id
      AND s.rank IS NOT DISTINCT FROM h.rank
      AND s.thread IS NOT DISTINCT FROM h.thread
      AND s.cpu IS NOT DISTINCT FROM h.cpu
      AND s.region IS NOT DISTINCT FROM h.region
      AND s.sample IS NOT DISTINCT FROM h.sample
    WHERE s.names_class
  ),

  labelled AS (
    SELECT
      j.*,
      CASE
        WHEN one.class IS NOT NULL THEN {'class': one.class, 'said_by': one.said_by}
        WHEN p.labels IS NOT NULL THEN list_filter(
          p.labels,
          lambda l: (l.rank IS NULL OR l.rank = j.rank)
            AND (l.thread IS NULL OR l.thread = j.thread)
            AND (l.region IS NULL OR l.region = j.region)
        )[1]
      END AS label
    FROM judged AS j
    LEFT JOIN sample_labels AS one
      ON j.run_id = one.run_id
      AND j.rank IS NOT DISTINCT FROM one.rank
      AND j.thread IS NOT DISTINCT FROM one.thread
      AND j.region IS NOT DISTINCT FROM one.region
      AND j.sample IS NOT DISTINCT FROM one.sample
    LEFT JOIN place_labels AS p ON j.run_id = p.run_id
  ),

  named AS (
    SELECT *, coalesce(label.class, verdict.class, by_rules.class, 'Unknown') AS class
    FROM labelled
  )

SELECT
  n.run_id, n.source_id, n.rank, n.thread, n.cpu, n.region, n.sample,
  n.class,
  CASE WHEN n.label IS NULL THEN coalesce(n.verdict.probability, n.by_rules.probability) END
    AS probability,
  CASE WHEN n.label IS NULL AND n.by_rules IS NOT NULL THEN n.by_rules.rules
    WHEN n.label IS NULL AND n.reason IS NULL THEN n.model
  END AS model,
  coalesce(
    list_transform(
      n.verdict.drivers,
      lambda d: {
        'metric': n.names[d.metric + 1], 'contribution': d.contribution, 'deviation': d.deviation
      }
    ),
    list_transform(
      n.by_rules.drivers,
      lambda d: {'metric': d.metric, 'contribution': d.share, 'deviation': d.share}
    )
  ) AS drivers,
  CASE
    WHEN n.label IS NULL AND n.by_rules IS NOT NULL AND n.class = 'Other'
      THEN _slot_advice(n.by_rules.slot)
    ELSE a.advice
  END AS advice,
  CASE
    WHEN n.label IS NOT NULL THEN NULL
    WHEN n.by_rules IS NOT NULL THEN n.by_rules.reason
    WHEN n.reason IS NOT NULL THEN n.reason
    WHEN n.model IS NULL THEN _no_model(n.metric_set, t.whole)
    ELSE n.verdict.reason
  END AS reason,
  CASE
    WHEN n.label IS NOT NULL OR NOT list_contains(n.verdict.hidden, true) THEN n.flags
    ELSE n.flags || _flags(list_filter(
      ['hidden_mem', 'hidden_dtb', 'hidden_icache', 'hidden_dma'],
      lambda code, i: n.verdict.hidden[i]
    ))
  END AS flags,
  n.label.said_by,
  n.metric_set,
  list_filter(n.names, lambda name, i: n.metrics[i] IS NOT NULL) AS metrics_used,
  n.cycles, n.seconds,
  n.verdict.cost[1] AS frac_mem, n.verdict.cost_low[1] AS frac_mem_low,
  n.verdict.cost_high[1] AS frac_mem_high,
  n.verdict.cost[2] AS frac_dtb, n.verdict.cost_low[2] AS frac_dtb_low,
  n.verdict.cost_high[2] AS frac_dtb_high,
  n.verdict.cost[3] AS frac_icache, n.verdict.cost_low[3] AS frac_icache_low,
  n.verdict.cost_high[3] AS frac_icache_high,
  n.verdict.cost[4] AS frac_dma, n.verdict.cost_low[4] AS frac_dma_low,
  n.verdict.cost_high[4] AS frac_dma_high
FROM named AS n
LEFT JOIN class_advice AS a ON n.class = a.class
LEFT JOIN metric_sets AS t ON n.metric_set = t.metric_set;
