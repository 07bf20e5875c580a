-- requires: change_points, run_values, sides
--
-- Two sets of runs side by side: what changed, by how much, and whether that is beyond the noise.
--
-- Each run is one value: repetitions within a process do not show the noise between processes. Only
-- where nothing else does, they say what is known of it. Nor do runs of one commit show that between
-- commits: of a side of several commits each is one value.
-- Where a side has several configurations (fields of series_fields, and the parallelism), equal
-- configurations are compared. Where both have one, these are compared even if they differ.

-- Function of a metric that is the time or cost of one; NULL of others.
CREATE OR REPLACE MACRO _function_of(metric) AS nullif(
  CASE
    WHEN starts_with(metric, 'seconds:') THEN substr(metric, 9)
    WHEN starts_with(metric, 'cost:') THEN substr(metric, 6)
  END,
  ''
);

-- Whether a metric is a part of a whole: a run that has other parts and lacks it spent none on it.
CREATE OR REPLACE MACRO _has_whole(metric) AS
  _function_of(metric) IS NOT NULL OR starts_with(metric, 'device:');

-- Metrics that vary alike between equal runs: the times of all functions do, and their costs, which
-- are counted.
CREATE OR REPLACE MACRO _likeness(metric) AS
  CASE WHEN _function_of(metric) IS NULL THEN metric ELSE split_part(metric, ':', 1) || ':*' END;

-- Metrics that a comparison is about: the time or cost of the whole run.
CREATE OR REPLACE MACRO _is_leading(metric) AS
  metric IN ('wall_seconds', 'functions:seconds', 'functions:cost');

-- Whether a run is one of the first of its series, which show the noise of earlier ones, too: before
-- them there are too few.
CREATE OR REPLACE MACRO _is_first(place) AS coalesce(place <= 20, false);

-- Runs that show their noise no better than others do.
CREATE OR REPLACE MACRO _are_few(runs) AS len(runs) BETWEEN 1 AND 3;

-- The values of a list of structs in the order of `at`. Not list(value ORDER BY at), which takes the
-- memory of 2048 rows for each group of 17 or more.
CREATE OR REPLACE MACRO _values_in_order(points) AS
  list_transform(list_sort(points), lambda point: point.value);

-- The values of the points of a side, in their order: runs of one commit are repetitions of one point,
-- whose value is their median. A side of one point has the values of its runs.
CREATE OR REPLACE MACRO _values_of_points(runs) AS CASE
  WHEN len(list_distinct(list_transform(runs, lambda run: run.point))) IN (1, len(runs))
    THEN _values_in_order(runs)
  ELSE list_transform(
    list_sort(list_distinct(list_transform(runs, lambda run: run.point))),
    lambda point: list_median(
      list_transform(list_filter(runs, lambda run: run.point = point), lambda run: run.value)
    )
  )
END;

-- How far a deterministic tool's counts vary between equal runs, relative: those of some functions
-- with addresses, hashes and time, their sum less (tests/bench/bench_counts.py).
CREATE OR REPLACE MACRO _count_deviation(metric) AS
  if(_function_of(metric) IS NULL, 1e-3, 1e-2);

-- What is known of the noise of a value within its run, in the square of its unit: `known` is the part
-- of its variance that is known, `variance` that of one of its repetitions, with its degrees of
-- freedom, where those are what it rests on. `grain` is what one sample of its profile counts. What was seen k times may be
-- sqrt(k) off; what was never seen is fewer than 3 samples' worth, twice this deviation.
CREATE OR REPLACE MACRO _within_run(metric, value, measurements, deviation, grain) AS CASE
  WHEN deviation = 0 THEN {
    'known': NULL, 'variance': (value * _count_deviation(metric)) ** 2, 'freedom': NULL,
    'noise': 'counts'
  }
  WHEN deviation IS NOT NULL THEN {
    'known': (value * deviation) ** 2 / coalesce(measurements, 1),
    'variance': (value * deviation) ** 2,
    -- how often a mean with its deviation was measured is not known: seldom
    'freedom': coalesce(measurements, 5) - 1, 'noise': 'repetitions'
  }
  WHEN grain IS NOT NULL THEN {
    'known': grain ** 2 * greatest(value / grain, 2.25), 'variance': NULL, 'freedom': NULL,
    'noise': NULL
  }
END;

-- The metrics of many comparisons at once, each with the runs `_sides`. With `pooled` a side is one
-- configuration, whatever its runs.
CREATE OR REPLACE MACRO _compared(pairs, level, patterns, pooled) AS TABLE
WITH
  sides AS (
    SELECT DISTINCT ON (id, is_after, run_id) *
    FROM (SELECT unnest(pairs, recursive := true))
  ),

  measured AS (
    SELECT *
    FROM _run_values(_run_ids(pairs))
    WHERE isfinite(value) AND _matches_any(metric, patterns)
  ),

  -- in the order of commits, with the place in the series, once for all that needs it
  ordered AS MATERIALIZED (
    SELECT c.run_id, c.configuration_id, c.repeats, c.counted_at, c.position, p.place
    FROM _run_commits AS c
    LEFT JOIN _run_places AS p ON c.run_id = p.run_id
  ),

  named AS (
    SELECT
      s.id, s.is_after, m.run_id, r.started_at, r.app, r.machine, c.configuration_id,
      _point_of(m.run_id, c.repeats, coalesce(c.counted_at, r.started_at), c.position) AS point,
      CASE
        WHEN m.parallelism IS NULL OR r.parallelism IS NOT NULL THEN r.configuration
        ELSE map_concat(r.fields, MAP {'parallelism': CAST(m.parallelism AS VARCHAR)})
      END AS fields,
      -- the place in its series, which know no parallelism
      CASE WHEN m.parallelism IS NULL THEN c.place END AS nth,
      m.metric, m.value, m.unit, m.measurements, m.deviation
    FROM measured AS m
    JOIN sides AS s ON m.run_id = s.run_id
    JOIN run_configurations AS r ON m.run_id = r.run_id
    LEFT JOIN ordered AS c ON m.run_id = c.run_id
  ),

  -- Functions that one side lacks, with what tells whether they were moved or renamed.
  one_sided AS (
    SELECT
      id, split_part(metric, ':', 1) AS prefix, unit, metric, any_value(is_after) AS is_after,
      avg(value) AS cost
    FROM named
    WHERE _function_of(metric) IS NOT NULL AND value > 0
    GROUP BY id, prefix, unit, metric
    HAVING bool_or(is_after) = bool_and(is_after)
      -- what was sampled less often can be missing by chance
      AND coalesce(max(measurements), 5) >= 5
    QUALIFY bool_or(any_value(is_after)) OVER (PARTITION BY id, prefix, unit)
      AND NOT bool_and(any_value(is_after)) OVER (PARTITION BY id, prefix, unit)
  ),

  called AS (
    SELECT DISTINCT s.id, s.is_after, p.callpath[-1] AS function, p.callpath[-2] AS caller
    FROM (
      SELECT run_id, _path_parts(callpath) AS callpath
      FROM fn_timings
      WHERE callpath IS NOT NULL AND _is_of(run_id, _run_ids(pairs))
        AND run_id IN (SELECT run_id FROM named SEMI JOIN one_sided USING (id))
      UNION ALL
      SELECT run_id, _path_parts(region)
      FROM pmu_samples
      WHERE contains(region, '->') AND _is_of(run_id, _run_ids(pairs))
        AND run_id IN (SELECT run_id FROM named SEMI JOIN one_sided USING (id))
    ) AS p
    JOIN sides AS s ON p.run_id = s.run_id
    WHERE len(p.callpath) > 1
  ),

  identities AS (
    SELECT
      id, prefix, unit,
      unnest(
        match_functions(
          list(one) FILTER (NOT is_after), list(one) FILTER (is_after)
        )
      ) AS names
    FROM (
      SELECT
        o.id, o.prefix, o.unit, o.is_after,
        {
          'name': _function_of(o.metric),
          'callers': list(c.caller ORDER BY c.caller) FILTER (c.caller IS NOT NULL), 'cost': any_value(o.cost)
        } AS one
      FROM one_sided AS o
      LEFT JOIN called AS c
        ON o.id = c.id AND o.is_after = c.is_after AND _function_of(o.metric) = c.function
      GROUP BY o.id, o.prefix, o.unit, o.is_after, o.metric
    )
    GROUP BY id, prefix, unit
  ),

  -- A function that was moved or renamed has its name after; where a side lists it by both, the one
  -- that took time counts.
  placed AS (
    SELECT
      n.* REPLACE (coalesce(i.prefix || ':' || i.names.after, n.metric) AS metric),
      i.names.before AS name_before, i.names.is_renamed AS is_renamed
    FROM named AS n
    LEFT JOIN (
      SELECT *, prefix || ':' || unnest([names.before, names.after]) AS metric FROM identities
    ) AS i
      ON n.id = i.id AND n.unit = i.unit AND n.metric = i.metric
    WHERE i.metric IS NULL OR n.value > 0
  ),

  single AS (
    SELECT
      id,
      pooled OR (
        count(DISTINCT fields) FILTER (NOT is_after) <= 1
        AND count(DISTINCT fields) FILTER (is_after) <= 1
      ) AS yes
    FROM placed
    GROUP BY id
  ),

  keyed AS (
    SELECT
      p.*, CASE WHEN s.yes THEN MAP {} ELSE p.fields END AS configuration,
      CASE WHEN _function_of(p.metric) IS NOT NULL
        THEN max(p.value / nullif(p.measurements, 0)) FILTER (p.deviation IS NULL)
          OVER (PARTITION BY p.id, p.run_id, split_part(p.metric, ':', 1), p.unit)
      END AS grain
    FROM placed AS p
    JOIN single AS s ON p.id = s.id
  ),

  -- A run in which other functions or devices were measured spent no time in what it lacks.
  profiled AS (
    SELECT
      id, configuration, run_id, any_value(is_after) AS is_after, any_value(point) AS point,
      any_value(started_at) AS started_at, any_value(fields) AS fields,
      any_value(configuration_id) AS configuration_id, any_value(app) AS app,
      any_value(machine) AS machine, any_value(nth) AS nth,
      split_part(metric, ':', 1) AS prefix, unit, any_value(grain) AS grain
    FROM keyed
    WHERE _has_whole(metric)
    GROUP BY id, configuration, run_id, prefix, unit
  ),

  functions AS (
    SELECT DISTINCT id, configuration, metric, split_part(metric, ':', 1) AS prefix, unit
    FROM keyed
    WHERE _has_whole(metric)
  ),

  filled AS (
    SELECT
      id, configuration, metric, unit, is_after, point, run_id, started_at, fields, configuration_id,
      app, machine, nth, value, false AS is_absent, name_before, is_renamed,
      _within_run(metric, value, measurements, deviation, grain) AS within
    FROM keyed
    UNION ALL
    SELECT
      f.id, f.configuration, f.metric, f.unit, r.is_after, r.point, r.run_id, r.started_at,
      r.fields, r.configuration_id, r.app, r.machine, r.nth, 0, _function_of(f.metric) IS NOT NULL, NULL,
      NULL,
      _within_run(f.metric, 0, NULL, NULL, r.grain)
    FROM functions AS f
    JOIN profiled AS r
      ON f.id = r.id AND f.configuration = r.configuration AND f.prefix = r.prefix
      AND f.unit = r.unit
    ANTI JOIN keyed AS k
      ON k.id = f.id AND k.configuration = f.configuration AND k.metric = f.metric
      AND k.run_id = r.run_id
  ),

  listed AS (
    SELECT
      id, configuration, metric, any_value(unit) AS unit, _function_of(metric) AS function,
      coalesce(
        list({'point': point, 'at': {'started_at': started_at, 'run_id': run_id}, 'value': value})
          FILTER (NOT is_after),
        []
      ) AS runs_before,
      coalesce(
        list({'point': point, 'at': {'started_at': started_at, 'run_id': run_id}, 'value': value})
          FILTER (is_after),
        []
      ) AS runs_after,
      -- whether one side comes after the other: points in their order, runs of one by their starts
      CASE
        WHEN count(DISTINCT point) > 2 THEN
          CASE
            WHEN max(point) FILTER (NOT is_after) < min(point) FILTER (is_after) THEN 1
            WHEN max(point) FILTER (is_after) < min(point) FILTER (NOT is_after) THEN -1
            ELSE 0
          END
        WHEN count(*) > count(started_at) THEN 0
        WHEN max(started_at) FILTER (NOT is_after) < min(started_at) FILTER (is_after) THEN 1
        WHEN max(started_at) FILTER (is_after) < min(started_at) FILTER (NOT is_after) THEN -1
        ELSE 0
      END AS "order",
      any_value(name_before) AS name_before, any_value(is_renamed) AS is_renamed,
      -- a function that one side does not list is neither where it took no time in the other
      bool_or(is_absent) AND NOT bool_or(value > 0) AS is_idle,
      -- what a profiler has not sampled may have run
      NOT is_idle AND coalesce(bool_and(is_absent AND within IS NULL) FILTER (NOT is_after), true)
        AS is_new,
      NOT is_idle AND coalesce(bool_and(is_absent AND within IS NULL) FILTER (is_after), true)
        AS is_gone,
      avg(within.known) FILTER (NOT is_after) AS known_before,
      avg(within.known) FILTER (is_after) AS known_after,
      avg(within.variance) FILTER (NOT is_after) AS variance_before,
      avg(within.variance) FILTER (is_after) AS variance_after,
      least(
        sum(within.freedom) FILTER (NOT is_after), sum(within.freedom) FILTER (is_after)
      ) AS freedom,
      CASE WHEN bool_and(within.noise IS NOT NULL) THEN min(within.noise) END AS noise,
      any_value(fields) FILTER (NOT is_after) AS fields_before,
      any_value(fields) FILTER (is_after) AS fields_after,
      any_value(configuration_id) FILTER (NOT is_after) AS configuration_before,
      any_value(configuration_id) FILTER (is_after) AS configuration_after,
      arg_max(app, is_after) AS app,
      arg_max(machine, is_after) AS machine,
      CASE WHEN count(*) = count(nth) AND min(configuration_id) = max(configuration_id)
        THEN _series_id(any_value(configuration_id), metric) END AS series_id,
      min(nth) FILTER (NOT is_after) AS before_first, max(nth) FILTER (NOT is_after) AS before_last,
      min(nth) FILTER (is_after) AS after_first, max(nth) FILTER (is_after) AS after_last
    FROM filled
    -- costs in several events, as of a heap and of instructions, are several metrics
    GROUP BY id, configuration, metric,
      CASE WHEN _function_of(metric) IS NOT NULL OR metric = 'functions:cost' THEN unit END
    -- other values in several units cannot be compared
    HAVING count(DISTINCT unit) <= 1
  ),

  lists AS (
    SELECT
      * REPLACE (len(runs_before) AS runs_before, len(runs_after) AS runs_after),
      _values_of_points(runs_before) AS before, _values_of_points(runs_after) AS after
    FROM listed
  ),

  -- The one change of the history between the two sides, where there is one: from the level that all
  -- runs of one side are in to that of the other.
  steps AS (
    SELECT
      id, configuration, metric, unit, is_back, any_value(found) AS step,
      -- whether it is what is asked for
      any_value(if(is_back, s.against, s.runs) = list_sort(found.runs)
        AND if(is_back, s.runs, s.against) = list_sort(found.against)) AS is_own
    FROM (
      SELECT
        l.id, l.configuration, l.metric, l.unit, l.after_last < l.before_first AS is_back,
        least(l.before_first, l.after_first) AS first, greatest(l.before_last, l.after_last) AS last,
        if(is_back, l.after_last, l.before_last) AS until,
        if(is_back, l.before_first, l.after_first) AS since,
        unnest(s.changes) AS found
      FROM lists AS l
      JOIN series AS s ON l.series_id = s.series_id
      -- the series of a function that was moved has the one name only
      WHERE l.name_before IS NULL
    )
    JOIN ordered AS o ON found.run_id = o.run_id
    JOIN (
      SELECT
        id, list(run_id ORDER BY run_id) FILTER (is_after) AS runs,
        list(run_id ORDER BY run_id) FILTER (NOT is_after) AS against
      FROM sides
      GROUP BY id
    ) AS s USING (id)
    WHERE found.more_runs IS NULL AND o.place > first AND o.place <= last
    GROUP BY id, configuration, metric, unit, is_back, until, since
    HAVING count(*) = 1 AND any_value(o.place) > until AND any_value(o.place) <= since
  ),

  -- Only what was measured a few times needs the noise of other runs.
  scarce AS (
    SELECT DISTINCT
      id, metric, unnest([configuration_before, configuration_after]) AS configuration_id
    FROM lists
    WHERE _are_few(before) OR _are_few(after)
  ),

  newest AS (
    SELECT p.id, max(c.counted_at) AS counted_at
    FROM placed AS p
    JOIN ordered AS c ON p.run_id = c.run_id
    GROUP BY p.id
  ),

  -- the last of its runs up to the newest that is compared
  reached AS (
    SELECT
      s.id, p.configuration_id,
      count(*) FILTER (n.counted_at IS NULL OR p.counted_at <= n.counted_at) AS place
    FROM (SELECT DISTINCT id, configuration_id FROM scarce) AS s
    JOIN newest AS n ON s.id = n.id
    JOIN ordered AS p ON s.configuration_id = p.configuration_id AND p.place IS NOT NULL
    GROUP BY s.id, p.configuration_id
  ),

  -- As metric_series, of the 200 runs up to then. No comparison depends on which others are made with
  -- it, nor on later runs than the first ones.
  histories AS (
    SELECT
      id, configuration_id, metric,
      CASE
        WHEN count(*) = 1 THEN any_value("values")
        ELSE _values_in_order(list({'at': point, 'value': "value"}))
      END AS history
    FROM (
      SELECT
        r.id, r.configuration_id, m.metric,
        _point_of(p.run_id, p.repeats, p.counted_at, p.position) AS point,
        median(m.value) AS "value",
        CASE WHEN count(*) = 1 THEN [any_value(m.value)]
          ELSE _values_in_order(list({'at': p.place, 'value': m.value}))
        END AS "values"
      FROM reached AS r
      JOIN ordered AS p
        ON r.configuration_id = p.configuration_id
        AND p.place > r.place - 200 AND (p.place <= r.place OR _is_first(p.place))
      ANTI JOIN sides AS o ON r.id = o.id AND p.run_id = o.run_id
      JOIN _scalars AS m ON p.run_id = m.run_id
      JOIN scarce AS a
        ON r.id = a.id AND r.configuration_id = a.configuration_id AND m.metric = a.metric
      WHERE isfinite(m.value)
      GROUP BY ALL
    )
    GROUP BY id, configuration_id, metric
  ),

  -- Materialized: it says which metrics need more than that.
  remembered AS MATERIALIZED (
    SELECT
      p, _likeness(p.metric) AS likeness,
      coalesce(h.history, []) AS history_before, coalesce(g.history, []) AS history_after,
      -- less than `MIN_HISTORY` of udfs.comparison.history
      len(p.before) = 1 AND len(history_before) < 6 OR len(p.after) = 1 AND len(history_after) < 6
        AS needs_usual
    FROM lists AS p
    -- Which sides need other runs is part of what is equal: else these are no hash joins.
    LEFT JOIN histories AS h
      ON CASE WHEN _are_few(p.before) THEN p.configuration_before END = h.configuration_id
      AND p.id = h.id AND p.metric = h.metric
    LEFT JOIN histories AS g
      ON CASE WHEN _are_few(p.after) THEN p.configuration_after END = g.configuration_id
      AND p.id = g.id AND p.metric = g.metric
  ),

  -- Equal runs: of one application, version and configuration. Two of them show what noise is.
  equal_runs AS (
    SELECT
      r.app, r.run_id, hash(r.version, r.configuration) AS kind,
      coalesce(c.counted_at, r.started_at) AS counted_at, c.place
    FROM run_configurations AS r
    LEFT JOIN ordered AS c ON r.run_id = c.run_id
    WHERE r.app IS NOT NULL AND r.version IS NOT NULL
    QUALIFY count(*) OVER (PARTITION BY r.app, r.version, r.configuration) >= 2
  ),

  -- What such metrics do between equal runs of the application: what is stored of it does not depend on
  -- others.
  groups AS (
    SELECT
      n.id, any_value(n.likeness) AS likeness,
      var_samp(ln(m.value)) AS variance, count(*) - 1 AS freedom, max(r.counted_at) AS latest,
      -- of equally late ones some of all kinds, the same each time
      hash(m.metric, r.kind) AS place
    FROM _scalars AS m
    JOIN equal_runs AS r ON m.run_id = r.run_id
    JOIN (
      SELECT DISTINCT p.id AS id, likeness, p.app AS app, counted_at
      FROM remembered
      LEFT JOIN newest ON p.id = newest.id
      WHERE needs_usual
    ) AS n
      ON _likeness(m.metric) = n.likeness AND r.app = n.app
    ANTI JOIN sides AS o ON n.id = o.id AND m.run_id = o.run_id
    WHERE m.value > 0 AND isfinite(m.value)
      AND (coalesce(r.counted_at <= n.counted_at, true) OR _is_first(r.place))
    GROUP BY n.id, m.metric, r.kind
    HAVING count(*) >= 2
  ),

  usual AS (
    SELECT
      id, likeness,
      usual_noise(
        list_transform(latest, lambda g: g.variance), list_transform(latest, lambda g: g.freedom)
      ) AS noise
    FROM (
      SELECT
        id, likeness,
        list({'variance': variance, 'freedom': CAST(freedom AS DOUBLE)}
          ORDER BY latest DESC NULLS LAST, place)[:200] AS latest
      FROM groups
      GROUP BY id, likeness
    )
  ),

  -- Equal numbers under two names are one metric: that which the question is about, or says most of
  -- its noise.
  alike AS (
    SELECT
      list(p ORDER BY _is_leading(p.metric) DESC, p.noise IS NULL, p.metric) AS names,
      history_before, history_after,
      max(p.known_before) AS known_before, max(p.known_after) AS known_after,
      arg_min(likeness, (NOT _is_leading(p.metric), p.noise IS NULL, p.metric)) AS likeness,
      bool_or(needs_usual) AS needs_usual
    FROM remembered
    GROUP BY p.id, p.configuration, p.before, p.after, history_before, history_after
  ),

  every AS (
    SELECT
      p.id,
      list(
        {
          'names': names, 'before': p.before, 'after': p.after,
          'history_before': history_before, 'history_after': history_after,
          'usual': {'variance': u.noise.variance, 'freedom': u.noise.freedom},
          'within': {
            'before': known_before, 'after': known_after,
            'variance_before': CASE WHEN p.noise IS NOT NULL THEN p.variance_before END,
            'variance_after': CASE WHEN p.noise IS NOT NULL THEN p.variance_after END,
            'freedom': p.freedom, 'noise': p.noise
          },
          'family': {
            'name': split_part(p.metric, ':', 1) || ' ' || coalesce(p.unit, ''),
            'is_counted': _is_counted(p.metric, p.unit), 'is_leading': _is_leading(p.metric),
            'order': p."order"
          }
        }
        ORDER BY CAST(p.configuration AS VARCHAR), p.metric
      ) AS every
    FROM (SELECT *, names[1] AS p FROM alike) AS r
    LEFT JOIN usual AS u
      ON p.id = u.id AND CASE WHEN r.needs_usual THEN r.likeness END = u.likeness
    GROUP BY p.id
  ),

  tested AS (
    SELECT
      id,
      unnest(every).names AS names,
      unnest(
        compare_runs(
          list_transform(every, lambda e: e.before), list_transform(every, lambda e: e.after),
          list_transform(every, lambda e: e.history_before),
          list_transform(every, lambda e: e.history_after),
          list_transform(every, lambda e: e.usual),
          list_transform(every, lambda e: e.within),
          list_transform(every, lambda e: e.family),
          CAST(level AS DOUBLE)
        )
      ) AS c
    FROM every
  ),

  compared AS (
    SELECT id, unnest(names) AS p, c FROM tested
  ),

  -- One change has one size: that of the step where both sides are at its levels. A few runs may have
  -- left theirs already, or be outliers; those by which the step itself is explained drift with it.
  cited AS (
    SELECT
      c.id, c.p,
      CASE
        WHEN c.is_own THEN own
        WHEN (
            2 * c.p.runs_before >= own.runs_before
            OR abs(c.c."before" - own."before") <= abs(own."after" - own."before") / 2
          )
          AND (
            2 * c.p.runs_after >= own.runs_after
            OR abs(c.c."after" - own."after") <= abs(own."after" - own."before") / 2
          )
          THEN own
        ELSE struct_insert(c.c, runs_before := c.p.runs_before, runs_after := c.p.runs_after)
      END AS c
    FROM (
      SELECT
        c.*, s.is_own,
        CASE
          WHEN s.is_back THEN {
            'before': step."after", 'after': step."before",
            'ratio': CASE WHEN step."after" > 0 THEN step."before" / step."after" END, 'low': 1 / step.high,
            'high': 1 / step.low, 'p_value': step.p_value, 'noise': 'step',
            'runs_to_settle': CAST(NULL AS INTEGER), 'runs_before': step.runs_after,
            'runs_after': step.runs_before
          }
          ELSE {
            'before': step."before", 'after': step."after",
            'ratio': CASE WHEN step."before" > 0 THEN step."after" / step."before" END, 'low': step.low, 'high': step.high,
            'p_value': step.p_value, 'noise': 'step', 'runs_to_settle': CAST(NULL AS INTEGER),
            'runs_before': step.runs_before, 'runs_after': step.runs_after
          }
        END AS own
      FROM compared AS c
      LEFT JOIN steps AS s
        ON c.id = s.id AND c.p.configuration = s.configuration AND c.p.metric = s.metric
        AND c.p.unit IS NOT DISTINCT FROM s.unit
    ) AS c
  ),

  ruled AS (
    SELECT
      id, p, c,
      list_filter(
        t.every,
        lambda t: _matches(p.app, t.app) AND _matches(p.machine, t.machine)
          AND _matches(p.metric, t.metric)
      ) AS ours
    FROM cited
    CROSS JOIN _threshold_rows AS t
  ),

  judged AS (
    SELECT
      id, p, c,
      _better(_first_set(list_transform(ours, lambda t: t.better)), p.app, p.metric, p.unit) AS better,
      coalesce(_first_set(list_transform(ours, lambda t: t.smallest_change)), 0) AS smallest
    FROM ruled
  ),

  verdicts AS (
    SELECT
      id, p.app AS app, p.machine AS machine, p.configuration_after AS configuration_id,
      any_value(p.fields_before) OVER (PARTITION BY id, p.configuration) AS fields_before,
      any_value(p.fields_after) OVER (PARTITION BY id, p.configuration) AS fields_after,
      p.metric AS metric, p.function AS function, p.name_before AS name_before,
      CASE WHEN p.is_renamed THEN p.name_before END AS renamed_from, p.unit AS unit,
      CASE
        WHEN p.is_new THEN 'new'
        WHEN p.is_gone THEN 'gone'
        WHEN c.p_value IS NULL THEN 'unknown'
        WHEN c.p_value < 1 - level AND abs(coalesce(c.ratio, 'infinity') - 1) < smallest THEN 'same'
        WHEN c.p_value >= 1 - level THEN
          if(
            c.before = c.after
              AND (c.ratio IS NULL OR c.noise = 'counts' OR len(p.before) > 1 AND len(p.after) > 1)
              OR c.low >= 1 - greatest(smallest, 0.1) AND c.high <= 1 + greatest(smallest, 0.1),
            'same', 'uncertain'
          )
        WHEN better = 'lower' THEN if(c.after > c.before, 'worse', 'better')
        WHEN better = 'higher' THEN if(c.after < c.before, 'worse', 'better')
        ELSE 'changed'
      END AS verdict,
      c.before AS "before", c.after AS "after", c.ratio AS ratio, c.low AS low, c.high AS high,
      c.p_value AS p_value,
      c.runs_before AS runs_before, c.runs_after AS runs_after,
      c.noise AS noise,
      CASE WHEN c.p_value >= 1 - level THEN c.runs_to_settle END AS runs_to_settle,
      CASE WHEN better IN ('lower', 'higher') THEN better END AS better,
      smallest AS smallest_change,
      CASE WHEN p.function IS NOT NULL
        THEN c.before
          / sum(c.before) FILTER (p.function IS NOT NULL) OVER (PARTITION BY id, p.configuration, p.unit)
      END AS share_before,
      CASE WHEN p.function IS NOT NULL
        THEN c.after
          / sum(c.after) FILTER (p.function IS NOT NULL) OVER (PARTITION BY id, p.configuration, p.unit)
      END AS share_after,
      -- all of one side above all of the other
      len(p.before) > 1 AND len(p.after) > 1
        AND (list_min(p.after) > list_max(p.before) OR list_max(p.after) < list_min(p.before))
        AS is_separated
    FROM judged
  )

-- The worst first, with new functions that take time, then the largest changes. What is new or gone
-- between single runs is no surer than what differs there, and of functions with less than 1 % of the
-- time nobody asks whether they are.
SELECT
  *,
  row_number() OVER (
    PARTITION BY id
    ORDER BY
      CASE
        WHEN verdict NOT IN ('new', 'gone') OR coalesce(share_before, share_after) IS NULL THEN
          list_position(
            ['worse', 'changed', 'better', 'new', 'gone', 'uncertain', 'unknown', 'same'], verdict
          )
        WHEN greatest(share_before, share_after) < 0.01 THEN 8
        WHEN least(runs_before, runs_after) < 2 THEN 7
        WHEN verdict = 'new' THEN 1
        ELSE 5
      END,
      NOT _is_leading(metric),
      unit IS DISTINCT FROM 's',
      CASE
        WHEN unit = 's' OR starts_with(metric, 'cost:')
          THEN abs(coalesce("after", 0) - coalesce("before", 0))
      END DESC NULLS LAST,
      abs(ln(nullif(ratio, 0))) DESC NULLS LAST,
      metric, CAST(fields_after AS VARCHAR)
  ) AS place
FROM verdicts;

CREATE OR REPLACE MACRO comparison(a, b, level := 0.95, metrics := '*') AS TABLE -- Two sets of runs, a and b (lists of run_id), metric by metric: comparison(['r1', 'r2'], ['r3'], level := 0.95, metrics := ['seconds:*']). One row is one metric of one configuration: fields_before and fields_after (what the runs of each side have in common, NULL where a side has none), metric, unit, verdict (worse, better, changed: beyond the noise, by what is better for the metric, where that is known; same: not beyond the noise, and no change of more than 10 % or smallest_change is within the interval, or beyond the noise and less than smallest_change; uncertain: not beyond the noise, which hides changes of more than that; unknown: the noise is not known; new, gone), before and after (geometric means, or means where values are not positive; of six runs or more rare outliers are clipped), ratio, low and high (simultaneous intervals of all rows with probability level; NULL where it has no bound), p_value (of no change, corrected for the number of rows by Bonferroni's method, half of the error for total times; it agrees with the interval), runs_before and runs_after (a run is one value: the mean of its repetitions; of a side of several commits those of one are repetitions of one point, whose value is their median; where a run has no time in a function that other runs have, that is 0), noise (runs: that between the runs of each side, of two or three together with that of their history; of a single run that of history: 6 other runs at least, of the 200 up to the newest or of the first 20, of the other side, or usual: what such metrics do between equal runs of its application; where there is none of these, repetitions: that between repetitions within the runs, on this machine at this time; counts: the little that the counts of deterministic tools vary; drift: a drift of both sides, one measured after the other, can be what differs, and the interval has what is left without it: interleave them; step: where the history has one change between the two sides, and both are at its levels, all figures are those of change_points, its runs and its interval of 95 %; NULL: unknown; at least the counting error of samples), runs_to_settle (where the change is not beyond the noise: how many more runs of each side would show a difference as large as that seen, with probability 0.8; NULL beyond 1000, and where a side has one run), better (lower, higher, NULL: unknown), smallest_change (change_thresholds), share_before and share_after (of functions, in the time of all, 0..1), renamed_from (of functions that were moved or renamed, matched by name, else by file and callers: the name before), place (from 1: the worst first, then new functions that take time, then the largest changes). Of each of the newest versions of an application against the one before it: version_comparisons.
SELECT * EXCLUDE (id, app, machine, configuration_id, function, name_before, is_separated)
FROM _compared(
  _sides(0, coalesce(b, CAST([] AS VARCHAR[])), coalesce(a, CAST([] AS VARCHAR[])), NULL, NULL),
  level, _as_list(metrics), false
);
