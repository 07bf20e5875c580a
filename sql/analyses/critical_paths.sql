-- key: run_id VARCHAR
-- scope: run_id
-- reads: idle_intervals, idle_latency, nodes, task_data, task_inputs, tasks, transfers, workers
-- requires: run_contents, workers
-- functions: critical_path
--
-- The critical path: the chain of tasks and waits that determines a run's end; and how soon it could end.
--
-- Two million tasks take 4 GB of memory, and of more the path is not found.

-- inputs
SELECT run_id AS key, run_id AS scope, digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND rows['tasks'] BETWEEN 1 AND 2_000_000;

-- rows
WITH
  clock AS (
    SELECT *, row_number() OVER (ORDER BY run_id, worker) AS number FROM _worker_clocks
  ),

  span AS (
    SELECT run_id, min(t_begin) AS t_begin, count(*) AS workers FROM _worker_windows GROUP BY run_id
  ),

  task AS MATERIALIZED (
    SELECT
      t.run_id, t.worker, clock.number, clock.node, clock.ahead, t.task, t.name,
      t.t_start - clock.ahead AS t_start, t.t_end - clock.ahead AS t_end,
      t.t_submit - clock.ahead AS t_submit, row_number() OVER () AS n
    FROM tasks AS t
    JOIN clock ON t.run_id = clock.run_id AND t.worker = clock.worker
  ),

  -- wait: latency and overhead after its submission; what is of unknown cause need not remain
  waited AS MATERIALIZED (
    SELECT
      task.*, i.t_start AS idle_from, CAST(coalesce(i.is_recorded, true) AS INTEGER) AS is_recorded,
      coalesce(
        i.t_start + i.starvation1 + i.latency + i.ov_unsubmitted
          + if(i.is_recorded, i.ov_rest - i.ov_unsubmitted, 0)
          - least(i.t_end, greatest(task.t_submit, i.t_start + i.starvation1)),
        0
      ) AS wait
    FROM task
    LEFT JOIN idle_intervals AS i
      ON task.run_id = i.run_id AND task.worker = i.worker AND task.task = i.task
      AND i.kind <> 'tail'
  ),

  datum AS (
    SELECT
      d.run_id, d.data, maker.n AS producer, coalesce(d.node, maker.node) AS home,
      coalesce(d.t_ready - coalesce(home.ahead, 0), maker.t_end) AS t_made
    FROM task_data AS d
    LEFT JOIN task AS maker ON d.run_id = maker.run_id AND d.producer = maker.task
    LEFT JOIN _node_clocks AS home
      ON d.run_id = home.run_id AND coalesce(d.node, maker.node) = home.node
  ),

  -- before what is known of the data: DuckDB would take those with the tasks first, each with each
  read AS MATERIALIZED (
    SELECT i.run_id, w.n, w.node, w.ahead, i.data, i.is_sent, i.t_arrived
    FROM task_inputs AS i
    JOIN waited AS w ON i.run_id = w.run_id AND i.task = w.task
  ),

  needed AS (
    SELECT
      r.run_id, r.n, d.producer, d.t_made,
      CASE WHEN r.is_sent THEN d.t_made ELSE hop.t_sent END AS t_sent,
      CASE WHEN r.is_sent THEN r.t_arrived - r.ahead ELSE hop.t_there END AS t_there,
      r.data
    FROM read AS r
    JOIN datum AS d ON r.run_id = d.run_id AND r.data = d.data
    LEFT JOIN _data_hops AS hop
      ON d.run_id = hop.run_id AND d.data = hop.data
      AND CASE WHEN d.home IS DISTINCT FROM r.node THEN r.node END = hop.to_node
    WHERE d.t_made IS NOT NULL AND d.producer IS DISTINCT FROM r.n
  ),

  inputs AS (
    SELECT
      run_id,
      list({
        'reader': n, 'producer': producer, 't_made': t_made, 't_sent': t_sent, 't_there': t_there,
        'data': data
      }) AS inputs
    FROM needed
    GROUP BY run_id
  ),

  programs AS (
    SELECT
      run_id, arg_min(n, (-t_end, task)) AS last,
      list({
        'n': n, 'worker': number, 't_start': t_start, 't_end': t_end, 't_submit': t_submit,
        'idle_from': idle_from, 'is_recorded': is_recorded, 'wait': wait, 'task': task
      }) AS tasks
    FROM waited
    GROUP BY run_id
  ),

  walked AS MATERIALIZED (
    SELECT
      p.run_id,
      walk_critical_path(p.tasks, coalesce(i.inputs, []), p.last, s.t_begin, s.workers) AS found
    FROM programs AS p
    JOIN span AS s ON p.run_id = s.run_id
    LEFT JOIN inputs AS i ON p.run_id = i.run_id
  ),

  -- until: when the path reaches a task, from its end
  path AS MATERIALIZED (
    SELECT
      w.run_id, w.worker, w.task, w.name, w.t_start, w.t_end, w.idle_from, step.*,
      coalesce(lag(step.leaves) OVER (PARTITION BY w.run_id ORDER BY place), w.t_end) AS until
    FROM (
      SELECT run_id, unnest(found.path) AS step, generate_subscripts(found.path, 1) AS place
      FROM walked
    ) AS p
    JOIN waited AS w ON p.run_id = w.run_id AND p.step.n = w.n
  ),

  -- before the last input was sent, others were in transit
  flight (run_id, n, worker, task, name, since, p, q) AS (
    SELECT run_id, n, worker, task, name, since, sent, greatest(since, sent)
    FROM path
    WHERE since IS NOT NULL
    UNION ALL
    SELECT
      a.run_id, a.n, a.worker, a.task, a.name, a.since, greatest(l.t_start, a.since),
      least(l.t_end, a.sent)
    FROM path AS a
    JOIN idle_latency AS l
      ON a.run_id = l.run_id AND a.worker = l.worker AND l.t_start < a.sent AND l.t_end > a.since
  ),

  part (run_id, t_start, t_end, worker, task, name, cause, is_assumed) AS (
    SELECT run_id, t_start, least(t_end, until), worker, task, name, 'compute', false FROM path
    UNION ALL
    SELECT run_id, t_end, until, worker, task, name, 'starvation', false FROM path
    UNION ALL
    SELECT
      run_id, gap_from, t_start, worker, task, name, if(is_recorded, 'overhead', 'unknown'), jumps
    FROM path
    UNION ALL
    SELECT run_id, greatest(sent, since), there, worker, task, name, 'latency', false FROM path
    UNION ALL
    SELECT run_id, p, q, worker, task, name, 'latency', false FROM flight
    UNION ALL
    SELECT
      run_id, lag(q, 1, since) OVER (PARTITION BY run_id, n ORDER BY p, q), p, worker, task, name,
      'overhead', false
    FROM flight
    UNION ALL
    SELECT run_id, idle_from, made, worker, task, name, 'starvation', false FROM path
    UNION ALL
    SELECT run_id, leaves, asked, worker, task, name, 'submission', is_assumed FROM path
  )

SELECT
  p.run_id,
  row_number() OVER (PARTITION BY p.run_id ORDER BY t_end DESC, t_start DESC, cause) AS step,
  t_start, t_end, worker, task, name, cause, is_assumed, t_end - t_start AS ns,
  e.* EXCLUDE (run_id)
FROM part AS p
JOIN (
  SELECT run_id, found.chain_end, found.placed_end, found.least_end, found.has_chains FROM walked
) AS e
  ON p.run_id = e.run_id
WHERE t_end > t_start;
