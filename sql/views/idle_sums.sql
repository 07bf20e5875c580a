-- requires: flags, workers, idle
--
-- Idle attribution added up by worker, node and run.
--
-- Percentages are of workers x window: of the worker's window, or of the sum of all windows. Sums
-- over workers are 128-bit integers: ten thousand workers exceed 64 bits in eleven days.
--
-- The root of a wait is taken over a window, not by a join: a condition on runs reaches the rows.

CREATE OR REPLACE MACRO _percent(part, whole) AS 100 * CAST(part AS DOUBLE) / nullif(whole, 0);

-- Runs whose traces record what tasks read, or work of the runtime: without both nothing tells the
-- causes of a wait apart, and all of it counts as overhead.
CREATE OR REPLACE VIEW _recorded_runs AS
SELECT run_id FROM task_inputs
UNION
SELECT run_id FROM runtime_intervals;

-- Runs in which most of what counts as overhead, and a twentieth of all waits, are waits for inputs that
-- the trace does not follow: of those of another node how they arrived, of others who made them.
CREATE OR REPLACE VIEW _unfollowed_runs AS
SELECT run_id
FROM idle_intervals
WHERE kind <> 'tail'
GROUP BY run_id
HAVING sum(ov_rest - ov_unsubmitted) FILTER (
  list_has_any(flags, ['missing_transfer', 'unknown_input'])
) > greatest(sum(overhead - ov_unsubmitted) / 2, sum(t_end - t_start) / 20);

-- Why it is unknown whether what counts as overhead of a run is overhead; NULL where it is known.
CREATE OR REPLACE MACRO _overhead_doubt(is_recorded, is_unfollowed) AS CASE
  WHEN NOT is_recorded
    THEN _flag('causes_unrecorded')
  WHEN is_unfollowed
    THEN _flag('causes_unfollowed')
END;

-- What may be latency or starvation as well as overhead.
CREATE OR REPLACE MACRO _doubtful(overhead, unsubmitted, doubt) AS
  CASE WHEN doubt IS NULL THEN 0 ELSE overhead - unsubmitted END;

-- The largest of the three, if there is any and the trace can tell.
CREATE OR REPLACE MACRO _dominant(starvation, latency, overhead, unsubmitted, doubt) AS CASE
  WHEN greatest(starvation, latency, overhead) > 0 THEN CASE
    WHEN starvation >= overhead AND starvation >= latency + _doubtful(overhead, unsubmitted, doubt)
      THEN 'starvation'
    WHEN latency >= overhead AND latency >= starvation + _doubtful(overhead, unsubmitted, doubt)
      THEN 'latency'
    WHEN overhead > greatest(starvation, latency) AND (doubt IS NULL OR 2 * unsubmitted > overhead)
      THEN 'overhead'
  END
END;

-- Why a cause, or its root, is unknown though there are waits.
CREATE OR REPLACE MACRO _why_unknown(cause, root, starvation, latency, overhead, doubt) AS CASE
  WHEN (cause IS NULL OR root IS NULL) AND greatest(starvation, latency, overhead) > 0 THEN doubt
END;

-- What dominates when waits are followed back to their root: of the sums of the transitive mode.
CREATE OR REPLACE MACRO _root(starvation, latency, overhead, unsubmitted, doubt) AS {
  'cause': _dominant(starvation, latency, overhead, unsubmitted, doubt),
  'overhead': overhead, 'unsubmitted': unsubmitted
};

CREATE OR REPLACE MACRO _advice(dominant, overhead, unsubmitted) AS CASE
  WHEN dominant = 'starvation'
    THEN 'Too little parallelism here, tasks too coarse, or poor placement of tasks.'
  WHEN dominant = 'latency'
    THEN 'Slow network, poor placement of data, or detours on the way.'
  WHEN dominant = 'overhead' AND 2 * unsubmitted > overhead
    THEN 'Nothing was submitted: the program asked for its tasks too late.'
  WHEN dominant = 'overhead'
    THEN 'Tasks too fine, or an inefficient runtime.'
END;

CREATE OR REPLACE VIEW _slo_sums AS
WITH
  sums AS (
    SELECT
      run_id, mode, latency_rule, worker,
      count(*) FILTER (kind <> 'tail') AS intervals,
      CAST(sum(t_end - t_start) AS BIGINT) AS idle,
      CAST(sum(starvation) FILTER (kind <> 'tail') AS BIGINT) AS starvation,
      CAST(sum(latency) AS BIGINT) AS latency,
      CAST(sum(overhead) AS BIGINT) AS overhead,
      CAST(sum(ov_unsubmitted) AS BIGINT) AS unsubmitted,
      CAST(sum(t_end - t_start) FILTER (kind = 'tail') AS BIGINT) AS tail
    FROM idle_attribution
    GROUP BY run_id, mode, latency_rule, worker
  ),

  worker_sums AS (
    SELECT
      w.run_id, r.mode, r.latency_rule, w.worker, w.node,
      -- nothing is known of a run written by hand, until pwh refresh
      CASE WHEN k.run_id IS NOT NULL THEN 0 END AS none,
      coalesce(s.intervals, none) AS intervals,
      w.t_end - w.t_begin AS wall,
      w.t_end - w.t_begin - coalesce(s.idle, none) AS busy,
      coalesce(s.starvation, none) AS starvation,
      coalesce(s.latency, none) AS latency,
      coalesce(s.overhead, none) AS overhead,
      coalesce(s.unsubmitted, none) AS unsubmitted,
      coalesce(s.tail, none) AS tail,
      _overhead_doubt(e.run_id IS NOT NULL, u.run_id IS NOT NULL) AS doubt
    FROM _worker_windows AS w
    CROSS JOIN _idle_readings AS r
    LEFT JOIN sums AS s
      ON w.run_id = s.run_id AND w.worker = s.worker AND r.mode = s.mode
      AND r.latency_rule = s.latency_rule
    LEFT JOIN _recorded_runs AS e ON w.run_id = e.run_id
    LEFT JOIN _unfollowed_runs AS u ON w.run_id = u.run_id
    LEFT JOIN kept_runs AS k ON w.run_id = k.run_id
  )

SELECT * EXCLUDE (none)
FROM worker_sums;

CREATE OR REPLACE VIEW slo_by_worker AS
WITH
  rooted AS (
    SELECT
      *,
      any_value(_root(starvation, latency, overhead, unsubmitted, doubt))
        FILTER (mode = 'transitive') OVER (PARTITION BY run_id, latency_rule, worker) AS root
    FROM _slo_sums
  )

SELECT
  s.* EXCLUDE (root, doubt),
  _percent(s.busy, s.wall) AS busy_percent,
  _percent(s.starvation, s.wall) AS starvation_percent,
  _percent(s.latency, s.wall) AS latency_percent,
  _percent(s.overhead, s.wall) AS overhead_percent,
  _percent(s.tail, s.wall) AS tail_percent,
  _percent(s.unsubmitted, s.wall) AS unsubmitted_percent,
  _dominant(s.starvation, s.latency, s.overhead, s.unsubmitted, s.doubt) AS dominant,
  _advice(s.root.cause, s.root.overhead, s.root.unsubmitted) AS advice,
  s.root.cause AS root_cause,
  _why_unknown(dominant, root_cause, s.starvation, s.latency, s.overhead, s.doubt) AS reason
FROM rooted AS s;

COMMENT ON VIEW slo_by_worker IS 'One row is one worker in one reading: wall = busy + starvation + latency + overhead + tail, to the nanosecond.';
COMMENT ON COLUMN slo_by_worker.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN slo_by_worker.mode IS 'direct, propagated or transitive (idle_attribution.mode).';
COMMENT ON COLUMN slo_by_worker.latency_rule IS 'union or last_arrival (idle_attribution.latency_rule).';
COMMENT ON COLUMN slo_by_worker.worker IS 'Worker.';
COMMENT ON COLUMN slo_by_worker.node IS 'Node it ran on.';
COMMENT ON COLUMN slo_by_worker.intervals IS 'Idle intervals, the tail left out.';
COMMENT ON COLUMN slo_by_worker.wall IS 'Length of the worker''s window, ns.';
COMMENT ON COLUMN slo_by_worker.busy IS 'Time in which at least one task ran on it, ns.';
COMMENT ON COLUMN slo_by_worker.starvation IS 'No task was ready, ns; the tail left out.';
COMMENT ON COLUMN slo_by_worker.latency IS 'Data were on the wire, ns.';
COMMENT ON COLUMN slo_by_worker.overhead IS 'The runtime was in the way, ns.';
COMMENT ON COLUMN slo_by_worker.unsubmitted IS 'Of overhead: nothing had been submitted yet, ns.';
COMMENT ON COLUMN slo_by_worker.tail IS 'Idle after its last task, ns.';
COMMENT ON COLUMN slo_by_worker.busy_percent IS 'Busy, % of the window.';
COMMENT ON COLUMN slo_by_worker.starvation_percent IS 'Starvation, % of the window.';
COMMENT ON COLUMN slo_by_worker.latency_percent IS 'Latency, % of the window.';
COMMENT ON COLUMN slo_by_worker.overhead_percent IS 'Overhead, % of the window.';
COMMENT ON COLUMN slo_by_worker.tail_percent IS 'Tail, % of the window.';
COMMENT ON COLUMN slo_by_worker.unsubmitted_percent IS 'Unsubmitted, % of the window.';
COMMENT ON COLUMN slo_by_worker.dominant IS 'The largest of starvation, latency and overhead; NULL where the worker did not idle before its tail, or unknown (reason).';
COMMENT ON COLUMN slo_by_worker.advice IS 'What the root cause usually means, and what to look at.';
COMMENT ON COLUMN slo_by_worker.root_cause IS 'What dominates when waits are followed back to their root (dominant of the transitive mode, same latency rule); NULL where there is none, or unknown (reason).';
COMMENT ON COLUMN slo_by_worker.reason IS 'Why dominant or root_cause is unknown, though there are waits: the trace records nothing, or too little, that tells their causes apart.';

CREATE OR REPLACE VIEW idle_by_node AS
WITH
  sums AS (
    SELECT
      run_id, mode, latency_rule, node, count(*) AS workers, sum(intervals) AS intervals,
      sum(wall) AS wall, sum(busy) AS busy, sum(starvation) AS starvation, sum(latency) AS latency,
      sum(overhead) AS overhead, sum(unsubmitted) AS unsubmitted, sum(tail) AS tail,
      any_value(doubt) AS doubt
    FROM _slo_sums
    GROUP BY run_id, mode, latency_rule, node
  )

SELECT
  * EXCLUDE (doubt),
  _percent(starvation, wall) AS starvation_percent,
  _percent(latency, wall) AS latency_percent,
  _percent(overhead, wall) AS overhead_percent,
  _dominant(starvation, latency, overhead, unsubmitted, doubt) AS dominant
FROM sums;

COMMENT ON VIEW idle_by_node IS 'One row is one node of a run in one reading.';
COMMENT ON COLUMN idle_by_node.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN idle_by_node.mode IS 'direct, propagated or transitive.';
COMMENT ON COLUMN idle_by_node.latency_rule IS 'union or last_arrival.';
COMMENT ON COLUMN idle_by_node.node IS 'Node; NULL for workers whose node is unknown.';
COMMENT ON COLUMN idle_by_node.workers IS 'Workers on it.';
COMMENT ON COLUMN idle_by_node.intervals IS 'Idle intervals, tails left out.';
COMMENT ON COLUMN idle_by_node.wall IS 'Sum of their windows, ns.';
COMMENT ON COLUMN idle_by_node.busy IS 'Time in which they ran tasks, ns.';
COMMENT ON COLUMN idle_by_node.starvation IS 'Starvation, ns; tails left out.';
COMMENT ON COLUMN idle_by_node.latency IS 'Latency, ns.';
COMMENT ON COLUMN idle_by_node.overhead IS 'Overhead, ns.';
COMMENT ON COLUMN idle_by_node.unsubmitted IS 'Of overhead: nothing had been submitted yet, ns.';
COMMENT ON COLUMN idle_by_node.tail IS 'Tails, ns.';
COMMENT ON COLUMN idle_by_node.starvation_percent IS 'Starvation, % of the node''s workers x window.';
COMMENT ON COLUMN idle_by_node.latency_percent IS 'Latency, % of the node''s workers x window.';
COMMENT ON COLUMN idle_by_node.overhead_percent IS 'Overhead, % of the node''s workers x window.';
COMMENT ON COLUMN idle_by_node.dominant IS 'The largest of the three; NULL where there is none, or unknown (slo_by_run.reason).';

CREATE OR REPLACE VIEW slo_by_run AS
WITH
  sums AS (
    SELECT
      run_id, mode, latency_rule, count(*) AS workers,
      CAST(sum(intervals) AS BIGINT) AS intervals, sum(wall) AS wall, sum(busy) AS busy,
      sum(starvation) AS starvation, sum(latency) AS latency, sum(overhead) AS overhead,
      sum(unsubmitted) AS unsubmitted, sum(tail) AS tail, any_value(doubt) AS doubt
    FROM _slo_sums
    GROUP BY run_id, mode, latency_rule
  ),

  rooted AS (
    SELECT
      *,
      any_value(_root(starvation, latency, overhead, unsubmitted, doubt))
        FILTER (mode = 'transitive') OVER (PARTITION BY run_id, latency_rule) AS root
    FROM sums
  )

SELECT
  s.* EXCLUDE (root, doubt),
  _percent(s.busy, s.wall) AS busy_percent,
  _percent(s.starvation, s.wall) AS starvation_percent,
  _percent(s.latency, s.wall) AS latency_percent,
  _percent(s.overhead, s.wall) AS overhead_percent,
  _percent(s.tail, s.wall) AS tail_percent,
  _percent(s.unsubmitted, s.wall) AS unsubmitted_percent,
  _dominant(s.starvation, s.latency, s.overhead, s.unsubmitted, s.doubt) AS dominant,
  _advice(s.root.cause, s.root.overhead, s.root.unsubmitted) AS advice,
  s.root.cause AS root_cause,
  _why_unknown(dominant, root_cause, s.starvation, s.latency, s.overhead, s.doubt) AS reason
FROM rooted AS s;

COMMENT ON VIEW slo_by_run IS 'One row is one run in one reading: where the time of all its workers went, and what dominates.';
COMMENT ON COLUMN slo_by_run.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN slo_by_run.mode IS 'direct, propagated or transitive (idle_attribution.mode).';
COMMENT ON COLUMN slo_by_run.latency_rule IS 'union or last_arrival (idle_attribution.latency_rule).';
COMMENT ON COLUMN slo_by_run.workers IS 'Workers.';
COMMENT ON COLUMN slo_by_run.intervals IS 'Idle intervals, tails left out.';
COMMENT ON COLUMN slo_by_run.wall IS 'Sum of the workers'' windows, ns.';
COMMENT ON COLUMN slo_by_run.busy IS 'Time in which they ran tasks, ns.';
COMMENT ON COLUMN slo_by_run.starvation IS 'No task was ready, ns; tails left out.';
COMMENT ON COLUMN slo_by_run.latency IS 'Data were on the wire, ns.';
COMMENT ON COLUMN slo_by_run.overhead IS 'The runtime was in the way, ns.';
COMMENT ON COLUMN slo_by_run.unsubmitted IS 'Of overhead: nothing had been submitted yet, ns.';
COMMENT ON COLUMN slo_by_run.tail IS 'Idle after the workers'' last tasks, ns.';
COMMENT ON COLUMN slo_by_run.busy_percent IS 'Busy, % of workers x window.';
COMMENT ON COLUMN slo_by_run.starvation_percent IS 'Starvation, % of workers x window.';
COMMENT ON COLUMN slo_by_run.latency_percent IS 'Latency, % of workers x window.';
COMMENT ON COLUMN slo_by_run.overhead_percent IS 'Overhead, % of workers x window.';
COMMENT ON COLUMN slo_by_run.tail_percent IS 'Tails, % of workers x window.';
COMMENT ON COLUMN slo_by_run.unsubmitted_percent IS 'Unsubmitted, % of workers x window.';
COMMENT ON COLUMN slo_by_run.dominant IS 'The largest of starvation, latency and overhead; NULL where there is none, or unknown (reason).';
COMMENT ON COLUMN slo_by_run.advice IS 'What the root cause usually means, and what to look at.';
COMMENT ON COLUMN slo_by_run.root_cause IS 'What dominates when waits are followed back to their root (dominant of the transitive mode, same latency rule); NULL where there is none, or unknown (reason).';
COMMENT ON COLUMN slo_by_run.reason IS 'Why dominant or root_cause is unknown, though there are waits: the trace records nothing, or too little, that tells their causes apart.';
