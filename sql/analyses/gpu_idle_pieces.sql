-- key: run_id VARCHAR
-- scope: run_id
-- reads: tasks, workers, host_activity
-- requires: run_contents, gpu_lanes
-- functions:
--
-- Why devices idle: the gaps between the works of a device, and of its streams, piece by piece.
--
-- A gap is parted by the call that launched what ended it. What the thread of the call did before is
-- found without a search for overlaps: of a thing done and a gap that overlap, one starts within the
-- other, so that the last start before each start finds both.

-- inputs
SELECT run_id AS key, run_id AS scope, digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND rows['tasks'] > 0
  AND run_id IN (SELECT run_id FROM workers WHERE device IS NOT NULL);

-- rows
WITH
  gaps AS (
    SELECT
      run_id, device, stream, task, name, step, submitter, until AS t_start, t_start AS t_end,
      is_other_stream,
      row_number() OVER (PARTITION BY run_id, device, stream ORDER BY t_start) AS gap,
      CASE WHEN is_launched THEN least(greatest(t_submit, until), t_start) END AS begun,
      CASE WHEN is_launched THEN least(greatest(t_submitted, t_submit, until), t_start) END
        AS returned
    FROM _gpu_lanes
    WHERE t_start > until
  ),

  waits AS (FROM gaps WHERE begun > t_start),

  done AS (
    SELECT
      * REPLACE (least(t_end, lead(t_start) OVER thread) AS t_end),
      (lag(t_start) OVER thread) IS NULL AS is_first,
      lead(t_start) OVER thread AS follows
    FROM host_activity
    WINDOW thread AS (PARTITION BY run_id, worker ORDER BY t_start, t_end)
  ),

  -- all time of a thread: what it did, and between these what was not recorded
  host AS (
    SELECT run_id, worker, t_start, t_end, doing, name, operator, false AS is_interpreter
    FROM done
    WHERE t_end > t_start
    UNION ALL
    SELECT
      run_id, worker, t_end, coalesce(follows, 9223372036854775807), 'unrecorded', NULL, NULL,
      follows IS NOT NULL AND follows - t_end < 200000
    FROM done
    WHERE follows > t_end OR follows IS NULL
    UNION ALL
    SELECT run_id, worker, -9223372036854775807, t_start, 'unrecorded', NULL, NULL, false
    FROM done
    WHERE is_first
  ),

  lanes AS (SELECT DISTINCT run_id, device, stream, submitter FROM waits),

  of_lanes AS (
    SELECT l.device, l.stream, h.*
    FROM host AS h
    JOIN lanes AS l ON h.run_id = l.run_id AND h.worker = l.submitter
  ),

  shared AS (
    SELECT w.*, h.t_start AS from_ns, h.t_end AS to_ns, h.doing, h.name AS done, h.operator,
      h.is_interpreter
    FROM waits AS w
    ASOF JOIN host AS h
      ON w.run_id = h.run_id AND w.submitter = h.worker AND w.t_start >= h.t_start
    UNION ALL
    SELECT w.*, h.t_start, h.t_end, h.doing, h.name, h.operator, h.is_interpreter
    FROM of_lanes AS h
    ASOF JOIN waits AS w
      ON h.run_id = w.run_id AND h.device = w.device
      AND coalesce(h.stream, '') = coalesce(w.stream, '') AND h.worker = w.submitter
      AND h.t_start > w.t_start
    WHERE h.t_start < w.begun
  ),

  pieces AS (
    SELECT
      run_id, device, stream, gap, greatest(t_start, from_ns) AS t_start,
      least(begun, to_ns) AS t_end, doing AS part, done AS name, operator, is_interpreter,
      false AS is_dependency, task, step
    FROM shared
    UNION ALL
    -- of a thread of which nothing is known
    SELECT
      run_id, device, stream, gap, t_start, begun, 'unrecorded', NULL, NULL, false, false, task, step
    FROM waits
    ANTI JOIN host ON waits.run_id = host.run_id AND waits.submitter = host.worker
    UNION ALL
    SELECT run_id, device, stream, gap, begun, returned, 'call', name, NULL, false, false, task, step
    FROM gaps
    UNION ALL
    SELECT
      run_id, device, stream, gap, returned, t_end, 'device', name, NULL, false,
      is_other_stream AND t_end - returned > 10000, task, step
    FROM gaps
    UNION ALL
    SELECT run_id, device, stream, gap, t_start, t_end, 'unknown', name, NULL, false, false, task, step
    FROM gaps
    WHERE begun IS NULL
  )

SELECT * FROM pieces WHERE t_end > t_start;
