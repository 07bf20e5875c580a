-- Where the time of the workers of one run went in one reading, within [$t0, $t1) where that is not NULL,
-- those that idled most first; at most $most workers. One row a worker and cause.
WITH
  shown AS (
    SELECT worker, node, least(t_end, $t1) - greatest(t_begin, $t0) AS wall
    FROM _worker_windows
    WHERE run_id = $run_id AND coalesce(t_begin < $t1 AND t_end > $t0, true)
  ),

  idle AS (
    SELECT
      worker, sum(t_end - t_start) AS idle,
      sum(starvation) FILTER (kind <> 'tail') AS starvation, sum(latency) AS latency,
      sum(overhead) - sum(not_recorded) AS overhead, sum(not_recorded) AS not_recorded,
      sum(t_end - t_start) FILTER (kind = 'tail') AS tail
    FROM _idle_within($run_id, $mode, $latency_rule, $t0, $t1)
    GROUP BY worker
  ),

  most_idle AS (
    SELECT
      s.worker, s.node, s.wall, s.wall - coalesce(i.idle, 0) AS busy, i.* EXCLUDE (worker, idle),
      row_number() OVER (ORDER BY (s.wall - coalesce(i.idle, 0)) / s.wall, s.worker) AS position
    FROM shown AS s
    LEFT JOIN idle AS i ON s.worker = i.worker
    WHERE s.wall > 0
    ORDER BY position
    LIMIT $most
  )

SELECT
  worker, node, position, part.rank, part.cause, coalesce(part.ns, 0) / 1e9 AS seconds,
  100 * CAST(coalesce(part.ns, 0) AS DOUBLE) / wall AS percent
FROM (
  SELECT
    *,
    unnest([
      {'rank': 1, 'cause': 'busy', 'ns': busy},
      {'rank': 2, 'cause': 'starvation', 'ns': starvation},
      {'rank': 3, 'cause': 'latency', 'ns': latency},
      {'rank': 4, 'cause': 'overhead', 'ns': overhead},
      {'rank': 5, 'cause': 'not recorded', 'ns': not_recorded},
      {'rank': 6, 'cause': 'after last task', 'ns': tail}
    ]) AS part
  FROM most_idle
)
WHERE part.ns > 0 OR part.cause <> 'not recorded'
ORDER BY position, part.rank;
