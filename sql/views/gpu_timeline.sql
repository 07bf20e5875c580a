-- requires: gpu_lanes
--
-- Devices, their streams and the threads that launched their work by time, to be drawn.

CREATE OR REPLACE VIEW _gpu_rows AS
WITH
  named AS (
    SELECT DISTINCT run_id, device, device AS worker, 0 AS kind FROM _gpu_works
    UNION ALL
    SELECT DISTINCT run_id, device, worker, 1 FROM _gpu_works
    UNION ALL
    SELECT DISTINCT run_id, NULL, submitter, 2 FROM tasks WHERE submitter IS NOT NULL
  )

SELECT
  run_id, worker, kind,
  row_number() OVER (PARTITION BY run_id ORDER BY device NULLS LAST, kind, worker) - 1 AS lane
FROM named;

-- One row is a work, a gap of a device (with its largest part and who was late), a task of a thread
-- that launches, or such a call.
CREATE OR REPLACE VIEW _gpu_pieces AS
WITH
  gaps AS (
    SELECT
      *,
      list_max([
        {'ns': sync_ns, 'part': 'sync'}, {'ns': copy_ns, 'part': 'copy'},
        {'ns': memory_ns, 'part': 'memory'}, {'ns': launch_ns, 'part': 'launch'},
        {'ns': operators_ns, 'part': 'operators'}, {'ns': python_ns, 'part': 'python'},
        {'ns': unrecorded_ns, 'part': 'unrecorded'}, {'ns': call_ns, 'part': 'call'},
        {'ns': device_ns, 'part': 'device'}, {'ns': unknown_ns, 'part': 'unknown'}
      ]).part AS part
    FROM gpu_gaps
    WHERE stream IS NULL
  )

SELECT
  r.run_id, r.lane, r.kind, w.t_start, w.t_end, 'busy' AS cause,
  CASE WHEN r.kind = 1 THEN w.name END AS what, w.task, CAST(NULL AS VARCHAR) AS late
FROM _gpu_works AS w
JOIN _gpu_rows AS r ON w.run_id = r.run_id AND (w.worker = r.worker OR w.device = r.worker)
  AND r.kind = if(w.worker = r.worker, 1, 0)
UNION ALL
SELECT r.run_id, r.lane, r.kind, g.t_start, g.t_end, g.part, NULL, g.task, g.late
FROM gaps AS g
JOIN _gpu_rows AS r ON g.run_id = r.run_id AND g.device = r.worker AND r.kind = 0
UNION ALL
SELECT r.run_id, r.lane, r.kind, t.t_start, t.t_end, 'thread', t.name, t.task, NULL
FROM tasks AS t
JOIN _gpu_rows AS r ON t.run_id = r.run_id AND t.worker = r.worker AND r.kind = 2
UNION ALL
SELECT r.run_id, r.lane, r.kind, t.t_submit, t.t_submitted, 'launching call', NULL, t.task, NULL
FROM tasks AS t
JOIN _gpu_rows AS r ON t.run_id = r.run_id AND t.submitter = r.worker AND r.kind = 2;
