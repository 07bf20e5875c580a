-- As idle/blame, of [$t0, $t1), and of the waits of $worker where that is not NULL.
WITH
  wait AS (
    SELECT
      t.name AS blamed_type, i.blamed_worker,
      i.starvation, i.lat_inherited AS latency, i.ov_concrete + i.ov_uniform AS overhead,
      i.starvation1
    FROM idle_window($run_id, $t0, $t1) AS i
    LEFT JOIN tasks AS t ON i.run_id = t.run_id AND i.blamed_task = t.task
    WHERE i.mode = $mode AND i.latency_rule = $latency_rule AND i.kind <> 'tail'
      AND i.starvation1 > 0 AND ($worker IS NULL OR i.worker = $worker)
  ),

  sums AS (
    SELECT
      'type' AS waits_by, blamed_type AS what, sum(starvation) AS starvation,
      sum(latency) AS latency, sum(overhead) AS overhead, sum(starvation1) AS starvation1,
      count(*) AS intervals
    FROM wait
    GROUP BY blamed_type
    UNION ALL
    SELECT
      'worker', blamed_worker, sum(starvation), sum(latency), sum(overhead), sum(starvation1),
      count(*)
    FROM wait
    GROUP BY blamed_worker
  ),

  ranked AS (
    SELECT
      *,
      row_number() OVER (PARTITION BY waits_by ORDER BY starvation1 DESC, what) AS position,
      sum(starvation1) OVER (PARTITION BY waits_by) AS waits
    FROM sums
  ),

  tall AS (
    UNPIVOT ranked
    ON starvation, latency, overhead
    INTO NAME cause VALUE ns
  )

SELECT
  waits_by, coalesce(what, '(unknown)') AS what, what IS NOT NULL AS is_known, position, cause,
  CAST(ns AS DOUBLE) / 1e9 AS seconds, 100 * CAST(ns AS DOUBLE) / nullif(waits, 0) AS percent,
  intervals
FROM tall
WHERE coalesce(position <= $most, true) AND ns > 0
ORDER BY waits_by, position, cause;
