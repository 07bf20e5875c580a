-- What models of the metric set $metric_set can learn from: its samples with their labels and
-- measured cost shares, where there are any. Labels are the rows of the table _training_labels, in
-- which NULL is any rank, thread, region or sample and the narrowest row counts; with $by_people
-- they are the manual labels (bottleneck_labels) instead. Samples of one program belong together;
-- the tag family of a run groups programs of one kind.
WITH
  samples AS MATERIALIZED (
    SELECT
      m.run_id, m.source_id, m.rank, m.thread, m.cpu, m.region, m.sample, m.names, m.metrics,
      row_number() OVER (
        ORDER BY m.run_id, m.source_id, m.rank, m.thread, m.cpu, m.region, m.sample, m.metrics
      ) AS n
    FROM sample_metrics AS m
    JOIN metric_sets AS t USING (metric_set)
    WHERE t.models_of = $metric_set AND m.names_class AND m.reason IS NULL
      AND list_count(m.metrics) = len(m.names)
  ),

  manual AS (
    SELECT *
    FROM bottlenecks
    WHERE $by_people AND said_by IS NOT NULL
      AND run_id IN (SELECT run_id FROM bottleneck_labels)
  ),

  -- which places the labels name: every form is joined by itself, so that no join is a loop
  forms AS (
    SELECT DISTINCT
      rank IS NULL AS any_rank, thread IS NULL AS any_thread, region IS NULL AS any_region,
      sample IS NULL AS any_sample
    FROM _training_labels
  ),

  placed AS (
    SELECT
      s.n, f.any_rank, f.any_thread, f.any_region, f.any_sample, s.run_id,
      CASE WHEN NOT f.any_rank THEN s.rank END AS rank,
      CASE WHEN NOT f.any_thread THEN s.thread END AS thread,
      CASE WHEN NOT f.any_region THEN s.region END AS region,
      CASE WHEN NOT f.any_sample THEN s.sample END AS sample
    FROM samples AS s
    CROSS JOIN forms AS f
    WHERE (f.any_rank OR s.rank IS NOT NULL) AND (f.any_thread OR s.thread IS NOT NULL)
      AND (f.any_region OR s.region IS NOT NULL) AND (f.any_sample OR s.sample IS NOT NULL)
  ),

  matched AS (
    SELECT
      p.n,
      arg_max(
        l,
        CASE WHEN p.any_sample THEN 0 ELSE 8 END + CASE WHEN p.any_region THEN 0 ELSE 4 END
          + CASE WHEN p.any_thread THEN 0 ELSE 2 END + CASE WHEN p.any_rank THEN 0 ELSE 1 END
      ) AS label
    FROM placed AS p
    JOIN _training_labels AS l
      ON p.run_id = l.run_id
      AND p.rank IS NOT DISTINCT FROM l.rank
      AND p.thread IS NOT DISTINCT FROM l.thread
      AND p.region IS NOT DISTINCT FROM l.region
      AND p.sample IS NOT DISTINCT FROM l.sample
    GROUP BY p.n
  ),

  costs AS (
    SELECT
      run_id, rank, thread, region, sample,
      max(share) FILTER (component = 'Mem') AS mem,
      max(share) FILTER (component = 'DTB') AS dtb,
      max(share) FILTER (component = 'ICache') AS icache,
      max(share) FILTER (component = 'DMA') AS dma
    FROM bottleneck_costs
    GROUP BY run_id, rank, thread, region, sample
  )

SELECT
  s.run_id AS run, s.names, s.metrics, coalesce(manual.class, g.label.class) AS label,
  coalesce(g.label.program, r.app, split_part(s.run_id, ' ', 1)) AS program,
  coalesce(g.label.family, r.tags['family']) AS family,
  [
    coalesce(g.label.frac_mem, costs.mem),
    coalesce(g.label.frac_dtb, costs.dtb),
    coalesce(g.label.frac_icache, costs.icache),
    coalesce(g.label.frac_dma, costs.dma)
  ] AS shares
FROM samples AS s
LEFT JOIN runs AS r ON s.run_id = r.run_id
LEFT JOIN matched AS g ON s.n = g.n
LEFT JOIN manual
  ON s.run_id = manual.run_id
  AND s.source_id = manual.source_id
  AND s.rank IS NOT DISTINCT FROM manual.rank
  AND s.thread IS NOT DISTINCT FROM manual.thread
  AND s.cpu IS NOT DISTINCT FROM manual.cpu
  AND s.region IS NOT DISTINCT FROM manual.region
  AND s.sample IS NOT DISTINCT FROM manual.sample
LEFT JOIN costs
  ON s.run_id = costs.run_id
  AND s.rank IS NOT DISTINCT FROM costs.rank
  AND s.thread IS NOT DISTINCT FROM costs.thread
  AND s.region IS NOT DISTINCT FROM costs.region
  AND s.sample IS NOT DISTINCT FROM costs.sample
ORDER BY s.n
