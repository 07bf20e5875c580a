-- requires: flags, explanations_sides, gpu_lanes
--
-- What changed on the devices of two groups of runs: their work by kind of operation, and their idle
-- time by part, which together are their time from the first work to the last. Rows are as in
-- explanations_causes.sql.

CREATE OR REPLACE MACRO _explain_devices(pairs) AS TABLE
WITH
  side AS (
    SELECT unnest(pairs, recursive := true)
  ),

  devices AS MATERIALIZED (
    SELECT
      s.id, s.is_after, s.place, g.run_id, g.device, g.busy, g.parts, g.operations,
      count(*) OVER (PARTITION BY s.id, g.run_id) AS devices
    FROM side AS s
    JOIN _gpu_sums AS g ON s.run_id = g.run_id
    WHERE _is_of(g.run_id, _run_ids(pairs)) AND g.stream IS NULL AND NOT g.is_step
  ),

  -- Work that overlaps shares the time in which the device was busy.
  works AS (
    SELECT * EXCLUDE (busy, operations), 'busy' AS metric, o.operation AS subject,
      o.ns * busy / nullif(sum(o.ns) OVER (PARTITION BY id, run_id, device), 0) AS ns
    FROM (SELECT *, unnest(operations) AS o FROM devices)
    UNION ALL BY NAME
    SELECT * EXCLUDE (busy, operations, p), 'idle' AS metric, p.part AS subject, p.ns
    FROM (
      SELECT
        *,
        unnest([
          {'part': 'sync', 'ns': parts.sync}, {'part': 'copy', 'ns': parts.copy},
          {'part': 'memory', 'ns': parts.memory}, {'part': 'launch', 'ns': parts.launch},
          {'part': 'operators', 'ns': parts.operators}, {'part': 'python', 'ns': parts.python},
          {'part': 'unrecorded', 'ns': parts.unrecorded}, {'part': 'call', 'ns': parts.call},
          {'part': 'device', 'ns': parts.device}, {'part': 'unknown', 'ns': parts.unknown}
        ]) AS p
      FROM devices
    )
  ),

  -- means over the devices of a run, and 0 where it lacks a kind of work
  timed AS (
    SELECT id, run_id, metric, subject, sum(ns / devices) / 1e9 AS seconds
    FROM works
    GROUP BY ALL
  ),

  of_runs AS (
    SELECT
      r.id, r.is_after, r.place, r.run_id, t.metric, t.subject,
      coalesce(f.seconds, 0) AS seconds
    FROM (SELECT DISTINCT id, is_after, place, run_id FROM devices) AS r
    JOIN (SELECT DISTINCT id, metric, subject FROM timed) AS t ON r.id = t.id
    LEFT JOIN timed AS f
      ON r.id = f.id AND r.run_id = f.run_id AND t.metric = f.metric AND t.subject = f.subject
  ),

  sides AS (
    SELECT
      id, metric, subject,
      list(seconds ORDER BY place) FILTER (NOT is_after) AS b,
      list(seconds ORDER BY place) FILTER (is_after) AS a,
      avg(seconds) FILTER (is_after) - avg(seconds) FILTER (NOT is_after) AS more,
      list(DISTINCT run_id ORDER BY run_id) AS ids
    FROM of_runs
    GROUP BY id, metric, subject
    HAVING count(*) FILTER (is_after) > 0 AND count(*) FILTER (NOT is_after) > 0
  ),

  shared AS (
    SELECT
      *, sum(more) OVER (PARTITION BY id) AS all_more,
      sum(list_avg(b)) OVER (PARTITION BY id) AS whole
    FROM sides
  )

SELECT
  id, 'device' AS topic, subject, metric, 's' AS unit, b, a,
  CAST(NULL AS VARCHAR) AS before_label, CAST(NULL AS VARCHAR) AS after_label,
  more / nullif(all_more, 0) AS share,
  CAST(NULL AS BOOLEAN) AS sure,
  abs(more) >= 0.02 * whole AS relevant,
  relevant AS notable,
  _flags([]) AS flags,
  'SELECT run_id, device, window_seconds, busy_seconds, idle_seconds FROM gpu_activity WHERE ' AS query,
  ids
FROM shared;
