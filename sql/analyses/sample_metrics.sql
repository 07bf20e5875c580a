-- key: run_id VARCHAR
-- scope: run_id
-- reads: pmu_samples, _file_sets, runs
-- requires: flags, settings, sample_metrics, contradictions, counters
-- functions: bottleneck.formulas
--
-- The metrics of every sample: counts combined by its metric set, over its cycles. Of a hybrid
-- processor each kind of cores is a region.

-- inputs
FROM _run_inputs((SELECT list(scope) FROM _scope), 'pmu_samples', 'counting');

-- rows
WITH
  sets AS (
    FROM _file_sets
  ),

  -- the events that count in each file, with their slots and bits
  events AS (
    SELECT
      u.run_id, u.source_id, u.written AS event, u.metric_set, u.names_class, u.samples, u.bit,
      CASE d.role WHEN 'denominator' THEN -1 WHEN 'divisor' THEN -2 ELSE d.position END AS slot,
      u.factor * d.coefficient AS weight,
      row_number() OVER (
        PARTITION BY u.run_id, u.source_id, u.metric_set, u.written ORDER BY d.position NULLS FIRST
      ) = 1 AS is_first,
      -- an event of several formulas counts once
      CASE
        WHEN d.role = 'operand' AND row_number() OVER (
          PARTITION BY u.run_id, u.source_id, u.metric_set, u.written, d.role ORDER BY d.position
        ) = 1
          THEN u.event
      END AS operand
    FROM (
      SELECT run_id, source_id, metric_set, names_class, unnest(events, recursive := true)
      FROM sets
      WHERE is_used
    ) AS u
    JOIN _set_definitions AS d ON u.metric_set = d.metric_set AND u.event = d.event
  ),

  -- events of the sets, and what they are a part of or what is a part of them
  counters AS (
    SELECT
      run_id, source_id, event, metric_set, names_class, slot, bit, is_first, weight, samples,
      operand, NULL AS pair
    FROM events
    UNION ALL
    SELECT
      run_id, source_id, unnest([pair.part, pair.whole]), metric_set, names_class, NULL, 0, false,
      NULL, NULL, NULL, pair
    FROM (
      SELECT
        *,
        unnest(
          list_filter(
            _pairs(in_pairs),
            lambda p: list_has_any(
              [p.part, p.whole], list_transform(events, lambda e: e.written)
            )
          )
        ) AS pair
      FROM sets
      WHERE is_used
    )
  ),

  -- where cores of several kinds counted, what is of no kind is of the larger ones
  of_kinds AS (
    SELECT
      *,
      CASE
        WHEN min(core_type) OVER (PARTITION BY run_id, source_id)
          < max(core_type) OVER (PARTITION BY run_id, source_id)
          THEN coalesce(core_type, 'cpu_core')
      END AS kind
    FROM (SELECT *, _core_type(event) AS core_type FROM counters)
  ),

  -- the issue width that a tag of the run or its machine states, where no event counts it
  widths AS (
    SELECT
      run_id,
      coalesce(TRY_CAST(tags['issue_width'] AS DOUBLE), m.issue_width) AS issue_width
    FROM runs
    LEFT JOIN (
      SELECT machine, max(issue_width) AS issue_width FROM machine_settings GROUP BY machine
    ) AS m USING (machine)
  ),

  counted AS (
    SELECT
      run_id, source_id, s.rank, s.thread, s.cpu,
      CASE WHEN e.kind IS NULL THEN s.region ELSE concat_ws(' ', s.region, e.kind) END AS region,
      s.sample, e.metric_set, e.names_class, e.slot,
      e.bit,
      e.is_first, e.weight, e.samples, e.operand, event AS written, s.t_start, s.t_end, s.seconds,
      CASE WHEN e.pair IS NULL THEN s.running END AS running,
      CASE WHEN isfinite(s.value) AND e.pair IS NULL THEN s.value END AS value,
      CASE
        WHEN isfinite(s.value) AND e.pair IS NOT NULL
          THEN {'pair': e.pair, 'is_part': e.event = e.pair.part, 'value': s.value}
      END AS of_pair
    -- in this order: a condition on the run is one on events, which narrow the counters
    FROM of_kinds AS e
    JOIN pmu_samples AS s USING (run_id, source_id, event)
  ),

  sums AS (
    SELECT
      run_id, source_id, rank, thread, cpu, region, sample, metric_set, names_class,
      sum(value * weight) FILTER (slot = 0) AS s0,
      sum(value * weight) FILTER (slot = 1) AS s1,
      sum(value * weight) FILTER (slot = 2) AS s2,
      sum(value * weight) FILTER (slot = 3) AS s3,
      sum(value * weight) FILTER (slot = 4) AS s4,
      sum(value * weight) FILTER (slot = 5) AS s5,
      sum(value * weight) FILTER (slot = 6) AS s6,
      sum(value * weight) FILTER (slot = 7) AS s7,
      sum(value * weight) FILTER (slot = 8) AS s8,
      sum(value * weight) FILTER (slot = 9) AS s9,
      sum(value * weight) FILTER (slot = 10) AS s10,
      sum(value * weight) FILTER (slot = 11) AS s11,
      sum(value * weight) FILTER (slot = 12) AS s12,
      sum(value * weight) FILTER (slot = 13) AS s13,
      sum(value * weight) FILTER (slot = 14) AS s14,
      sum(value * weight) FILTER (slot = 15) AS s15,
      sum(value * weight) FILTER (slot = -1) AS denominator,
      max(value) FILTER (slot = -2 AND value > 0) AS counted_width,
      coalesce(bit_or(bit) FILTER (value IS NOT NULL), 0) AS mask,
      count(value) FILTER (is_first AND bit > 0 AND value <> 0) > bit_count(mask) AS is_summed,
      max(samples) AS samples,
      max(weight) FILTER (slot >= 0) AS weight,
      coalesce((max(t_end) - min(t_start)) / 1e9, max(seconds)) AS seconds,
      min(running) AS running,
      min(value) AS least,
      max(value) FILTER (slot >= 0) AS most_counted,
      list({'event': operand, 'name': written, 'count': value * weight})
        FILTER (operand IS NOT NULL AND value IS NOT NULL) AS operands,
      list(of_pair) FILTER (of_pair IS NOT NULL) AS of_pairs,
      bool_or(value BETWEEN 4290672328 AND 4294967295) AS is_near_32_bits,
      bool_or(value BETWEEN 281200099000000 AND 281474976710655) AS is_near_48_bits
    FROM counted
    GROUP BY run_id, source_id, rank, thread, cpu, region, sample, metric_set, names_class
  ),

  placed AS (
    SELECT
      s.* EXCLUDE (of_pairs),
      list_filter(
        of_pairs,
        lambda p: p.is_part AND _exceeds(
          list_sum([q.value for q in of_pairs if q.is_part AND q.pair = p.pair]),
          list_sum([q.value for q in of_pairs if NOT q.is_part AND q.pair = p.pair])
        )
      )[1].pair AS contradiction,
      l AS layout, nullif(s.denominator, 0) AS per,
      coalesce(s.counted_width, w.issue_width, l.assumed_width, 1) AS issue_width,
      l.divided > 0 AND s.counted_width IS NULL AND w.issue_width IS NULL AS is_width_assumed
    FROM sums AS s
    JOIN _set_layout AS l USING (metric_set)
    LEFT JOIN widths AS w USING (run_id)
  ),

  written AS (
    SELECT
      * EXCLUDE (s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15),
      CASE
        WHEN layout.formulas IS NOT NULL THEN evaluate_formulas(
          layout.names, layout.formulas,
          list_transform(operands, lambda o: o.event), list_transform(operands, lambda o: o.name),
          list_transform(operands, lambda o: o.count)
        )
        ELSE [
        _metric(s0, 0, mask, layout, per, issue_width),
        _metric(s1, 1, mask, layout, per, issue_width),
        _metric(s2, 2, mask, layout, per, issue_width),
        _metric(s3, 3, mask, layout, per, issue_width),
        _metric(s4, 4, mask, layout, per, issue_width),
        _metric(s5, 5, mask, layout, per, issue_width),
        _metric(s6, 6, mask, layout, per, issue_width),
        _metric(s7, 7, mask, layout, per, issue_width),
        _metric(s8, 8, mask, layout, per, issue_width),
        _metric(s9, 9, mask, layout, per, issue_width),
        _metric(s10, 10, mask, layout, per, issue_width),
        _metric(s11, 11, mask, layout, per, issue_width),
        _metric(s12, 12, mask, layout, per, issue_width),
        _metric(s13, 13, mask, layout, per, issue_width),
        _metric(s14, 14, mask, layout, per, issue_width),
        _metric(s15, 15, mask, layout, per, issue_width)
        ][1:layout.metrics]
      END AS metrics
    FROM placed
  ),

  -- shares whose name is one of per cent, but which add up to 1 as they are written
  measured AS (
    SELECT
      * REPLACE (
        CASE
          WHEN layout.shares > 0 AND layout.whole > 0 AND weight = 0.01
            AND abs(list_sum(metrics[1:layout.whole]) - 0.01) < 0.0005
            THEN list_transform(metrics, lambda share: share / 0.01)
          ELSE metrics
        END AS metrics
      )
    FROM written
  ),

  judged AS (
    SELECT
      *,
      CASE
        WHEN least < 0 AND layout.shares > 0
          THEN _flag('share_negative')
        WHEN least < 0 THEN _flag('counter_negative')
        WHEN layout.has_denominator AND denominator IS NULL THEN _flag('cycles_not_counted')
        WHEN denominator = 0 THEN _flag('cycles_zero')
        WHEN is_near_48_bits THEN _flag('near_48_bits')
        WHEN layout.shares = 0 AND most_counted > 1000 * denominator
          THEN _flag('many_counts')
        WHEN NOT is_width_assumed AND metrics[layout.ipc] > 2
          THEN _flag('many_instructions')
        WHEN is_width_assumed AND metrics[layout.ipc] * issue_width > _too_many_instructions()
          THEN _flag('impossible_instructions')
        WHEN metrics[layout.ipc] = 0 AND denominator > 1e6
          THEN _flag('no_instructions')
        WHEN contradiction IS NOT NULL
          THEN _flag('part_above_whole', MAP {
            'part': contradiction.part, 'whole': contradiction.whole
          })
        WHEN layout.shares > 0 AND is_summed THEN _flag('share_repeated')
        WHEN layout.whole > 0 AND list_count(metrics[1:layout.whole]) < layout.whole
          AND list_sum(metrics[1:layout.whole]) <= 0.95
          THEN _flag('shares_missing')
        WHEN layout.whole > 0 AND NOT abs(list_sum(metrics[1:layout.whole]) - 1) < 0.05
          THEN _flag('shares_off', MAP {
            'sum': CAST(round(list_sum(metrics[1:layout.whole]), 2) AS VARCHAR)
          })
        WHEN layout.whole > 0 AND NOT layout.has_denominator AND list_max(metrics) > 1.05
          THEN _flag('share_above_1')
        WHEN layout.whole > 0 AND layout.has_denominator AND (
          _is_above(metrics, layout.names, 'branch_mispredict', 'bad_speculation')
          OR _is_above(metrics, layout.names, 'frontend_latency', 'frontend_bound')
          OR _is_above(metrics, layout.names, 'memory_bound', 'backend_bound')
          OR _is_above(metrics, layout.names, 'heavy_operations', 'retiring')
        )
          THEN _flag('share_above_category')
      END AS reason
    FROM measured
  ),

  -- the files of runs without a metric of any set
  unfit AS (
    SELECT run_id, source_id
    FROM sets
    GROUP BY run_id, source_id
    QUALIFY NOT bool_or(bool_or(has_metrics)) OVER (PARTITION BY run_id)
  )

SELECT
  run_id, source_id, rank, thread, cpu, region, sample, metric_set,
  layout.names AS names, metrics, denominator AS cycles, seconds, issue_width, running, reason,
  _flags(
    [
      CASE WHEN running < 1 THEN 'multiplexed' END,
      CASE WHEN samples = 1 THEN 'single_sample' END,
      CASE WHEN is_summed THEN 'summed' END,
      CASE WHEN is_near_32_bits THEN 'near_32_bits' END,
      CASE WHEN is_width_assumed THEN 'issue_width_assumed' END,
      CASE WHEN list_count(metrics) < layout.metrics THEN 'metrics_missing' END
    ]
  ) AS flags,
  names_class
FROM judged
UNION ALL
SELECT
  run_id, source_id, rank, thread, cpu, region, sample, NULL, NULL, NULL, NULL, seconds, NULL, NULL,
  CASE
    WHEN list_has_any(
      list_transform(uncounted, lambda event: _event_key(_event_name(event))),
      (SELECT list_append(list(_event_key(alias)), 'cycles') FROM event_aliases WHERE event = 'cycles')
    )
      THEN _flag('uncountable', MAP {
        'events': array_to_string(uncounted[1:6], ', ')
          || CASE WHEN len(uncounted) > 6 THEN ' ...' ELSE '' END
      })
    ELSE _flag('no_known_metric')
  END, [], true
FROM (
  SELECT
    run_id, source_id, rank, thread, cpu, region, sample,
    coalesce((max(t_end) - min(t_start)) / 1e9, max(seconds)) AS seconds,
    list_sort(list(DISTINCT event) FILTER (value IS NULL)) AS uncounted
  FROM unfit
  JOIN pmu_samples USING (run_id, source_id)
  GROUP BY run_id, source_id, rank, thread, cpu, region, sample
);
