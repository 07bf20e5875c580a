-- key: run_id VARCHAR
-- scope: run_id
-- reads: idle_intervals, idle_latency, nodes, runtime_intervals, task_data, task_inputs, tasks, tasks_in_turn, transfers, workers
-- requires: run_contents, workers
-- functions: critical_path, replay
--
-- What follows from the graph of the tasks of a run: the critical path, the chain of tasks and waits that
-- determines its end, and how much shorter the run could be: bounds, and what a replay gains.
--
-- Two million tasks take 4 GB of memory, and of more nothing is found. More than 20,000 are not replayed:
-- of 100,000 the replays would take a third of the time in which they land.

-- inputs
SELECT run_id AS key, run_id AS scope, digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND rows['tasks'] BETWEEN 1 AND 2_000_000;

-- rows
WITH
  worker AS MATERIALIZED (
    SELECT
      c.run_id, c.worker, c.node, c.ahead, k.kind, w.t_begin, w.t_end,
      row_number() OVER (PARTITION BY c.run_id ORDER BY c.worker) - 1 AS place
    FROM _worker_clocks AS c
    JOIN _worker_windows AS w ON c.run_id = w.run_id AND c.worker = w.worker
    JOIN _worker_kinds AS k ON c.run_id = k.run_id AND c.worker = k.worker
  ),

  span AS (
    SELECT
      run_id, min(t_begin) AS t_begin, max(t_end) AS t_end, count(*) AS several,
      sum(CAST(t_end - t_begin AS HUGEINT)) AS wall,
      list({'t_begin': t_begin, 'kind': kind} ORDER BY place) AS workers
    FROM worker
    GROUP BY run_id
  ),

  task AS MATERIALIZED (
    SELECT
      t.run_id, t.worker, w.place, w.node, w.ahead, t.task, t.name,
      t.t_start - w.ahead AS t_start, t.t_end - w.ahead AS t_end,
      t.t_submit - w.ahead AS t_submit, row_number() OVER () AS n
    FROM tasks AS t
    JOIN worker AS w ON t.run_id = w.run_id AND t.worker = w.worker
  ),

  -- latency before and after its submission, and the rest of the wait
  waited AS MATERIALIZED (
    SELECT
      task.*, i.t_start AS idle_from, CAST(coalesce(i.is_recorded, true) AS INTEGER) AS is_recorded,
      coalesce(
        least(i.t_end, greatest(task.t_submit, i.t_start + i.starvation1))
          - i.t_start - i.starvation1 - i.ov_unsubmitted,
        0
      ) AS early,
      coalesce(i.latency - early, 0) AS late, coalesce(i.ov_rest - i.ov_unsubmitted, 0) AS rest
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
      run_id, arg_min(n, (-t_end, task)) AS last, min(t_start) AS first_start, min(t_end) AS first_end,
      max(t_end) AS last_end, max(t_end - t_start) AS longest,
      list({
        'n': n, 'worker': place, 't_start': t_start, 't_end': t_end, 't_submit': t_submit,
        'idle_from': idle_from, 'early': early, 'late': late, 'rest': rest, 'is_recorded': is_recorded,
        'task': task
      }) AS tasks
    FROM waited
    GROUP BY run_id
  ),

  -- the lists of a few tasks are kept for the replay; those of many take seconds to pass on
  walked AS MATERIALIZED (
    SELECT
      g.* EXCLUDE (last, tasks, inputs), walk_critical_path(tasks, inputs, workers, last) AS found,
      CASE WHEN len(tasks) <= 20_000 THEN tasks END AS few, CASE WHEN few IS NOT NULL THEN inputs END AS inputs
    FROM (
      SELECT p.*, s.* EXCLUDE (run_id), coalesce(i.inputs, []) AS inputs
      FROM programs AS p
      JOIN span AS s ON p.run_id = s.run_id
      LEFT JOIN inputs AS i ON p.run_id = i.run_id
    ) AS g
  ),

  -- until: when the path reaches a task, from its end
  path AS MATERIALIZED (
    SELECT
      w.run_id, w.worker, w.task, w.name, w.t_start, w.t_end, w.idle_from, step.*,
      coalesce(lag(step.leaves) OVER (PARTITION BY w.run_id ORDER BY p.place), w.t_end) AS until
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

  -- is_after: between the end of a task and when its datum was made the runtime may have been at work
  part (run_id, t_start, t_end, worker, task, name, cause, is_assumed, is_after) AS (
    SELECT run_id, t_start, least(t_end, until), worker, task, name, 'compute', false, false FROM path
    UNION ALL
    SELECT run_id, t_end, until, worker, task, name, 'starvation', false, true FROM path
    UNION ALL
    SELECT
      run_id, gap_from, t_start, worker, task, name, if(is_recorded, 'overhead', 'unknown'), jumps, false
    FROM path
    UNION ALL
    SELECT run_id, greatest(sent, since), there, worker, task, name, 'latency', false, false FROM path
    UNION ALL
    SELECT run_id, p, q, worker, task, name, 'latency', false, false FROM flight
    UNION ALL
    SELECT
      run_id, lag(q, 1, since) OVER (PARTITION BY run_id, n ORDER BY p, q), p, worker, task, name,
      'overhead', false, false
    FROM flight
    UNION ALL
    SELECT run_id, idle_from, made, worker, task, name, 'starvation', false, false FROM path
    UNION ALL
    SELECT run_id, leaves, asked, worker, task, name, 'submission', is_assumed, false FROM path
  ),

  steps AS MATERIALIZED (
    SELECT
      *, t_end - t_start AS ns,
      row_number() OVER (PARTITION BY run_id ORDER BY t_end DESC, t_start DESC, cause) AS step
    FROM part
    WHERE t_end > t_start
  ),

  paths AS (
    SELECT
      run_id,
      list({
        'step': step, 't_start': t_start, 't_end': t_end, 'worker': worker, 'task': task, 'name': name,
        'cause': cause, 'is_assumed': is_assumed, 'ns': ns
      }) AS path,
      sum(if(cause = 'latency', ns, 0)) AS latency,
      sum(if(cause = 'compute', 0, ns)) AS waits,
      sum(if(cause = 'overhead' OR is_after, ns, 0)) AS overhead
    FROM steps
    GROUP BY run_id
  ),

  -- the longest parts that can be shorter, and the tasks of a few that the replay halves
  long AS MATERIALIZED (
    SELECT
      run_id, name, cause, CAST(sum(ns) AS BIGINT) AS ns,
      row_number() OVER (PARTITION BY run_id ORDER BY sum(ns) DESC, name, cause) AS place
    FROM steps
    WHERE cause IN ('compute', 'latency', 'overhead')
    GROUP BY run_id, name, cause
    QUALIFY place <= 8
  ),

  halves AS (
    SELECT run_id, list({'cause': cause, 'tasks': of} ORDER BY place) AS parts
    FROM (
      SELECT l.run_id, l.place, l.cause, list(t.n) AS of
      FROM long AS l
      JOIN (FROM task WHERE run_id IN (SELECT run_id FROM walked WHERE few IS NOT NULL)) AS t
        ON l.run_id = t.run_id AND l.name IS NOT DISTINCT FROM t.name
      GROUP BY l.run_id, l.place, l.cause
    )
    GROUP BY run_id
  ),

  replay AS MATERIALIZED (
    SELECT w.run_id, replay_tasks(few, inputs, workers, coalesce(parts, [])) AS found
    FROM walked AS w
    LEFT JOIN halves USING (run_id)
    WHERE few IS NOT NULL
  ),

  -- idle: of all time; is_known: the trace tells the cause of more than half of the waits
  idle AS (
    SELECT
      run_id, sum(t_end - t_start) AS idle,
      coalesce(
        sum(t_end - t_start) FILTER (kind <> 'tail')
        > 2 * sum(if(is_recorded = false, ov_rest - ov_unsubmitted, 0)) FILTER (kind <> 'tail'),
        true
      ) AS is_known
    FROM idle_intervals
    GROUP BY run_id
  ),

  -- the trace has something of what causes waits
  with_causes AS (
    SELECT run_id FROM task_inputs
    UNION
    SELECT run_id FROM runtime_intervals
  ),

  -- tasks that may need one that ended before, of which the trace does not tell
  loose AS (
    SELECT DISTINCT run_id
    FROM programs
    JOIN task USING (run_id)
    ANTI JOIN read USING (run_id, n)
    WHERE t_start >= first_end
  ),

  -- By how much the run can end sooner at most: as placed, with its tasks placed anew, and, beyond what a
  -- replay on the same workers takes, on one more. Without its latency or overhead the critical path is
  -- still a chain of constraints, so a run with the same placement and order cannot gain more. No schedule
  -- of the measured durations ends before their longest chain of dependences, nor is shorter than all work
  -- spread evenly over the workers, nor than tasks that took turns, which then they still do. What one more
  -- worker gains is not what the same workers would with tasks placed anew.
  room AS (
    SELECT
      w.run_id, w.t_end - w.t_begin AS whole, coalesce(p.latency, 0) AS latency,
      coalesce(p.overhead, 0) AS overhead, u.run_id IS NOT NULL AS is_loose, r.found AS replayed,
      last_end - greatest(
        w.found.chain_end, w.t_begin + (wall - coalesce(idle, 0) + several - 1) // several,
        w.t_begin + turns.ns
      ) AS of_run,
      coalesce(is_known, true) AND c.run_id IS NOT NULL AS is_recorded,
      first_start + coalesce(turns.ns, 0) AS turned,
      -- a chain of several tasks that hardly waits is nearly all of the time
      is_recorded AND w.found.chain_end - w.t_begin > w.longest
        AND greatest(last_end - w.found.chain_end, p.waits) < 0.05 * whole AS is_chain,
      last_end - greatest(turned, w.found.placed_end) AS of_placement,
      CASE WHEN is_recorded AND r.found.listed IS NOT NULL
        THEN last_end - least(last_end, greatest(turned, r.found.listed)) END AS replaced,
      CASE WHEN w.found.least_end IS NOT NULL
        THEN last_end - coalesce(replaced, 0) - greatest(turned, w.found.least_end) END AS of_one_more
    FROM walked AS w
    LEFT JOIN paths AS p ON w.run_id = p.run_id
    LEFT JOIN replay AS r ON w.run_id = r.run_id
    LEFT JOIN idle ON w.run_id = idle.run_id
    LEFT JOIN (
      SELECT run_id, max(ns) AS ns FROM tasks_in_turn GROUP BY run_id
    ) AS turns ON w.run_id = turns.run_id
    LEFT JOIN with_causes AS c ON w.run_id = c.run_id
    LEFT JOIN loose AS u ON w.run_id = u.run_id
  ),

  -- where the causes of waits are unknown, so is what it would gain to be without one
  gain AS (
    SELECT
      run_id, NULL AS name, NULL AS cause,
      unnest(
        [
          {'change': 'no latency', 'bound': least(latency, of_run), 'replay': replayed.no_latency, 'is_assumed': false},
          {'change': 'no overhead', 'bound': least(overhead, of_run), 'replay': replayed.no_overhead, 'is_assumed': false},
          {'change': 'other placement', 'bound': of_placement, 'replay': replaced, 'is_assumed': is_loose},
          {
            'change': 'one more worker', 'bound': of_one_more,
            'replay': CASE WHEN is_recorded THEN replayed.one_more_worker END, 'is_assumed': is_loose
          }
        ][if(is_recorded, 1, 4):if(of_one_more IS NULL, 3, 4)],
        recursive := true
      )
    FROM room
    UNION ALL BY NAME
    -- of a chain, half as long, half is gained at most
    SELECT
      l.run_id, 'half as long' AS change, l.name, l.cause, l.ns // 2 AS bound, r.found.halved[l.place] AS replay,
      false AS is_assumed
    FROM long AS l
    LEFT JOIN replay AS r ON l.run_id = r.run_id
  ),

  -- the replay does not know of turns, nor of what an unknown wait was for
  gains AS (
    SELECT
      g.run_id,
      list({
        'change': change, 'name': name, 'cause': cause, 'gain_at_most': at_most,
        'percent': 100 * CAST(at_most AS DOUBLE) / whole, 'replay_gain': gained,
        'replay_percent': 100 * CAST(gained AS DOUBLE) / whole, 'is_recorded': is_recorded,
        'is_assumed': is_assumed
      }) AS gains
    FROM (
      SELECT
        *, CAST(greatest(0, bound) AS BIGINT) AS at_most, if(replay > at_most, at_most, replay) AS gained
      FROM gain
    ) AS g
    JOIN room ON g.run_id = room.run_id
    WHERE whole > 0
    GROUP BY g.run_id
  )

SELECT
  walked.run_id, coalesce(paths.path, []) AS path, coalesce(gains.gains, []) AS gains, room.is_chain
FROM walked
JOIN room ON walked.run_id = room.run_id
LEFT JOIN paths ON walked.run_id = paths.run_id
LEFT JOIN gains ON walked.run_id = gains.run_id;
