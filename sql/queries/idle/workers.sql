-- Where the time of the workers of one run went in one reading, those that idled most first; at
-- most $most workers. One row a worker and cause.
WITH
  most_idle AS (
    SELECT *, row_number() OVER (ORDER BY busy_percent, worker) AS position
    FROM slo_by_worker
    WHERE run_id = $run_id AND mode = $mode AND latency_rule = $latency_rule AND wall > 0
    ORDER BY position
    LIMIT $most
  )

SELECT worker, node, position, 1 AS rank, 'busy' AS cause, busy / 1e9 AS seconds,
  busy_percent AS percent
FROM most_idle
UNION ALL
SELECT worker, node, position, 2, 'starvation', starvation / 1e9, starvation_percent FROM most_idle
UNION ALL
SELECT worker, node, position, 3, 'latency', latency / 1e9, latency_percent FROM most_idle
UNION ALL
SELECT worker, node, position, 4, 'overhead', (overhead - not_recorded) / 1e9, overhead_percent
FROM most_idle
UNION ALL
SELECT worker, node, position, 5, 'not recorded', not_recorded / 1e9, not_recorded_percent
FROM most_idle
WHERE not_recorded > 0
UNION ALL
SELECT worker, node, position, 6, 'after last task', tail / 1e9, tail_percent FROM most_idle
ORDER BY position, rank;
