-- requires: flags, workers, idle, idle_path
--
-- Idle attribution (_worker_sums) by worker, node and run.
--
-- Percentages are of workers x window: of the worker's window, or of the sum of all windows. Sums
-- over workers are 128-bit integers: ten thousand workers exceed 64 bits in eleven days.
--
-- The root of a wait is taken over a window, not by a join: a condition on runs reaches the rows.

CREATE OR REPLACE MACRO _percent(part, whole) AS 100 * CAST(part AS DOUBLE) / nullif(whole, 0);

-- The largest of the three, where the trace tells the cause of more than half of the waits.
CREATE OR REPLACE MACRO _dominant(starvation, latency, overhead, not_recorded) AS CASE
  WHEN starvation + latency + overhead > 2 * not_recorded THEN CASE
    WHEN starvation >= overhead - not_recorded AND starvation >= latency THEN 'starvation'
    WHEN latency >= overhead - not_recorded THEN 'latency'
    ELSE 'overhead'
  END
END;

-- A cause, unless the clocks of nodes are proven to be apart: then none is known.
CREATE OR REPLACE MACRO _by_clocks(doubt, cause) AS
  CASE WHEN doubt.code IS DISTINCT FROM 'clocks_disagree' THEN cause END;

-- Why a cause, or its root, is doubtful, or unknown though there are waits: the clocks of nodes; of
-- most waits, whose inputs are recorded (unfollowed), the trace does not tell how these came, or who
-- made them; or it has nothing.
CREATE OR REPLACE MACRO _why_unknown(doubt, cause, root, waits, unfollowed, not_recorded) AS CASE
  WHEN waits = 0 OR doubt.code = 'clocks_disagree' THEN if(waits > 0, doubt, NULL)
  WHEN cause IS NULL OR root IS NULL
    THEN _flag(if(2 * unfollowed > not_recorded, 'causes_unfollowed', 'causes_unrecorded'))
  ELSE doubt
END;

-- What dominates when waits are followed back to their root: of the sums of the transitive mode.
CREATE OR REPLACE MACRO _root(doubt, starvation, latency, overhead, unsubmitted, not_recorded) AS {
  'cause': _by_clocks(doubt, _dominant(starvation, latency, overhead, not_recorded)),
  'is_unsubmitted': 2 * unsubmitted > overhead - not_recorded
};

-- What else so much overhead, ns, may be, as the trace does not tell that it is the runtime's.
CREATE OR REPLACE MACRO _perhaps_not_runtime(run, overhead) AS
  CASE
    WHEN 2 * run.runtime_ns >= overhead THEN ''
    ELSE if(run.submissions = 0, ' Or nothing was submitted: when is not recorded.', '')
      || if(
        run.runtime_ns IS NULL, '',
        ' Work of the runtime is recorded for less than half of it: what tasks waited for may be missing.'
      )
  END;

-- What usually helps, by what is known of the run's tasks (_run_tasks), the number of workers, and the
-- overhead, ns.
CREATE OR REPLACE MACRO _advice(root, run, workers, overhead) AS CASE
  WHEN root.cause IS NOT NULL AND run.on_device
    THEN 'A device is no runtime of tasks: what limits it is in gpu_verdicts, what would help in gpu_gains.'
  WHEN root.cause = 'overhead' AND root.is_unsubmitted AND run.path_cause = 'latency'
    THEN 'Nothing was submitted: the program waited for data in transit before it asked for more tasks. '
      || 'Slow network, poor placement of data, or detours on the way.'
  WHEN root.cause = 'overhead' AND root.is_unsubmitted
    THEN 'Nothing was submitted: the program asked for its tasks too late.'
  WHEN root.cause IS NOT NULL AND run.nothing_helps AND run.path_cause = 'compute'
    THEN 'Neither more workers nor less waiting would help: the chain of tasks that need each other is '
      || 'all of the time.'
  WHEN root.cause = 'starvation' AND run.is_chain
    THEN 'More workers will hardly help: tasks wait for each other in a chain, which has to become '
      || 'shorter.'
  WHEN root.cause = 'starvation' AND (run.task_ns < 1e6 OR run.tasks > 100 * workers)
    THEN 'Too little parallelism here, or poor placement of tasks.'
  WHEN root.cause = 'starvation'
    THEN 'Too little parallelism here, tasks too coarse, or poor placement of tasks.'
  WHEN root.cause = 'latency'
    THEN 'Slow network, poor placement of data, or detours on the way.'
  -- shorter than 10 ms, too fine for a runtime that takes time for each
  WHEN root.cause = 'overhead' AND run.task_ns < 1e7
    THEN 'Tasks too fine, or an inefficient runtime.' || _perhaps_not_runtime(run, overhead)
  WHEN root.cause = 'overhead'
    THEN 'The runtime is slow to start tasks that are ready: its scheduling, or a lock or limit of it.'
      || _perhaps_not_runtime(run, overhead)
END;

-- Figures that follow from sums, their root, the tasks of the run and the number of workers.
CREATE OR REPLACE MACRO _figures(sums, root, run, workers) AS {
  'busy_percent': _percent(sums.busy, sums.wall),
  'starvation_percent': _percent(sums.starvation, sums.wall),
  'latency_percent': _percent(sums.latency, sums.wall),
  'overhead_percent': _percent(sums.overhead - sums.not_recorded, sums.wall),
  'not_recorded_percent': _percent(sums.not_recorded, sums.wall),
  'tail_percent': _percent(sums.tail, sums.wall),
  'unsubmitted_percent': _percent(sums.unsubmitted, sums.wall),
  'dominant': _by_clocks(
    sums.doubt, _dominant(sums.starvation, sums.latency, sums.overhead, sums.not_recorded)
  ),
  'advice': _advice(root, run, workers, sums.overhead - sums.not_recorded),
  'root_cause': root.cause,
  'reason': _why_unknown(
    sums.doubt, _dominant(sums.starvation, sums.latency, sums.overhead, sums.not_recorded), root.cause,
    sums.starvation + sums.latency + sums.overhead, sums.unfollowed, sums.not_recorded
  )
};

-- Tasks of runs, how long they are on average, ns, how long the runtime worked, whether gpu_verdicts has
-- a device of the run, what most of the critical path is, whether a chain of tasks is nearly all of the
-- time (_task_graphs), and whether then nothing gains anything.
CREATE OR REPLACE VIEW _run_tasks AS
WITH
  gains AS (
    SELECT
      run_id,
      bool_and(is_recorded AND coalesce(replay_gain, gain_at_most) = 0)
        FILTER (change <> 'half as long') AS nothing_helps
    FROM idle_gains
    GROUP BY run_id
  ),

  path AS (
    SELECT run_id, any_value(cause) AS path_cause
    FROM (SELECT run_id, cause, sum(percent) AS percent FROM critical_path_shares GROUP BY run_id, cause)
    WHERE percent > 50
    GROUP BY run_id
  )

SELECT t.*, r.runtime_ns, d.run_id IS NOT NULL AS on_device, c.is_chain, c.is_chain AND g.nothing_helps AS nothing_helps, p.path_cause
FROM (
  SELECT
    run_id, count(*) AS tasks, avg(t_end - t_start) AS task_ns, count(t_submit) AS submissions
  FROM tasks
  GROUP BY run_id
) AS t
LEFT JOIN (
  SELECT run_id, sum(coalesce(total_ns, t_end - t_start)) AS runtime_ns
  FROM runtime_intervals
  GROUP BY run_id
) AS r ON t.run_id = r.run_id
LEFT JOIN (SELECT DISTINCT run_id FROM _gpu_sums) AS d ON t.run_id = d.run_id
LEFT JOIN _task_graphs AS c ON t.run_id = c.run_id
LEFT JOIN gains AS g ON t.run_id = g.run_id
LEFT JOIN path AS p ON t.run_id = p.run_id;

CREATE OR REPLACE VIEW slo_by_worker AS -- One row is one worker in one reading: wall = busy + starvation + latency + overhead + tail, to the nanosecond.
WITH
  rooted AS (
    SELECT
      *,
      any_value(_root(doubt, starvation, latency, overhead, unsubmitted, not_recorded))
        FILTER (mode = 'transitive') OVER (PARTITION BY run_id, latency_rule, worker) AS root
    FROM _worker_sums
  ),

  figured AS (
    SELECT s.*, _figures(s, s.root, l, count(*) OVER (PARTITION BY s.run_id, s.mode, s.latency_rule)) AS figures
    FROM rooted AS s
    LEFT JOIN _run_tasks AS l ON s.run_id = l.run_id
  )

SELECT * EXCLUDE (root, unfollowed, doubt, figures), figures.*
FROM figured;

COMMENT ON COLUMN slo_by_worker.kind IS 'What it is: stream or copy (engine) of a device, host (a thread that launches work for one), runtime (driver, scheduler), process, or cpu (a thread that runs tasks).';
COMMENT ON COLUMN slo_by_worker.is_judged IS 'Whether it counts in slo_by_kind: it is none of the runtime''s, and ran tasks for a hundredth of its window, or the trace states when it could.';
COMMENT ON COLUMN slo_by_worker.wall IS 'Length of the worker''s window, ns.';
COMMENT ON COLUMN slo_by_worker.busy IS 'Time in which at least one task ran on it, ns.';
COMMENT ON COLUMN slo_by_worker.advice IS 'What the root cause usually means, and what to look at.';
COMMENT ON COLUMN slo_by_worker.reason IS 'Why dominant or root_cause is unknown, though there are waits: of half of the waits or more the trace does not tell the cause, or the clocks of nodes are apart; or why they are doubtful: clocks may be apart.';

CREATE OR REPLACE VIEW idle_by_node AS -- One row is one node of a run in one reading.
WITH
  sums AS (
    SELECT
      run_id, mode, latency_rule,
      node, -- Node; NULL for workers whose node is unknown.
      count(*) AS workers, sum(intervals) AS intervals,
      sum(wall) AS wall, sum(busy) AS busy, sum(starvation) AS starvation, sum(latency) AS latency,
      sum(overhead) AS overhead, sum(unsubmitted) AS unsubmitted,
      sum(not_recorded) AS not_recorded, sum(tail) AS tail, any_value(doubt) AS doubt
    FROM _worker_sums
    GROUP BY run_id, mode, latency_rule, node
  )

SELECT
  * EXCLUDE (doubt),
  _percent(starvation, wall) AS starvation_percent,
  _percent(latency, wall) AS latency_percent,
  _percent(overhead - not_recorded, wall) AS overhead_percent,
  _percent(not_recorded, wall) AS not_recorded_percent,
  _by_clocks(doubt, _dominant(starvation, latency, overhead, not_recorded)) AS dominant
FROM sums;

-- The sums of each kind of worker, and of all workers.
CREATE OR REPLACE VIEW _kind_sums AS
SELECT
  run_id, mode, latency_rule, of_kind AS kind,
  grouping(of_kind) = 1 AS is_whole, count(*) AS workers,
  CAST(sum(intervals) AS BIGINT) AS intervals, sum(wall) AS wall, sum(busy) AS busy,
  sum(starvation) AS starvation, sum(latency) AS latency, sum(overhead) AS overhead,
  sum(unsubmitted) AS unsubmitted, sum(not_recorded) AS not_recorded,
  sum(unfollowed) AS unfollowed, sum(tail) AS tail, any_value(doubt) AS doubt
FROM (
  SELECT *, if(is_judged OR kind = 'runtime', kind, 'not judged') AS of_kind FROM _worker_sums
)
GROUP BY GROUPING SETS ((run_id, mode, latency_rule), (run_id, mode, latency_rule, of_kind));

CREATE OR REPLACE VIEW _slo_of_kinds AS
WITH
  rooted AS (
    SELECT
      *,
      any_value(_root(doubt, starvation, latency, overhead, unsubmitted, not_recorded))
        FILTER (mode = 'transitive') OVER (PARTITION BY run_id, latency_rule, is_whole, kind) AS root
    FROM _kind_sums
  ),

  figured AS (
    SELECT s.*, _figures(s, s.root, l, s.workers) AS figures
    FROM rooted AS s
    LEFT JOIN _run_tasks AS l ON s.run_id = l.run_id
  )

SELECT * EXCLUDE (root, unfollowed, doubt, figures), figures.*
FROM figured;

CREATE OR REPLACE VIEW slo_by_run AS -- One row is one run in one reading: where the time of all its workers went, and what dominates.
SELECT * EXCLUDE (kind, is_whole) FROM _slo_of_kinds WHERE is_whole;

COMMENT ON COLUMN slo_by_run.advice IS 'What the root cause usually means, and what to look at.';
COMMENT ON COLUMN slo_by_run.reason IS 'Why dominant or root_cause is unknown, though there are waits: of half of the waits or more the trace does not tell the cause, or the clocks of nodes are apart; or why they are doubtful: clocks may be apart.';

CREATE OR REPLACE VIEW slo_by_kind AS -- One row is one kind of worker of a run in one reading: as slo_by_run, of the workers that are judged, and of the threads of the runtime.
SELECT * EXCLUDE (is_whole) FROM _slo_of_kinds WHERE NOT is_whole;

COMMENT ON COLUMN slo_by_kind.kind IS 'stream, copy, host, process, cpu or runtime (slo_by_worker.kind); not judged: threads that ran tasks for less than a hundredth of the time, of which the trace does not state that they are there to work.';
COMMENT ON COLUMN slo_by_kind.advice IS 'What the root cause usually means, and what to look at.';
COMMENT ON COLUMN slo_by_kind.reason IS 'Why dominant or root_cause is unknown, though there are waits: of half of the waits or more the trace does not tell the cause, or the clocks of nodes are apart; or why they are doubtful: clocks may be apart.';
