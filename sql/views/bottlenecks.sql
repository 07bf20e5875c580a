-- requires: standardised
--
-- One named bottleneck for every sample: the manual label, else the model's verdict.
--
-- The model is loaded once a query (load_model), so that samples stream through
-- classify_bottleneck and a condition on the run reaches the counters.

CREATE OR REPLACE VIEW bottlenecks AS
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

  judged AS (
    SELECT
      s.*, m.model,
      classify_bottleneck(
        CASE WHEN s.reason IS NULL THEN s.metrics END, coalesce(s.cycles, 'NaN'), m.model_number
      ) AS verdict
    FROM sample_metrics AS s
    LEFT JOIN _bottleneck_models AS m USING (metric_set)
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
    SELECT *, coalesce(label.class, verdict.class, 'Unknown') AS class
    FROM labelled
  )

SELECT
  n.run_id, n.source_id, n.rank, n.thread, n.cpu, n.region, n.sample,
  n.class,
  CASE WHEN n.label IS NULL THEN n.verdict.probability END AS probability,
  CASE WHEN n.label IS NULL AND n.reason IS NULL THEN n.model END AS model,
  list_transform(
    n.verdict.drivers,
    lambda d: {
      'metric': n.names[d.metric + 1], 'contribution': d.contribution, 'deviation': d.deviation
    }
  ) AS drivers,
  a.advice,
  CASE
    WHEN n.label IS NOT NULL THEN NULL
    WHEN n.reason IS NOT NULL THEN n.reason
    WHEN n.model IS NULL THEN _no_model(n.metric_set, t.whole)
    ELSE n.verdict.reason
  END AS reason,
  CASE
    WHEN n.label IS NOT NULL OR NOT list_contains(n.verdict.hidden, true) THEN n.flags
    ELSE n.flags || list_filter(
      ['hidden_mem', 'hidden_dtb', 'hidden_icache', 'hidden_dma'],
      lambda flag, i: n.verdict.hidden[i]
    )
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

COMMENT ON VIEW bottlenecks IS 'One row is the verdict on one sample: the class of its bottleneck, how sure that is, what drove it, and the largest possible gain from each component.';
COMMENT ON COLUMN bottlenecks.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bottlenecks.source_id IS 'File it came from (sources.source_id).';
COMMENT ON COLUMN bottlenecks.rank IS 'MPI rank.';
COMMENT ON COLUMN bottlenecks.thread IS 'Thread.';
COMMENT ON COLUMN bottlenecks.cpu IS 'Processor, where counts are per processor.';
COMMENT ON COLUMN bottlenecks.region IS 'Code region or function.';
COMMENT ON COLUMN bottlenecks.sample IS 'Number of the sample within its rank, thread and region.';
COMMENT ON COLUMN bottlenecks.class IS 'Balance, Mem, DTB, ICache, DMA, Other or Unknown; a manual label (bottleneck_labels) comes first.';
COMMENT ON COLUMN bottlenecks.probability IS 'Probability of the likeliest class by the model, 0..1, calibrated on programs that it had not seen; NULL where it is a manual label, where no model was applied, or where the sample is too short or unlike those of the training.';
COMMENT ON COLUMN bottlenecks.model IS 'Model that classified it (kind/version); NULL where it is a manual label or none was applied.';
COMMENT ON COLUMN bottlenecks.drivers IS 'Metrics that drove the model''s verdict, the strongest first: each with its contribution to the logarithm of the odds, and its deviation from the mean of the training in standard deviations.';
COMMENT ON COLUMN bottlenecks.advice IS 'What usually helps (bottleneck_rules).';
COMMENT ON COLUMN bottlenecks.reason IS 'Why it is Unknown; NULL where it is not.';
COMMENT ON COLUMN bottlenecks.flags IS 'What to keep in mind: multiplexed, single_sample, summed, one_kind_of_cores (of a hybrid processor: cpu_core where it was counted), near_32_bits, issue_width_assumed, metrics_missing (sample_metrics.flags); hidden_mem, hidden_dtb, hidden_icache, hidden_dma: its events are frequent, but overlap with other work and cost too little to be the bottleneck.';
COMMENT ON COLUMN bottlenecks.said_by IS 'Person who said the class; NULL where the model did.';
COMMENT ON COLUMN bottlenecks.metric_set IS 'Metric set.';
COMMENT ON COLUMN bottlenecks.metrics_used IS 'Metrics of the set that were measured.';
COMMENT ON COLUMN bottlenecks.cycles IS 'Cycles of the sample.';
COMMENT ON COLUMN bottlenecks.seconds IS 'Length of the sample, s; NULL where unknown.';
COMMENT ON COLUMN bottlenecks.frac_mem IS 'Share of the cycles that would be saved if main memory cost nothing, 0..1: the largest possible gain.';
COMMENT ON COLUMN bottlenecks.frac_mem_low IS 'Lower end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_mem_high IS 'Upper end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_dtb IS 'Share of the cycles that would be saved if data-TLB misses cost nothing, 0..1: the largest possible gain.';
COMMENT ON COLUMN bottlenecks.frac_dtb_low IS 'Lower end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_dtb_high IS 'Upper end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_icache IS 'Share of the cycles that would be saved if instruction-cache misses cost nothing, 0..1: the largest possible gain.';
COMMENT ON COLUMN bottlenecks.frac_icache_low IS 'Lower end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_icache_high IS 'Upper end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_dma IS 'Share of the cycles that would be saved if DMA cost nothing, 0..1: the largest possible gain.';
COMMENT ON COLUMN bottlenecks.frac_dma_low IS 'Lower end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_dma_high IS 'Upper end of its 90 % band.';
