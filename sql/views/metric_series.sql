-- requires: run_metrics, failed_runs, run_times
--
-- Series: the histories of metrics. Runs of one application with equal values of every field in
-- series_fields are in the same series; which these are is stored (run_groups).

-- What is known of each run as one map; values of series_fields that are unknown are left out.
CREATE OR REPLACE VIEW _series_of_runs AS
WITH
  wanted AS (
    SELECT coalesce(list(field), []) AS fields FROM series_fields
  ),

  columns AS (
    SELECT
      run_id, tags,
      [
        {'key': 'machine', 'value': machine}, {'key': 'nodes', 'value': CAST(nodes AS VARCHAR)},
        {'key': 'problem_size', 'value': CAST(problem_size AS VARCHAR)},
        {'key': 'ranks', 'value': CAST(ranks AS VARCHAR)},
        {'key': 'threads', 'value': CAST(threads AS VARCHAR)}
      ] AS facts
    FROM runs
  )

SELECT
  r.run_id,
  map_from_entries(
    list_sort(
      list_filter(
        -- a tag with the name of a column would be a second value
        facts || list_filter(
          coalesce(map_entries(r.tags), []),
          lambda tag: NOT list_contains(list_transform(facts, lambda fact: fact.key), tag.key)
        ),
        lambda fact: fact.value IS NOT NULL AND list_contains(w.fields, fact.key)
      )
    )
  ) AS fields
FROM columns AS r
CROSS JOIN wanted AS w
ANTI JOIN (FROM acknowledgements WHERE reason = 'invalid run') AS i USING (run_id)
ANTI JOIN failed_runs USING (run_id);

-- The place of each run in the series that it is in. Runs of one commit are next to each other.
CREATE OR REPLACE VIEW _run_places AS
SELECT
  app, configuration_id, run_id, counted_at, started_at, repeats,
  {'counted_at': counted_at, 'position': position, 'started_at': started_at}
    AS point,
  row_number() OVER (PARTITION BY app, configuration_id ORDER BY point, run_id) AS place
FROM _run_commits
WHERE configuration_id IS NOT NULL AND counted_at IS NOT NULL AND NOT is_candidate;

-- Runs of other branches than the default one, with the place in the series of their configuration
-- after which they come: that of the last run up to their fork, as far as it is known. Of equal `state`
-- are runs of one commit, else of one version.
CREATE OR REPLACE VIEW _run_forks AS
SELECT
  c.app, c.configuration_id, c.run_id, c.branch, c.counted_at,
  coalesce(c.repeats, r.version, '') AS state,
  c.fork_position IS NOT NULL AS is_known, max(p.place) AS place
FROM _run_commits AS c
JOIN runs AS r ON c.run_id = r.run_id
LEFT JOIN _run_places AS p
  ON c.configuration_id = p.configuration_id
  AND coalesce(p.point.position <= c.fork_position, true)
WHERE c.is_candidate AND c.configuration_id IS NOT NULL
GROUP BY ALL;

-- Values in several units are no series, nor are rows of a table of runs that landed with one
-- --started-at: they have no order.
CREATE OR REPLACE MACRO _is_series(unit, point) AS
  min(unit) IS NOT DISTINCT FROM max(unit) AND (count(*) = 1 OR min(point) < max(point));

CREATE OR REPLACE VIEW metric_series AS -- One row is the history of one metric: its values in runs of one application with equal values of the fields in series_fields, in the order of their commits (commits.position, else their dates), else of their starts. Values in several units are no series, nor are those of runs that all started at one time. Runs whose application, or commit and start, are unknown are left out, as are those on a branch that is not the default one (default_branches), invalid ones (acknowledgements) and failed_runs.
WITH
  grouped AS (
    SELECT
      p.app, p.configuration_id, any_value(g.fields) AS fields, m.metric, any_value(m.unit) AS unit,
      string_agg(DISTINCT r.machine, ', ' ORDER BY r.machine) AS machine,
      count(*) AS points,
      -- with ORDER BY the aggregate takes the memory of 2048 rows for each series of 17 or more
      list_sort(list({
        'place': p.place, 'run_id': r.run_id, 'version': r.version, 'commit': g."commit",
        'started_at': p.counted_at, 'value': m.value
      })) AS points_in_order
    FROM _scalars AS m
    JOIN _run_places AS p ON m.run_id = p.run_id
    JOIN run_groups AS g ON m.run_id = g.run_id
    JOIN runs AS r ON m.run_id = r.run_id
    GROUP BY p.app, p.configuration_id, m.metric
    HAVING _is_series(m.unit, p.point)
  )

SELECT
  _series_id(configuration_id, metric) AS series_id, app,
  machine, -- Machine; several, with commas, where machine is no field of series_fields; NULL where unknown.
  fields, -- What its runs have in common: field -> value. Fields that are unknown are left out.
  metric,
  unit, -- Unit of the values.
  points, -- Values; changes are looked for from 10 on.
  list_transform(
    points_in_order,
    lambda point: {
      'run_id': point.run_id, 'version': point.version, 'commit': point."commit",
      'started_at': point.started_at, 'value': point.value
    }
  ) AS series -- The values and the runs they are of, with version, commit (runs.commit, in full where it is known) and started_at (when the commit was made, else when the run started), in that order; runs of one commit by their starts, then run_id.
FROM grouped;
