-- key: run_id VARCHAR
-- scope: run_id
-- reads: nodes, tasks, workers
-- requires: run_contents, workers
--
-- Types of tasks of a run of which never two ran at a time, though several workers alternated and one of
-- them ran nearly always from the first to the last, for half of the run at least: they take turns, as
-- for a lock or in a chain, whether the trace says so or not. Tasks that a runtime hands out slowly have
-- gaps between them. of_all: all tasks together, whatever their type. ns: time in which one ran, of
-- span, the time of all tasks of the run.
-- within: tasks that ran at a time and took turns inside. However many ran, one ended every `every`, and
-- hardly any two ends are close. Ends of tasks that do not wait come at random: .29 of the times between
-- them are below half of the median. A lock keeps them apart, however much longer it is taken for at some
-- times than at others: with a confidence of 95 % (1.645 standard errors) fewer than a fifth are. Who waits
-- may be many or, for a lock that is not fair, few: their ends keep apart from those before and after, too.
-- Tasks that all take as long keep apart as well, without a lock. So either tasks took longer on average
-- than one that waited for no other (`alone`): the first to end, or one that took as long as it ended after
-- another. Or they differ in length by so much, from one to the next (`step`, of which 1.05 times the
-- median is a standard deviation), that workers would have met at random by their last task. And workers
-- hardly waited between tasks (`idle`), as they do for a slower worker, or a runtime that hands tasks out
-- one by one.

-- inputs
SELECT run_id AS key, run_id AS scope, digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND rows['tasks'] > 0;

-- rows
WITH
  -- longer together than from the first to the last, tasks do not take turns
  kinds AS (
    SELECT
      run_id, max(t_end) - min(t_start) AS span,
      unnest(if(sum(t_end - t_start) <= 1.01 * span, [false, true], [false])) AS of_all
    FROM _task_times
    GROUP BY run_id
  ),

  task AS (
    SELECT
      t.run_id, k.of_all, CASE WHEN NOT k.of_all THEN t.name END AS name, t.worker, t.t_start,
      t.t_end, k.span
    FROM _task_times AS t
    JOIN kinds AS k ON t.run_id = k.run_id
    WHERE t.t_start < t.t_end
  ),

  -- those that may pass what follows
  likely AS (
    SELECT run_id, of_all, name
    FROM task
    GROUP BY run_id, of_all, name
    HAVING count(*) >= 10 AND min(worker) < max(worker)
      AND sum(t_end - t_start) >= any_value(span) / 2
  ),

  turns AS (
    SELECT
      *,
      max(t_end) OVER (by_start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS free_from,
      worker <> lag(worker) OVER by_start AS is_handed_over,
      t_end - lag(t_end) OVER by_end AS apart, lead(t_end) OVER by_end - t_end AS next_apart,
      t_end - t_start AS took, abs(took - lag(t_end - t_start) OVER by_end) AS step,
      greatest(0, t_start - lag(t_end) OVER of_worker) AS idle
    FROM task
    SEMI JOIN likely
      ON task.run_id = likely.run_id AND task.of_all = likely.of_all
      AND task.name IS NOT DISTINCT FROM likely.name
    WINDOW
      by_start AS (PARTITION BY run_id, of_all, name ORDER BY t_start),
      by_end AS (PARTITION BY run_id, of_all, name ORDER BY t_end),
      of_worker AS (PARTITION BY run_id, of_all, name, worker ORDER BY t_start)
  ),

  paced AS (
    SELECT *, median(apart) OVER (PARTITION BY run_id, of_all, name) AS pace FROM turns
  ),

  unhindered AS (
    SELECT
      *,
      least(
        arg_min(took, t_end) OVER of_type,
        min(took) FILTER (
          greatest(apart, took) <= 1.2 * pace AND least(apart, took) >= pace / 1.2
        ) OVER of_type
      ) AS alone
    FROM paced
    WINDOW of_type AS (PARTITION BY run_id, of_all, name)
  ),

  types AS (
    SELECT
      run_id, of_all, name, any_value(span) AS span, count(*) AS tasks, count(DISTINCT worker) AS workers,
      max(t_end) - min(t_start) AS own_span,
      sum(greatest(0, t_end - greatest(t_start, coalesce(free_from, t_start)))) AS ns,
      sum(took) - ns AS overlap, count(*) FILTER (t_start < free_from) AS meetings,
      count(*) FILTER (is_handed_over) AS handovers,
      avg(took) AS usual, any_value(pace) AS every,
      CASE WHEN usual >= 1.3 * any_value(alone) THEN any_value(alone) END AS alone_took,
      coalesce(
        usual >= 1.6 * every AND avg(idle) <= every / 4
          AND count(*) FILTER (apart <= pace / 2) < 0.2 * count(apart) - 1.645 * sqrt(0.16 * count(apart))
          AND CASE WHEN alone_took IS NOT NULL
            THEN median(least(apart, next_apart)) FILTER (took >= 1.3 * alone) >= every / 1.5
            ELSE median(least(apart, next_apart)) >= every / 1.5
              AND 1.05 * median(step) * sqrt(tasks / workers) >= every
          END,
        false
      ) AS within
    FROM unhindered
    GROUP BY run_id, of_all, name
  )

-- so often from one worker to another that some would meet if they did not wait for each other: those
-- of one worker never do; clocks read late by a little
SELECT run_id, of_all, name, tasks, workers, ns, span, meetings, within, every, usual, alone_took AS alone
FROM types
WHERE handovers >= 10 AND (overlap <= ns / 100 OR (within AND NOT of_all))
  AND ns >= 0.9 * own_span AND ns >= span / 2;
