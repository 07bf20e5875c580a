-- requires: flags, explanations_sides, explanations_ledger, comparison, counters, functions, gpu, idle_sums
--
-- What changed between two groups of runs in the metrics that `comparison` compares: the main
-- metric, devices, functions, counters, results of benchmarks and idle time, each with the figures
-- that it has there.
--
-- explanations.sql keeps `relevant` rows where the change is certain, `notable` rows where nothing
-- is known of the noise, and `found` rows in any case. `query` lacks its last condition, on runs.

CREATE OR REPLACE MACRO _explain_metrics(pairs) AS TABLE
WITH
  compared AS MATERIALIZED (
    SELECT
      * EXCLUDE (app, machine, configuration_id, place),
      {
        'unit': unit, 'before': "before", 'after': "after", 'runs_before': runs_before,
        'runs_after': runs_after
      } AS amount
    FROM _compared(pairs, 0.95, ['*'], true)
  ),

  shared AS (
    FROM compared WHERE runs_before > 0 AND runs_after > 0
  ),

  stated AS (
    SELECT s.id, coalesce(any_value(s.judged_by), max(r.tags['main_metric'])) AS metric
    FROM (SELECT unnest(pairs, recursive := true)) AS s
    JOIN runs AS r ON s.run_id = r.run_id
    GROUP BY s.id
  ),

  main AS (
    SELECT
      c.*, 'metric' AS topic, c.metric AS subject, CAST(NULL AS DOUBLE) AS share,
      true AS relevant, true AS notable, true AS found, _flags([]) AS flags,
      'run_metrics' AS source, 'version, value' AS columns, 'metric' AS field, c.metric AS wanted
    FROM shared AS c
    LEFT JOIN stated AS s ON c.id = s.id AND c.metric = s.metric
    LEFT JOIN _main_order AS o ON c.metric = o.metric
    WHERE s.metric IS NOT NULL OR o.metric IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY c.id ORDER BY s.metric IS NULL, o.place) = 1
  ),

  totals AS (
    SELECT *, if(metric = 'device:window', 'device', 'function') AS topic
    FROM shared
    WHERE metric IN ('functions:seconds', 'functions:cost', 'device:window')
  ),

  -- What functions have shares of: the main metric, where it has them as parts; beside devices the
  -- time of the host.
  wholes AS (
    SELECT
      t.id, t.unit, t.topic, t.metric,
      NOT bool_or(t.topic = 'device') OVER (PARTITION BY t.id) AND _are_parts(t.amount, m.amount) AS is_of_main,
      if(is_of_main, m."before", t."before") AS whole,
      if(is_of_main, m."after" - m."before", t."after" - t."before") AS loss
    FROM totals AS t
    LEFT JOIN main AS m ON t.id = m.id
  ),

  -- functions, and the work and idle time of devices: parts of a total
  parts AS (
    SELECT
      c.*, t.topic, t.whole, c."after" - c."before" AS more, t.loss,
      -- where the total hardly changed, shares of the change mean nothing
      CASE WHEN abs(t.loss) >= 0.01 * t.whole THEN more / nullif(t.loss, 0) END AS share,
      c.p_value < 0.05 AS passes,
      abs(more) >= greatest(0.01 * t.whole, 0.05 * abs(t.loss)) AS notable,
      coalesce(passes, false) AND abs(more) >= 0.002 * t.whole AS relevant,
      relevant OR c.verdict IN ('new', 'gone') AND abs(more) >= 0.01 * t.whole
        OR c.is_separated AND notable AS found
    FROM compared AS c
    JOIN wholes AS t
      ON c.id = t.id AND c.unit = t.unit
      AND t.topic = if(c.function IS NULL, 'device', 'function')
    WHERE _has_whole(c.metric) AND c.metric <> t.metric
  ),

  -- Where what is found explains less than half of the loss, the largest shares of the rest.
  ranked AS (
    SELECT
      *,
      passes IS NOT NULL AND NOT found AND notable AND share > 0
        AND coalesce(sum(share) FILTER (found) OVER (PARTITION BY id, topic), 0) < 0.5
        AND row_number() OVER (
          PARTITION BY id, topic ORDER BY found, share DESC NULLS LAST, metric
        ) <= 3 AS largest
    FROM parts
  ),

  -- Events that are compared by cycles: those of which all runs have the rate.
  rated AS (
    SELECT
      r.id, r.metric, c.metric AS "count",
      c.verdict IN ('worse', 'better') AS is_directed,
      abs(c."after" - c."before") <= 0.05 * abs(c."before") AS is_same
    FROM shared AS c
    JOIN shared AS r ON c.id = r.id AND r.metric = 'per_cycle:' || substr(c.metric, 9)
    WHERE starts_with(c.metric, 'counter:')
      AND r.runs_before = c.runs_before AND r.runs_after = c.runs_after
      -- cycles per cycle are no rate
      AND NOT (r."before" = 1 AND r."after" = 1)
  ),

  events AS (
    -- a rate by cycles has no direction of its own, but that of its count, where that changed
    SELECT c.* REPLACE (if(r.is_directed, 'lower', NULL) AS better),
      _flags([if(r.is_same, 'same_count', NULL)]) AS flags
    FROM shared AS c
    JOIN rated AS r ON c.id = r.id AND c.metric = r.metric
    UNION ALL
    SELECT c.*, []
    FROM shared AS c
    ANTI JOIN rated AS r ON c.id = r.id AND c.metric = r."count"
    WHERE starts_with(c.metric, 'counter:')
  ),

  every AS (
    FROM main
    UNION ALL
    SELECT
      t.* EXCLUDE (topic), t.topic, NULL, NULL, abs("after" - "before") >= 0.002 * "before",
      abs("after" - "before") >= 0.01 * "before",
      -- shares are shares of it
      EXISTS (
        FROM ranked AS r
        WHERE r.id = t.id AND r.unit = t.unit AND r.topic = t.topic AND (r.found OR r.largest)
      ),
      [], 'run_metrics', 'version, value', 'metric', metric
    FROM totals AS t
    UNION ALL
    SELECT
      * EXCLUDE (topic, whole, more, loss, share, passes, notable, relevant, found, largest),
      topic, coalesce(function, regexp_replace(metric, '^device:\w+:', '')), share, relevant, notable, found OR largest,
      _flags(
        [
          if(verdict IN ('new', 'gone'), verdict, NULL),
          if(is_separated AND passes IS NOT TRUE, 'separated', NULL),
          if(largest, 'largest', NULL)
        ]
      ) || if(
        renamed_from IS NULL, _flags([]), [_flag('renamed', MAP {'from': renamed_from})]
      ),
      CASE
        WHEN starts_with(metric, 'cost:') THEN 'function_costs'
        WHEN function IS NOT NULL THEN 'function_shares'
        WHEN starts_with(metric, 'device:idle:') THEN 'gpu_late'
        ELSE 'gpu_kernels'
      END,
      CASE
        WHEN starts_with(metric, 'cost:') THEN 'cost, share'
        WHEN function IS NOT NULL THEN 'seconds, share'
        WHEN starts_with(metric, 'device:idle:') THEN 'device, step, name, idle_ns'
        ELSE 'device, name, operator, calls, seconds'
      END,
      CASE
        WHEN function IS NOT NULL THEN 'function'
        WHEN starts_with(metric, 'device:idle:') THEN 'doing'
        ELSE 'operation'
      END,
      coalesce(function, regexp_replace(metric, '^device:\w+:', ''))
    FROM ranked
    UNION ALL
    SELECT
      * EXCLUDE (flags), 'counter', regexp_replace(metric, '^\w+:', ''), NULL,
      abs("after" - "before") >= 0.02 * greatest(abs("after"), abs("before")),
      abs("after" - "before") >= 0.1 * greatest(abs("after"), abs("before")), false, flags,
      'counter_summary', 'value, per_cycle', 'event', regexp_replace(metric, '^\w+:', '')
    FROM events AS e
    WHERE "after" <> "before"
      AND NOT EXISTS (FROM main AS m WHERE m.id = e.id AND m.metric = e.metric)
    UNION ALL
    SELECT
      *, 'benchmark', regexp_replace(metric, '^metric:', ''), NULL,
      abs("after" - "before") >= 0.005 * greatest(abs("after"), abs("before")),
      abs("after" - "before") >= 0.1 * greatest(abs("after"), abs("before")), false, [],
      'run_metrics', 'version, value', 'metric', metric
    FROM shared AS s
    WHERE starts_with(metric, 'metric:')
      AND NOT EXISTS (FROM main AS m WHERE m.id = s.id AND m.metric = s.metric)
    UNION ALL
    SELECT
      * REPLACE (
        metric[6:] || '_percent' AS metric, '% of workers x window' AS unit, 'lower' AS better
      ),
      'idle', metric[6:], NULL, abs("after" - "before") >= 0.5, abs("after" - "before") >= 1,
      false, [], 'slo_by_run', 'busy_percent, ' || metric[6:] || '_percent, root_cause', 'mode',
      'transitive'
    FROM shared
    WHERE starts_with(metric, 'idle:')
    UNION ALL
    -- what tells the mechanism, also where it is as before
    SELECT
      *, 'evidence', regexp_replace(metric, '^\w+:', ''), NULL, false, false, false, [], NULL, NULL,
      NULL, NULL
    FROM shared
    WHERE _role_name(metric) IN (SELECT name FROM _roles)
  ),

  -- calls of a run; absent functions were not called
  called AS (
    SELECT
      s.id, f.function, sum(f.total_calls) FILTER (NOT s.is_after) / any_value(n.before) AS before,
      sum(f.total_calls) FILTER (s.is_after) / any_value(n.after) AS after
    FROM (SELECT unnest(pairs, recursive := true)) AS s
    JOIN (
      SELECT
        id, count(DISTINCT run_id) FILTER (NOT is_after) AS before,
        count(DISTINCT run_id) FILTER (is_after) AS after
      FROM (SELECT unnest(pairs, recursive := true))
      WHERE run_id IN (SELECT run_id FROM fn_timings WHERE calls IS NOT NULL)
      GROUP BY id
    ) AS n ON s.id = n.id
    JOIN function_shares AS f ON s.run_id = f.run_id
    WHERE _is_of(f.run_id, _run_ids(pairs)) AND f.total_calls IS NOT NULL
    GROUP BY s.id, f.function
  ),

  -- what devices did by operator of the framework, and why they idled by name
  of_devices AS (
    SELECT run_id, 'device:work:' || o.operation AS metric, o.operator AS name, o.ns, o.calls
    FROM (
      SELECT run_id, unnest(operators) AS o
      FROM _gpu_sums
      WHERE _is_of(run_id, _run_ids(pairs)) AND stream IS NULL AND NOT is_step
    )
    UNION ALL
    SELECT run_id, 'device:idle:' || doing, name, idle_ns, NULL
    FROM gpu_late
    WHERE _is_of(run_id, _run_ids(pairs))
  ),

  of_names AS (
    SELECT
      s.id, f.metric, f.name, sum(f.calls) FILTER (NOT s.is_after) / s.before AS calls_before,
      sum(f.calls) FILTER (s.is_after) / s.after AS calls_after,
      coalesce(sum(f.ns) FILTER (s.is_after), 0) / s.after
        - coalesce(sum(f.ns) FILTER (NOT s.is_after), 0) / s.before AS more
    FROM (
      SELECT
        *, count(*) FILTER (NOT is_after) OVER (PARTITION BY id) AS before,
        count(*) FILTER (is_after) OVER (PARTITION BY id) AS after
      FROM (SELECT unnest(pairs, recursive := true))
    ) AS s
    JOIN of_devices AS f ON s.run_id = f.run_id
    GROUP BY s.id, f.metric, f.name, s.before, s.after
  ),

  -- the name with most of a change
  named AS (
    SELECT
      id, metric, sum(calls_before) AS before, sum(calls_after) AS after,
      arg_max(name, more * sign(whole)) FILTER (more * sign(whole) > 0) AS name
    FROM (SELECT *, sum(more) OVER (PARTITION BY id, metric) AS whole FROM of_names)
    GROUP BY id, metric
  ),

  dominant AS (
    SELECT
      s.id, mode(i.root_cause) FILTER (NOT s.is_after) AS before_label,
      mode(i.root_cause) FILTER (s.is_after) AS after_label
    FROM (SELECT unnest(pairs, recursive := true)) AS s
    JOIN slo_by_run AS i ON s.run_id = i.run_id
    WHERE _is_of(i.run_id, _run_ids(pairs)) AND i.mode = 'direct' AND i.latency_rule = 'union'
    GROUP BY s.id
  )

SELECT
  e.id, e.topic, e.subject, e.metric, e.unit, e."before", e."after", e.low, e.high,
  d.before_label, coalesce(d.after_label, n.name) AS after_label, e.share, e.better,
  CASE
    WHEN e.p_value IS NOT NULL THEN coalesce(
      e.p_value < 0.05 AND abs(coalesce(e.ratio, 'infinity') - 1) >= e.smallest_change, false
    )
  END AS certain,
  e.p_value, e.runs_before, e.runs_after, coalesce(o.before, k.before, n.before) AS calls_before,
  coalesce(k.after, n.after) AS calls_after, e.noise, e.relevant, e.notable, e.found, e.flags,
  'SELECT run_id, ' || e.columns || ' FROM ' || e.source || ' WHERE ' || e.field || ' = '
    || _quoted(e.wanted) || if(e.topic = 'idle', ' AND latency_rule = ''union''', '') || ' AND '
    AS query
FROM every AS e
LEFT JOIN dominant AS d ON e.id = d.id AND e.topic = 'idle'
LEFT JOIN called AS k ON e.id = k.id AND e.topic = 'function' AND e.function = k.function
-- by its name before
LEFT JOIN called AS o ON e.id = o.id AND e.topic = 'function' AND e.name_before = o.function
LEFT JOIN named AS n ON e.id = n.id AND e.topic = 'device' AND e.metric = n.metric;
