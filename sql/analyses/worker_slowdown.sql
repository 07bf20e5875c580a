-- key: run_id VARCHAR
-- scope: run_id
-- reads: tasks
-- requires: run_contents, slow_workers
-- functions: statistics
--
-- Workers on which tasks take longer than tasks of the same types on others.

-- inputs
SELECT run_id AS key, run_id AS scope, digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND (rows['tasks'] > 0);

-- rows
WITH
  timed AS (
    SELECT run_id, worker, name, t_start, t_end - t_start AS ns
    FROM tasks
    WHERE name IS NOT NULL AND t_end > t_start AND kind IS NULL
  ),

  usual AS (
    SELECT run_id, name, median(ns) AS ns
    FROM (
      SELECT run_id, name, worker, median(ns) AS ns FROM timed GROUP BY run_id, name, worker
    )
    GROUP BY run_id, name
    HAVING count(*) > 1
  ),

  relative AS (
    SELECT
      t.run_id, t.worker, t.t_start, t.ns / u.ns AS ratio,
      row_number() OVER (PARTITION BY t.run_id, t.worker ORDER BY t.t_start, t.ns) AS place,
      count(*) OVER (PARTITION BY t.run_id, t.worker) AS tasks
    FROM timed AS t
    JOIN usual AS u ON t.run_id = u.run_id AND t.name = u.name
  ),

  own AS (
    SELECT
      run_id, worker, any_value(tasks) AS tasks,
      _ratios_in_order(list({'t_start': t_start, 'ratio': ratio})) AS ratios
    FROM relative
    WHERE place * 500 // tasks > (place - 1) * 500 // tasks
    GROUP BY run_id, worker
  ),

  -- so many of each worker that all others together are about a thousand
  sample AS (
    SELECT r.run_id, r.worker, r.t_start, r.ratio
    FROM relative AS r
    JOIN (
      SELECT run_id, greatest(3, 1000 // count(*)) AS most FROM own GROUP BY run_id
    ) AS size ON r.run_id = size.run_id
    WHERE r.place * size.most // r.tasks > (r.place - 1) * size.most // r.tasks
  ),

  -- without the workers' own ratios: DuckDB would copy such a list to each row of the join
  pairs AS (
    SELECT
      o.run_id, o.worker,
      _ratios_in_order(list({'t_start': s.t_start, 'ratio': s.ratio})) AS others
    FROM (SELECT run_id, worker FROM own) AS o
    JOIN sample AS s ON o.run_id = s.run_id AND o.worker <> s.worker
    GROUP BY o.run_id, o.worker
  ),

  runs_of_pairs AS (
    SELECT
      run_id, list(worker ORDER BY worker) AS workers, list(tasks ORDER BY worker) AS tasks,
      list(ratios ORDER BY worker) AS ratios, list(others ORDER BY worker) AS others
    FROM own
    JOIN pairs USING (run_id, worker)
    GROUP BY run_id
  ),

  compared AS (
    SELECT
      run_id, unnest(workers) AS worker, unnest(tasks) AS tasks,
      unnest(compare_durations(ratios, others)) AS c
    FROM runs_of_pairs
  )

SELECT
  run_id, worker, tasks, c.ratio AS factor, c.low, c.high,
  coalesce(c.low > 1.1, false) AS is_slow
FROM compared;
