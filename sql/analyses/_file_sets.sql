-- key: run_id VARCHAR
-- scope: run_id
-- reads: pmu_samples, runs
-- requires: settings, metric_sets, counters
--
-- Which metric sets the events of a file make up, and by which of its events.
--
-- One row is a file of a run and a metric set that knows some of its events: these events, the
-- positions of the metrics that can be computed from them, and whether the set is used: of those with
-- a metric the one that names classes, one for each file of a run, and beside it that of shares of
-- issue slots, which need no model. Events that no set knows are a row without a set. Of each file also
-- the events that are a part or a whole of others (in_pairs).

-- inputs
FROM _run_inputs((SELECT list(scope) FROM _scope), 'pmu_samples', 'counting');

-- rows
WITH
  -- events as the files write them, and in how many samples they were counted
  counted AS (
    SELECT
      *,
      _event_key(_event_name(event)) AS name,
      CASE
        WHEN regexp_matches(event, '/|[^:]:[a-zA-Z]+$|\(cpu_\w+\)$') THEN 1
        ELSE 0
      END AS form,
      list({'event': event, 'name': _event_key(_event_name(event))}) FILTER (
        samples > 0
        AND list_contains(
          flatten(list_transform(_parts(), lambda p: [p.part, p.whole])),
          _event_key(_event_name(event))
        )
      ) OVER (PARTITION BY run_id, source_id) AS in_pairs
    FROM (
      SELECT run_id, source_id, event, count(*) FILTER (isfinite(value)) AS samples
      FROM pmu_samples
      GROUP BY run_id, source_id, event
    )
  ),

  names AS (
    SELECT event, alias, preference, factor FROM event_aliases
    UNION ALL
    SELECT DISTINCT event, event, 0, 1 FROM _set_definitions
  ),

  set_events AS (
    SELECT DISTINCT metric_set, event, _event_key(alias) AS alias, preference, factor
    FROM _set_definitions
    JOIN names USING (event)
  ),

  -- of several names of one event the most preferred
  used AS (
    SELECT
      c.run_id, c.source_id, s.metric_set, s.event, c.event AS written, c.samples, s.factor,
      c.in_pairs
    FROM counted AS c
    LEFT JOIN set_events AS s ON c.name = s.alias AND c.samples > 0
    QUALIFY s.metric_set IS NULL OR rank() OVER (
      PARTITION BY c.run_id, c.source_id, s.metric_set, s.event,
        coalesce(_core_type(c.event), 'cpu_core')
      ORDER BY s.preference, c.form
    ) = 1
  ),

  sets AS (
    SELECT
      u.run_id, u.source_id, u.metric_set, bit_or(b.bit) AS mask,
      list(
        {
          'event': u.event, 'written': u.written, 'samples': u.samples, 'factor': u.factor,
          'bit': coalesce(b.bit, 0)
        }
      ) AS events,
      any_value(u.in_pairs) AS in_pairs
    FROM used AS u
    LEFT JOIN _event_bits AS b ON u.metric_set = b.metric_set AND u.event = b.event
    GROUP BY u.run_id, u.source_id, u.metric_set
  ),

  covered AS (
    SELECT
      s.run_id, s.source_id, s.metric_set, l.names, s.events, s.in_pairs,
      list_filter(
        range(len(l.needs)), lambda p: s.mask & l.needs[p + 1] = l.needs[p + 1]
      ) AS found,
      -- formulas of parts are of no use without those of level 1
      CASE
        WHEN l.formulas IS NULL OR list_has_any(found, range(l.whole)) THEN found ELSE []
      END AS positions
    FROM sets AS s
    LEFT JOIN _set_layout AS l ON s.metric_set = l.metric_set
  ),

  wanted AS (
    SELECT run_id, machine_settings.metric_set, true AS is_wanted
    FROM runs
    JOIN machine_settings USING (machine)
  )

SELECT
  *,
  has_metrics AND row_number() OVER (
    PARTITION BY run_id, source_id ORDER BY place.lacks_all, place.is_other, is_of_slots, place
  ) = 1
    AS names_class,
  has_metrics AND (
    names_class
    OR (
      is_of_slots AND row_number() OVER (PARTITION BY run_id, source_id, is_of_slots ORDER BY place) = 1
    )
  ) AS is_used
FROM (
  SELECT
    c.run_id, c.source_id, c.metric_set, c.names, c.events, c.in_pairs, c.positions,
    coalesce(len(c.positions), 0) > 0 AS has_metrics, s.whole > 0 AS is_of_slots,
    {
      'lacks_all': NOT has_metrics, 'is_other': w.is_wanted IS NULL, 'metrics': -len(c.positions),
      'of': len(c.names), 'preference': s.preference, 'metric_set': c.metric_set
    } AS place
  FROM covered AS c
  LEFT JOIN metric_sets AS s ON c.metric_set = s.metric_set
  LEFT JOIN wanted AS w ON c.run_id = w.run_id AND c.metric_set = w.metric_set
);
