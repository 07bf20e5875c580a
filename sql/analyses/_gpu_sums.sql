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
  named AS (
    SELECT DISTINCT kind, operator, name, _operation(kind, operator, name) AS operation
    FROM (SELECT DISTINCT kind, operator, name FROM _gpu_lanes)
  ),

  -- what each adds to the time in which any of its like ran
  works AS (
    SELECT
      l.run_id, l.device, l.stream, l.step, l.t_start, l.t_end, l.kind, l.name, l.bytes, l.until,
      l.is_launched, l.t_submit, l.t_submitted, l.submitter,
      n.operation,
      greatest(0, t_end - greatest(t_start, until)) AS busy,
      greatest(0, t_end - greatest(t_start, max(t_end) OVER of_class)) AS added,
      greatest(0, t_end - greatest(t_start, max(t_end) OVER of_kind)) AS added_of_kind
    FROM _gpu_lanes AS l
    JOIN named AS n
      ON l.kind = n.kind AND l.operator IS NOT DISTINCT FROM n.operator
      AND l.name IS NOT DISTINCT FROM n.name
    WINDOW
      of_class AS (
        PARTITION BY run_id, device, stream, l.kind IN ('copy', 'fill')
        ORDER BY t_start, t_end, task ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ),
      of_kind AS (
        PARTITION BY run_id, device, stream, l.kind
        ORDER BY t_start, t_end, task ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      )
  ),

  marked AS (SELECT DISTINCT run_id, device FROM works WHERE step IS NOT NULL),

  -- the lanes, and of devices with steps these
  parts AS (
    SELECT *, CAST(NULL AS BIGINT) AS of_step, false AS is_step FROM works
    UNION ALL
    SELECT works.*, step, true
    FROM works
    SEMI JOIN marked ON works.run_id = marked.run_id AND works.device = marked.device
    WHERE stream IS NULL
  ),

  sums AS (
    SELECT
      run_id, device, stream, of_step AS step, is_step,
      min(t_start) AS t_begin, max(t_end) AS t_end, count(*) AS activities,
      CAST(sum(busy) AS BIGINT) AS busy,
      CAST(coalesce(sum(added) FILTER (kind IN ('kernel', 'communication')), 0) AS BIGINT)
        AS computing,
      CAST(coalesce(sum(added) FILTER (kind IN ('copy', 'fill')), 0) AS BIGINT) AS copying,
      CAST(coalesce(sum(added_of_kind) FILTER (kind = 'communication'), 0) AS BIGINT)
        AS communicating,
      CAST(sum(bytes) FILTER (kind = 'copy') AS BIGINT) AS copied_bytes,
      CAST(sum(t_end - t_start) FILTER (kind = 'copy' AND bytes IS NOT NULL) AS BIGINT)
        AS copied_ns,
      CAST(coalesce(sum(t_end - t_start) FILTER (kind = 'copy' AND name ILIKE '%pageable%'), 0) AS BIGINT)
        AS pageable_ns,
      CAST(coalesce(sum(t_end - t_start) FILTER (kind = 'copy' AND name ILIKE '%pinned%'), 0) AS BIGINT)
        AS pinned_ns,
      -- of a graph all kernels have one call
      count(DISTINCT (submitter, t_submit)) FILTER (is_launched) AS calls,
      CAST(avg(t_submitted - t_submit) FILTER (is_launched) AS BIGINT) AS call_ns
    FROM parts
    GROUP BY ALL
  ),

  by_operation AS (
    SELECT
      run_id, device, stream, of_step AS step, is_step, operation,
      CAST(sum(t_end - t_start) AS BIGINT) AS ns
    FROM parts
    GROUP BY ALL
  ),

  operations AS (
    SELECT
      run_id, device, stream, step, is_step,
      list_reverse_sort(list({'ns': ns, 'operation': operation})) AS operations
    FROM by_operation
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
      CAST(coalesce(sum(device_ns) FILTER (is_other_stream AND device_ns > 10000), 0) AS BIGINT)
        AS dependency
    FROM gaps
    GROUP BY ALL
  )

SELECT
  s.*, o.operations, coalesce(i.idle, 0) AS idle,
  coalesce(i.parts, {
    'sync': 0, 'copy': 0, 'memory': 0, 'launch': 0, 'operators': 0, 'python': 0, 'unrecorded': 0,
    'call': 0, 'device': 0, 'unknown': 0
  }) AS parts,
  coalesce(i.interpreter, 0) AS interpreter,
  coalesce(i.dependency, 0) AS dependency
FROM sums AS s
JOIN operations AS o
  ON s.run_id = o.run_id AND s.device = o.device AND s.stream IS NOT DISTINCT FROM o.stream
  AND s.step IS NOT DISTINCT FROM o.step AND s.is_step = o.is_step
LEFT JOIN idle AS i
  ON s.run_id = i.run_id AND s.device = i.device AND s.stream IS NOT DISTINCT FROM i.stream
  AND s.step IS NOT DISTINCT FROM i.step AND s.is_step = i.is_step;
