-- The critical paths of runs, and how much shorter the runs could be (_task_graphs).

CREATE OR REPLACE VIEW critical_paths AS -- One row is a part of the chain of tasks and waits that determines the end of a run; none of a run with more than two million tasks.
SELECT
  run_id,
  part.step, -- Its place, from the end backwards.
  part.t_start, -- Start, ns after clock correction.
  part.t_end, -- End, ns.
  part.worker, -- Worker.
  part.task, -- Task that ran, or that waited.
  part.name, -- Its type.
  part.cause, -- compute: the task ran; latency: its last input was in transit; overhead: all that it needed was there; submission: the program had not asked for it; starvation: for data without a known producer; unknown: the trace does not tell what it waited for.
  part.is_assumed, -- Whether the path goes on, before it, with the task that ended last on any worker, as nothing else is known.
  part.ns -- Length, ns.
FROM (SELECT run_id, unnest(path) AS part FROM _task_graphs);

CREATE OR REPLACE VIEW critical_path_shares AS -- One row is a type of task and a cause on the critical path of a run, and its share.
SELECT
  run_id,
  name, -- Type of task.
  cause, -- What the time is (critical_paths.cause).
  count(*) AS parts, -- Parts of the path.
  CAST(sum(ns) AS BIGINT) AS ns, -- Their time, ns.
  100 * sum(ns) / sum(sum(ns)) OVER (PARTITION BY run_id) AS percent -- Its share of the path, %.
FROM critical_paths
GROUP BY run_id, name, cause;

CREATE OR REPLACE VIEW idle_gains AS -- One row is a change to a run and how much shorter it can make it: a bound, and what a replay of the tasks with their measured durations gains; none of a run with more than two million tasks. No latency, no overhead and other placement only where the trace tells the causes of waits apart (slo_by_run.reason).
SELECT
  run_id,
  gain.change, -- no latency, no overhead (each worker keeps its tasks in their order), other placement (of the tasks, on the same workers, each on any of its kind, with its measured latency and overhead), one more worker (of the kind that gains most, beyond what a replay on the same workers takes; none of a run whose workers are devices, as one more stream is no more device, and threads of the runtime or such that launch work for a device), or half as long: one of the eight longest parts of its critical path.
  gain.name, -- Of such a part: the type of task.
  gain.cause, -- Of such a part: what the time is (critical_paths.cause); else NULL.
  gain.gain_at_most, -- What it gains at most, ns: a bound by the critical path, by the work of all tasks, each after its submission, on workers of its kind (slo_by_worker.kind), and by tasks of one type that took turns (tasks_in_turn); of a part half as long, half of its time.
  gain.percent, -- That, of the time from the first to the last moment of the run, %.
  gain.replay_gain, -- What a replay gains, ns (tasks without recorded inputs count as independent): without latency or overhead, or with a part half as long, on the same workers in the same order, no task before its submission; with other placement, and one more worker, by list scheduling. NULL where not replayed: there are more than 20,000 tasks, or (other placement, one more worker) workers ran several tasks at once, or the trace records neither what tasks read nor work of the runtime.
  gain.replay_percent, -- That, of the same time, %.
  gain.is_recorded, -- Whether the trace tells the cause of more than half of the waits.
  gain.is_assumed -- Whether tasks are taken as independent of each other of which no input is recorded, though they began after another had ended.
FROM (SELECT run_id, unnest(gains) AS gain FROM _task_graphs);
