-- requires: change_points, sides, run_times
--
-- What is compared in an explanation: the runs on both sides of a change, and by what metric.

-- What a run is judged by, where the tag main_metric does not name it: the first that it has. Misses
-- cost `instructions` each, as Valgrind's estimate of cycles has it.
CREATE OR REPLACE VIEW _main_order AS
SELECT *
FROM (
  VALUES
    (0, 'wall_seconds', NULL), (1, 'functions:seconds', NULL), (2, 'functions:cost', NULL),
    (3, 'counter:task-clock', NULL), (4, 'counter:task-clock:u', NULL),
    (5, 'counter:cpu-clock', NULL), (6, 'counter:cycles', NULL), (7, 'counter:cycles:u', NULL),
    (8, 'counter:Ir', NULL), (9, 'counter:DLmr', 100), (10, 'counter:D1mr', 10),
    (11, 'counter:Bcm', 10)
) AS t(place, metric, instructions);

-- Sizes of a trace, which do not show how fast a program is: offered last.
CREATE OR REPLACE MACRO _is_size(metric) AS
  metric IN ('segments:count', 'blocks:launches', 'tasks:count', 'tasks:workers');

-- NULL for runs that have none of these: they are judged by all metrics, results of benchmarks first.
CREATE OR REPLACE VIEW _main_metrics AS
SELECT
  r.run_id, r.app, r.version, r.machine, r.started_at,
  coalesce(r.tags['main_metric'], m.metric) AS metric
FROM runs AS r
LEFT JOIN (
  SELECT v.run_id, arg_min(v.metric, o.place) AS metric
  FROM run_metrics AS v
  JOIN _main_order AS o ON v.metric = o.metric
  GROUP BY v.run_id
) AS m ON r.run_id = m.run_id;

CREATE OR REPLACE MACRO _is_judged_by(main, metric) AS
  metric = main OR main IS NULL AND NOT _is_size(metric);

CREATE OR REPLACE MACRO _judging_place(metric) AS
  coalesce(list_position(['metric', 'counter'], split_part(metric, ':', 1)), 3);

-- The changes of main metrics, those that are not certain yet, too, each with the runs on its two sides
-- that are compared. Of several metrics that change at a run, the clearest for the worse.
CREATE OR REPLACE VIEW _changes_so_far AS
SELECT
  c.app, c.machine, c.fields, c.metric, c.run_id, c.version, c.started_at, c.direction, c.more_runs,
  c.sides.runs AS runs, c.sides.against AS against, c.sides.next_run_id AS next_run_id
FROM _found_changes AS c
JOIN _main_metrics AS m ON c.run_id = m.run_id AND _is_judged_by(m.metric, c.metric)
QUALIFY row_number() OVER (
  PARTITION BY c.app, c.fields, c.run_id
  ORDER BY
    c.more_runs IS NOT NULL, _judging_place(c.metric), c.direction IS DISTINCT FROM 'worse', c.direction IS NULL, c.p_value,
    c.metric
) = 1;

CREATE OR REPLACE VIEW _changes AS
SELECT * EXCLUDE (more_runs) FROM _changes_so_far WHERE more_runs IS NULL;

CREATE OR REPLACE MACRO explain_baseline(of_run) AS TABLE -- The arguments of explain_run(runs, against) for of_run: chosen_by (change: the last change of the run's main metric up to it; where it has none, of a result of a benchmark, else of a counter, else of any metric; provisional: the same, of a change that is not certain yet; version: its version, or its commit where the version has several or none is known, and the one before, of the same application with equal values of series_fields), changed (first run after the change), runs and against, the 30 nearest at most, 8 of a series that drifts, metric (that changed). No row where there is nothing to compare with, or it is unknown which version was before.
WITH
  main AS (
    FROM _main_metrics WHERE run_id = of_run
  ),

  -- read once: its plan is larger than the rest
  placed AS MATERIALIZED (
    FROM _run_order WHERE app = (SELECT app FROM runs WHERE run_id = of_run)
  ),

  -- the last change of its series up to the run
  changed AS (
    SELECT r.run_id AS changed, r.metric, r.runs, r.against, r.more_runs IS NULL AS is_certain
    FROM _changes_so_far AS r
    JOIN main AS a ON r.app = a.app AND _is_judged_by(a.metric, r.metric)
    JOIN run_groups AS g ON g.run_id = of_run AND r.fields = g.fields
    JOIN placed AS p ON p.run_id = of_run
    JOIN placed AS o ON r.run_id = o.run_id
    LEFT JOIN placed AS n ON r.next_run_id = n.run_id
    WHERE (o.place, r.run_id) <= (p.place, of_run)
      AND (n.run_id IS NULL OR (p.place, of_run) < (n.place, n.run_id))
      AND EXISTS (FROM run_metrics AS v WHERE v.run_id = of_run AND v.metric = r.metric)
    ORDER BY _judging_place(r.metric), o.place DESC, r.run_id DESC
    LIMIT 1
  ),

  -- the runs that can be compared with it: of its application, with equal values of series_fields
  own AS (
    SELECT o.state, s.fields
    FROM placed AS o
    JOIN run_groups AS s USING (run_id)
    WHERE o.run_id = of_run
  ),

  alike AS (
    SELECT o.run_id, o.state, o.place
    FROM placed AS o
    JOIN run_groups AS s ON o.run_id = s.run_id
    JOIN own AS a ON s.fields = a.fields
    WHERE NOT o.is_candidate OR o.run_id = of_run OR o.state = a.state
  ),

  -- the runs of its version or commit and of the one before, or run by run where neither is known
  steps AS (
    SELECT
      coalesce(state, run_id) AS step, list(run_id ORDER BY place, run_id) AS runs,
      min(place) AS begins, count(*) OVER (PARTITION BY min(place)) = 1 AS is_placed
    FROM alike
    GROUP BY step
  ),

  -- of what began at one time none was before the other
  followed AS (
    SELECT
      runs,
      CASE WHEN is_placed AND lag(is_placed) OVER (ORDER BY begins) THEN lag(runs) OVER (ORDER BY begins) END
        AS against
    FROM steps
  ),

  chosen AS (
    SELECT
      if(is_certain, 'change', 'provisional') AS chosen_by, if(is_certain, changed, NULL) AS changed,
      runs, against, metric
    FROM changed
    UNION ALL
    SELECT 'version', NULL, runs, against, NULL
    FROM followed
    WHERE list_contains(runs, of_run) AND against IS NOT NULL AND NOT EXISTS (FROM changed)
  )

SELECT chosen_by, changed, runs[:30] AS runs, against[-30:] AS against, metric
FROM chosen;

-- Text and lists of texts as SQL literals, for the queries that explanations show.
CREATE OR REPLACE MACRO _quoted(text) AS
  coalesce('''' || replace(text, '''', '''''') || '''', 'NULL');

CREATE OR REPLACE MACRO _of_runs(ids, named) AS 'run_id IN (' || CASE
  WHEN named IS NULL OR len(ids) <= 4
    THEN array_to_string(list_transform(ids, lambda id: _quoted(id)), ', ')
  ELSE 'SELECT unnest(against || runs) FROM explain_baseline(' || _quoted(named) || ')'
END || ') ORDER BY run_id';
