-- What the rules of retention delete at the time $now: a row a rule, run and landing table, the oldest
-- runs first; without a table the whole run. With $every also, as rule 0, what a rule could delete.
WITH
  rules AS (
    FROM retention_rules
    UNION ALL BY NAME
    SELECT
      0 AS rule_id, 'answers' AS keeps, '*' AS app, '*' AS branch, '*' AS "rows",
      CAST('-infinity' AS DOUBLE) AS days
    WHERE $every
  ),

  -- what people spoke of, and what changes are stated by
  named AS (
    SELECT run_id FROM acknowledgements
    UNION
    SELECT run_id FROM bottleneck_labels
    UNION
    SELECT unnest([run_id, previous_run_id]) FROM _change_events
    UNION
    SELECT unnest(list_transform(changes, lambda c: c.run_id)) FROM _change_events
    UNION
    SELECT unnest(list_concat([c.run_id, c.previous_run_id], c.runs, c.against))
    FROM (SELECT unnest(changes) AS c FROM series)
  ),

  aged AS (
    SELECT
      r.run_id, g.set_id, r.app, coalesce(g.branch, r.branch) AS branch, k.rows,
      (epoch(CAST($now AS TIMESTAMPTZ)) - epoch(coalesce(r.started_at, r.landed_at))) / 86400 AS days
    FROM runs AS r
    JOIN kept_runs AS k ON r.run_id = k.run_id
    LEFT JOIN run_groups AS g ON r.run_id = g.run_id
  ),

  ruled AS (
    SELECT a.*, u.rule_id, u.keeps, u."rows" AS of_rows
    FROM rules AS u
    JOIN aged AS a
      ON _matches(a.app, u.app) AND _matches(a.branch, u.branch)
      AND (u.keeps = 'all' OR a.days >= u.days)
    ANTI JOIN named AS n ON a.run_id = n.run_id
  ),

  -- a rule of whole runs before others
  whole AS (
    SELECT run_id, min(rule_id) AS rule_id, any_value(days) AS days, any_value(rows) AS rows
    FROM ruled
    WHERE keeps = 'nothing'
    GROUP BY run_id
    HAVING run_id NOT IN (SELECT run_id FROM ruled WHERE keeps = 'all')
  ),

  parts AS (
    SELECT run_id, set_id, days, rule_id, of_rows, unnest(map_entries(rows)) AS entry
    FROM ruled
    WHERE keeps = 'answers'
  ),

  -- what a program's scaling is computed from stays while runs are added
  growing AS (
    SELECT set_id FROM aged WHERE set_id IN (SELECT set_id FROM scaling_models) GROUP BY set_id
    HAVING min(days) < (SELECT min(days) FROM rules WHERE keeps = 'answers' AND rule_id > 0)
  )

SELECT rule_id, run_id, NULL AS "table", coalesce(list_sum(map_values(rows)), 0) AS rows, days
FROM whole
UNION ALL
SELECT max(p.rule_id), p.run_id, p.entry.key, any_value(p.entry.value), any_value(p.days)
FROM parts AS p
ANTI JOIN whole AS w ON p.run_id = w.run_id
ANTI JOIN (SELECT run_id, "table" FROM forgotten_rows) AS f
  ON p.run_id = f.run_id AND p.entry.key = f."table"
ANTI JOIN (SELECT run_id, of_rows FROM ruled WHERE keeps = 'all') AS k
  ON p.run_id = k.run_id AND _matches(p.entry.key, k.of_rows)
WHERE _matches(p.entry.key, p.of_rows) AND p.entry.value > 0
  -- scalars themselves, and what is small and read with stored answers
  AND p.entry.key NOT IN ('metrics', 'nodes', 'workers', 'gpu_gaps', 'gpu_late')
  AND NOT (p.entry.key = 'fn_timings' AND coalesce(p.set_id IN (FROM growing), false))
GROUP BY p.run_id, p.entry.key
ORDER BY days DESC, run_id, "table";
