-- key: app VARCHAR
-- scope: app
-- needs: series
-- reads: series
-- carries: ids of events, and those that vanished
--
-- Events: changes of several metrics at one version, or at neighbouring runs, are one. An event is
-- that of before which shares most of its series, where it changed in the same direction not further
-- away than a change may be placed differently; one that has none has a new id, and one of before
-- that no event continues is withdrawn.

-- inputs
SELECT
  app AS key, app AS scope,
  md5(
    string_agg(
      concat_ws(chr(0), series_id, machine, unit, CAST(changes AS VARCHAR)), ',' ORDER BY series_id
    )
  ) AS digest
FROM series
WHERE app IN (FROM _scope)
GROUP BY app;

-- rows
WITH
  found AS (
    SELECT
      series_id, app, machine, fields, metric, unit,
      if(c.version <> c.previous_version, c.version, c.run_id) AS named, c.run_id AS run_id, c
    FROM (
      SELECT series_id, app, machine, fields, metric, unit, unnest(changes) AS c
      FROM series
      WHERE app IN (SELECT key FROM _inputs)
    )
    WHERE c.more_runs IS NULL
  ),

  -- A change may be placed a run off: boundaries of a configuration next to each other are one, the one
  -- of most metrics, else the clearest. Only next to that one: else a row of many would be one.
  boundaries AS (
    SELECT
      app, fields, run_id, list(DISTINCT c.previous_run_id) AS previous,
      (count(*), -min(c.p_value), -epoch_us(min(c.started_at)), run_id) AS weight,
      arg_min(named, (c.p_value, metric)) AS named
    FROM found
    GROUP BY app, fields, run_id
  ),

  nearby AS (
    SELECT b.app, b.fields, b.run_id, b.named, arg_max(n.run_id, n.weight) AS heaviest
    FROM boundaries AS b
    JOIN boundaries AS n
      ON b.app = n.app AND b.fields = n.fields
      AND (
        b.run_id = n.run_id OR list_contains(n.previous, b.run_id)
        OR list_contains(b.previous, n.run_id) OR list_has_any(b.previous, n.previous)
      )
    GROUP BY ALL
  ),

  events AS (
    SELECT
      f.app, if(a.heaviest = a.run_id, a.named, n.named) AS event,
      arg_min(f, (f.c.p_value, f.metric, CAST(f.fields AS VARCHAR))) AS clearest,
      list_sort(list({
        'series_id': f.series_id, 'run_id': f.run_id, 'started_at': f.c.started_at,
        'near_after': f.c.near_after, 'near_until': f.c.near_until,
        'is_more': f.c."after" > f.c."before"
      })) AS changes
    FROM found AS f
    JOIN nearby AS n ON f.app = n.app AND f.fields = n.fields AND f.run_id = n.run_id
    JOIN nearby AS a ON n.app = a.app AND n.fields = a.fields AND n.heaviest = a.run_id
    GROUP BY f.app, event
  ),

  earlier AS (
    SELECT event_id, app, event, state, unnest(changes) AS c FROM _before
  ),

  alike AS (
    SELECT
      n.app, n.event, b.event_id,
      (n.event <> b.event, b.state = 'withdrawn', -count(*), b.event_id, n.event) AS distance
    FROM (SELECT app, event, unnest(changes) AS c FROM events) AS n
    JOIN earlier AS b
      ON n.app = b.app AND n.c.series_id = b.c.series_id AND n.c.is_more = b.c.is_more
      AND (
        n.event = b.event
        OR (
          coalesce(n.c.near_after < b.c.started_at, true)
          AND coalesce(b.c.started_at <= n.c.near_until, true)
        )
      )
    GROUP BY n.app, n.event, b.event_id, b.event, b.state
  ),

  continued AS (
    SELECT app, event, event_id
    FROM alike
    QUALIFY distance = min(distance) OVER (PARTITION BY app, event)
      AND distance = min(distance) OVER (PARTITION BY event_id)
  )

SELECT
  coalesce(
    k.event_id,
    (SELECT coalesce(max(event_id), 0) FROM _before)
      + row_number() OVER (
        PARTITION BY k.event_id IS NULL ORDER BY e.clearest.c.started_at, e.app, e.event
      )
  ) AS event_id,
  e.app, e.event, 'present' AS state, e.clearest.c.version AS version,
  e.clearest.c.previous_version AS previous_version, e.clearest.c."commit" AS "commit",
  e.clearest.c.previous_commit AS previous_commit, e.clearest.run_id AS run_id,
  e.clearest.c.previous_run_id AS previous_run_id, e.clearest.c.started_at AS started_at,
  e.clearest.machine AS machine, e.clearest.metric AS metric, e.clearest.unit AS unit,
  e.clearest.c."before" AS "before", e.clearest.c."after" AS "after",
  e.clearest.c.p_value AS p_value, e.changes
FROM events AS e
LEFT JOIN continued AS k ON e.app = k.app AND e.event = k.event
UNION ALL BY NAME
SELECT * REPLACE ('withdrawn' AS state)
FROM _before
ANTI JOIN continued USING (event_id);
