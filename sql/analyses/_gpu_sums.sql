-- key: run_id VARCHAR
-- scope: run_id
-- reads: tasks, workers, gpu_gaps
-- requires: run_contents, gpu_lanes
-- functions:
--
-- What devices, their streams, and devices by step did: busy time by kind, idle time by part.

-- inputs
SELECT run_id AS key, run_id AS scope, digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND rows['tasks'] > 0
  AND run_id IN (SELECT run_id FROM workers WHERE device IS NOT NULL);

-- rows
WITH
  named AS MATERIALIZED (
    SELECT
      kind, operator, name, _operation(kind, operator, name) AS operation,
      kind = 'copy' AND name ILIKE '%pageable%' AS is_pageable,
      kind = 'copy' AND name ILIKE '%pinned%' AS is_pinned
    FROM (SELECT DISTINCT kind, operator, name FROM _gpu_works)
  ),

  -- what each adds to the time in which any of its like ran
  works AS (
    SELECT
      *,
      greatest(0, t_end - greatest(t_start, until)) AS busy,
      greatest(0, t_end - greatest(t_start, max(t_end) OVER of_class)) AS added,
      greatest(0, t_end - greatest(t_start, max(t_end) OVER of_kind)) AS of_its_kind
    FROM _gpu_lanes
    WINDOW
      of_class AS (
        PARTITION BY run_id, device, stream, kind IN ('copy', 'fill')
        ORDER BY t_start, t_end, task ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ),
      of_kind AS (
        PARTITION BY run_id, device, stream, kind
        ORDER BY t_start, t_end, task ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      )
  ),

  by_operation AS MATERIALIZED (
    SELECT
      w.run_id, w.device, w.stream, w.step, n.operation, w.operator,
      w.kind IN ('copy', 'fill') AS is_copying,
      min(t_start) AS t_begin, max(t_end) AS t_end, count(*) AS activities, sum(busy) AS busy,
      sum(added) AS added,
      sum(of_its_kind) FILTER (w.kind = 'communication') AS communicating,
      sum(of_its_kind) FILTER (w.kind = 'kernel') AS calculating, sum(w.t_end - t_start) AS ns,
      sum(bytes) FILTER (w.kind = 'copy') AS copied_bytes,
      sum(w.t_end - t_start) FILTER (w.kind = 'copy' AND bytes IS NOT NULL) AS copied_ns,
      sum(w.t_end - t_start) FILTER (is_pageable) AS pageable_ns,
      sum(w.t_end - t_start) FILTER (is_pinned) AS pinned_ns,
      sum(t_submitted - t_submit) AS calls_ns, count(t_submitted - t_submit) AS calls
    FROM works AS w
    JOIN named AS n
      ON w.kind = n.kind AND w.operator IS NOT DISTINCT FROM n.operator
      AND w.name IS NOT DISTINCT FROM n.name
    GROUP BY ALL
  ),

  marked AS (SELECT DISTINCT run_id, device FROM by_operation WHERE step IS NOT NULL),

  -- the lanes, and of devices with steps these
  lanes AS (
    SELECT *, CAST(NULL AS BIGINT) AS of_step, false AS is_step FROM by_operation
    UNION ALL
    SELECT o.*, step, true
    FROM by_operation AS o
    SEMI JOIN marked ON o.run_id = marked.run_id AND o.device = marked.device
    WHERE stream IS NULL
  ),

  sums AS (
    SELECT
      run_id, device, stream, of_step AS step, is_step,
      min(t_begin) AS t_begin, max(t_end) AS t_end,
      CAST(sum(activities) AS BIGINT) AS activities,
      CAST(sum(busy) AS BIGINT) AS busy,
      CAST(coalesce(sum(added) FILTER (NOT is_copying), 0) AS BIGINT) AS computing,
      CAST(coalesce(sum(added) FILTER (is_copying), 0) AS BIGINT) AS copying,
      CAST(coalesce(sum(communicating), 0) AS BIGINT) AS communicating,
      CAST(coalesce(sum(calculating), 0) AS BIGINT) AS calculating,
      CAST(sum(copied_bytes) AS BIGINT) AS copied_bytes,
      CAST(sum(copied_ns) AS BIGINT) AS copied_ns,
      CAST(coalesce(sum(pageable_ns), 0) AS BIGINT) AS pageable_ns,
      CAST(coalesce(sum(pinned_ns), 0) AS BIGINT) AS pinned_ns,
      CAST(sum(calls_ns) / nullif(sum(calls), 0) AS BIGINT) AS call_ns
    FROM lanes
    GROUP BY ALL
  ),

  by_operator AS (
    SELECT
      run_id, device, stream, of_step AS step, is_step, operation, operator,
      CAST(sum(ns) AS BIGINT) AS ns, CAST(sum(activities) AS BIGINT) AS calls
    FROM lanes
    GROUP BY ALL
  ),

  operations AS (
    SELECT
      run_id, device, stream, step, is_step,
      list_reverse_sort(list({'ns': ns, 'operation': operation})) AS operations,
      list_reverse_sort(flatten(list(operators))) AS operators
    FROM (
      SELECT
        run_id, device, stream, step, is_step, operation, CAST(sum(ns) AS BIGINT) AS ns,
        list({'ns': ns, 'operation': operation, 'operator': operator, 'calls': calls}) AS operators
      FROM by_operator
      GROUP BY ALL
    )
    GROUP BY ALL
  ),

  gaps AS (
    SELECT *, CAST(NULL AS BIGINT) AS of_step, false AS is_step FROM gpu_gaps
    UNION ALL
    SELECT g.*, step, true
    FROM gpu_gaps AS g
    SEMI JOIN marked ON g.run_id = marked.run_id AND g.device = marked.device
    WHERE stream IS NULL
  ),

  idle AS (
    SELECT
      run_id, device, stream, of_step AS step, is_step,
      CAST(sum(t_end - t_start) AS BIGINT) AS idle,
      {
        'sync': CAST(sum(sync_ns) AS BIGINT),
        'copy': CAST(sum(copy_ns) AS BIGINT),
        'memory': CAST(sum(memory_ns) AS BIGINT),
        'launch': CAST(sum(launch_ns) AS BIGINT),
        'operators': CAST(sum(operators_ns) AS BIGINT),
        'python': CAST(sum(python_ns) AS BIGINT),
        'unrecorded': CAST(sum(unrecorded_ns) AS BIGINT),
        'call': CAST(sum(call_ns) AS BIGINT),
        'device': CAST(sum(device_ns) AS BIGINT),
        'unknown': CAST(sum(unknown_ns) AS BIGINT)
      } AS parts,
      CAST(sum(interpreter_ns) AS BIGINT) AS interpreter,
      CAST(
        coalesce(sum(device_ns) FILTER (is_other_stream AND device_ns > 10000), 0) AS BIGINT
      ) AS dependency,
      CAST(coalesce(sum(staging_ns), 0) AS BIGINT) AS staging
    FROM gaps
    GROUP BY ALL
  )

SELECT
  s.*, o.operations, o.operators, coalesce(i.idle, 0) AS idle,
  coalesce(i.parts, {
    'sync': 0, 'copy': 0, 'memory': 0, 'launch': 0, 'operators': 0, 'python': 0, 'unrecorded': 0,
    'call': 0, 'device': 0, 'unknown': 0
  }) AS parts,
  coalesce(i.interpreter, 0) AS interpreter, coalesce(i.dependency, 0) AS dependency,
  coalesce(i.staging, 0) AS staging
FROM sums AS s
JOIN operations AS o
  ON s.run_id = o.run_id AND s.device = o.device AND s.stream IS NOT DISTINCT FROM o.stream
  AND s.step IS NOT DISTINCT FROM o.step AND s.is_step = o.is_step
LEFT JOIN idle AS i
  ON s.run_id = i.run_id AND s.device = i.device AND s.stream IS NOT DISTINCT FROM i.stream
  AND s.step IS NOT DISTINCT FROM i.step AND s.is_step = i.is_step;
