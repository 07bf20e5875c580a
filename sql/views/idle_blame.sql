-- requires: idle, idle_sums
--
-- Idle time by the type of task that ended it, and by the task and worker that caused it.

-- The type of each task; where files repeat a task, any one of its types.
CREATE OR REPLACE VIEW _task_types AS
SELECT run_id, task, any_value(name) AS name FROM tasks GROUP BY run_id, task;

CREATE OR REPLACE VIEW idle_by_type AS -- One row is one type of task in one reading: the idle time before tasks of that type.
WITH
  sums AS (
    SELECT
      i.run_id, i.mode, i.latency_rule,
      t.name, -- Type of the tasks that ended the idle intervals (tasks.name); NULL where unknown.
      count(*) AS intervals,
      sum(i.starvation) AS starvation, sum(i.latency) AS latency, sum(i.overhead) AS overhead,
      sum(i.ov_unsubmitted) AS unsubmitted, sum(i.not_recorded) AS not_recorded,
      any_value(d.doubt) AS doubt
    FROM idle_attribution AS i
    LEFT JOIN _task_types AS t ON i.run_id = t.run_id AND i.task = t.task
    LEFT JOIN (
      SELECT run_id, any_value(doubt) AS doubt FROM _worker_sums GROUP BY run_id
    ) AS d ON i.run_id = d.run_id
    WHERE i.kind <> 'tail'
    GROUP BY i.run_id, i.mode, i.latency_rule, t.name
  )

SELECT
  * EXCLUDE (doubt),
  _percent(
    starvation + latency + overhead,
    sum(starvation + latency + overhead) OVER (PARTITION BY run_id, mode, latency_rule)
  ) AS idle_percent, -- Share of the run's idle time, tails left out, %.
  _by_clocks(doubt, _dominant(starvation, latency, overhead, not_recorded)) AS dominant
FROM sums;

-- Sums by type of task waited for, and by worker; the other is NULL.
CREATE OR REPLACE VIEW _blamed AS
SELECT
  run_id, mode, latency_rule, grouping(blamed_type) = 0 AS is_type, blamed_type, blamed_worker,
  CAST(sum(intervals) AS BIGINT) AS intervals, sum(starvation1) AS starvation1,
  sum(starvation) AS starvation, sum(latency) AS latency, sum(overhead) AS overhead,
  _percent(
    sum(starvation1), sum(sum(starvation1)) OVER (PARTITION BY run_id, mode, latency_rule, is_type)
  ) AS blamed_percent
FROM _blame_sums
GROUP BY
  GROUPING SETS ((run_id, mode, latency_rule, blamed_type), (run_id, mode, latency_rule, blamed_worker));

CREATE OR REPLACE VIEW idle_by_blamed AS -- One row is one type of task that workers waited for, in one reading.
SELECT * EXCLUDE (is_type, blamed_worker) FROM _blamed WHERE is_type;

COMMENT ON COLUMN idle_by_blamed.blamed_type IS 'Type of the tasks waited for (tasks.name); NULL where unknown.';
COMMENT ON COLUMN idle_by_blamed.intervals IS 'Idle intervals that waited for one.';
COMMENT ON COLUMN idle_by_blamed.starvation IS 'Of it: starvation, ns.';
COMMENT ON COLUMN idle_by_blamed.latency IS 'Of it: latency passed on, ns.';
COMMENT ON COLUMN idle_by_blamed.overhead IS 'Of it: runtime work of their workers, and overhead passed on, ns.';

CREATE OR REPLACE VIEW idle_by_blamed_worker AS -- One row is one worker that others waited for, in one reading.
SELECT * EXCLUDE (is_type, blamed_type) FROM _blamed WHERE NOT is_type;

COMMENT ON COLUMN idle_by_blamed_worker.blamed_worker IS 'Worker waited for; NULL where unknown.';
COMMENT ON COLUMN idle_by_blamed_worker.intervals IS 'Idle intervals that waited for its tasks.';
COMMENT ON COLUMN idle_by_blamed_worker.starvation IS 'Of it: starvation, ns.';
COMMENT ON COLUMN idle_by_blamed_worker.latency IS 'Of it: latency passed on, ns.';
COMMENT ON COLUMN idle_by_blamed_worker.overhead IS 'Of it: runtime work of the worker, and overhead passed on, ns.';
