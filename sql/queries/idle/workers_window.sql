-- As idle/workers, of [$t0, $t1).
WITH
  shown AS (
    SELECT worker, node, least(t_end, $t1) - greatest(t_begin, $t0) AS wall
    FROM _worker_windows
    WHERE run_id = $run_id AND t_begin < $t1 AND t_end > $t0
  ),

  idle AS (
    SELECT
      worker, sum(t_end - t_start) AS idle,
      coalesce(sum(starvation) FILTER (kind <> 'tail'), 0) AS starvation, sum(latency) AS latency,
      sum(overhead) - sum(not_recorded) AS overhead, sum(not_recorded) AS not_recorded,
      coalesce(sum(t_end - t_start) FILTER (kind = 'tail'), 0) AS tail
    FROM idle_window($run_id, $t0, $t1)
    WHERE mode = $mode AND latency_rule = $latency_rule
    GROUP BY worker
  ),

  most_idle AS (
    SELECT
      s.worker, s.node, s.wall, s.wall - coalesce(i.idle, 0) AS busy,
      coalesce(i.starvation, 0) AS starvation, coalesce(i.latency, 0) AS latency,
      coalesce(i.overhead, 0) AS overhead, coalesce(i.not_recorded, 0) AS "not recorded",
      coalesce(i.tail, 0) AS "after last task",
      row_number() OVER (ORDER BY (s.wall - coalesce(i.idle, 0)) / s.wall, s.worker) AS position
    FROM shown AS s
    LEFT JOIN idle AS i ON s.worker = i.worker
    WHERE s.wall > 0
    ORDER BY position
    LIMIT $most
  ),

  tall AS (
    UNPIVOT (
      SELECT
        worker, node, wall, position, CAST(busy AS DOUBLE) AS busy,
        CAST(starvation AS DOUBLE) AS starvation, CAST(latency AS DOUBLE) AS latency,
        CAST(overhead AS DOUBLE) AS overhead, CAST("not recorded" AS DOUBLE) AS "not recorded",
        CAST("after last task" AS DOUBLE) AS "after last task"
      FROM most_idle
    )
    ON busy, starvation, latency, overhead, "not recorded", "after last task"
    INTO NAME cause VALUE ns
  )

SELECT
  worker, node, position,
  list_position(
    ['busy', 'starvation', 'latency', 'overhead', 'not recorded', 'after last task'], cause
  ) AS rank,
  cause, ns / 1e9 AS seconds, 100 * ns / wall AS percent
FROM tall
WHERE ns > 0 OR cause <> 'not recorded'
ORDER BY position, rank;
