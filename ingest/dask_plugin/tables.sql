-- The neutral task tables, from what runs.sql made. Times are on the process's own
-- clock again, and count from the first submission.

CREATE TEMP VIEW origin AS SELECT u_first AS t FROM span;

CREATE TEMP VIEW program AS
SELECT to_timestamp(t / 1e9) AS started_at
FROM origin;

CREATE TEMP VIEW nodes AS
SELECT node AS node_id, clock_offset AS clock_offset_ns
FROM clock
ORDER BY p;

-- The pool's threads work as long as their process; one that seceded leaves the pool after its
-- task, and its successor comes then. Threads outside the pool are there while they run tasks.
-- Processes that came after all work, or left before it, are left out.
CREATE TEMP VIEW workers AS
WITH
  used AS (
    SELECT
      p, pooled, lane,
      min(least(t_start, turned)) AS first_start,
      max(greatest(t_end, stored)) AS last_end,
      arg_max(seceded, t_end) AS seceded
    FROM done
    GROUP BY p, pooled, lane
  ),

  pool AS (
    SELECT p, true AS pooled, unnest(range(threads)) AS lane
    FROM clock
  ),

  lanes AS (
    SELECT p, pooled, lane, first_start, last_end, coalesce(seceded, false) AS seceded
    FROM pool
    FULL JOIN used USING (p, pooled, lane)
  ),

  windows AS (
    SELECT
      p, pooled, lane, node,
      least(
        if(pooled AND lane < threads, greatest(joined, u_first + ahead), first_start), first_start
      ) - u_first AS t_begin,
      greatest(
        if(pooled AND NOT seceded, least(gone, u_last + ahead), last_end), last_end
      ) - u_first AS t_end
    FROM lanes
    JOIN clock USING (p)
    CROSS JOIN span
  )

SELECT
  node || '/' || if(pooled, 't', 'x') || lane AS worker_id,
  node AS node_id,
  t_begin,
  t_end
FROM windows
WHERE t_begin <= t_end
ORDER BY p, NOT pooled, lane;

CREATE TEMP VIEW fragments AS
SELECT
  task AS fragment_id, worker AS worker_id,
  t_start - u_first AS t_start,
  t_end - u_first AS t_end,
  submission.name AS ftype,
  submission.t + ahead - u_first AS t_submit
FROM done
CROSS JOIN span
LEFT JOIN requested USING (r)
LEFT JOIN submission USING (s)
ORDER BY t_start, r;

-- Data that a run made, then what was read or sent and came from elsewhere. Its home is where it
-- was put, or stored when the record began, or first sent from.
CREATE TEMP VIEW data AS
WITH
  found AS (
    SELECT DISTINCT key, datum FROM read
    UNION
    SELECT DISTINCT key, datum FROM arrived
  ),

  other AS (
    SELECT key, datum FROM found ANTI JOIN done ON datum = done.task AND done.made
  ),

  homes AS (
    SELECT key, arg_min({p: p, t: t, bytes: bytes}, t - ahead) AS home
    FROM placed
    JOIN clock USING (p)
    GROUP BY key
  ),

  stored_at AS (
    SELECT key, any_value({p: p, bytes: bytes}) AS home
    FROM stored
    JOIN clock USING (address)
    GROUP BY key
  ),

  sent AS (
    SELECT key, arg_min({p: source, bytes: bytes}, u_recv) AS home
    FROM arrived
    GROUP BY key
  )

SELECT
  task AS data_id, task AS producer_fragment,
  NULL::VARCHAR AS node_id, NULL::BIGINT AS t_ready, bytes AS nbytes
FROM done
WHERE made
UNION ALL
SELECT
  datum, NULL, node,
  homes.home.t - u_first,
  coalesce(homes.home.bytes, stored_at.home.bytes, sent.home.bytes)
FROM other
CROSS JOIN span
LEFT JOIN homes USING (key)
LEFT JOIN stored_at USING (key)
LEFT JOIN sent USING (key)
LEFT JOIN clock ON clock.p = coalesce(homes.home.p, stored_at.home.p, sent.home.p);

CREATE TEMP VIEW inputs AS
SELECT task AS fragment_id, datum AS data_id
FROM read
JOIN done USING (r)
ORDER BY r;

-- The receiver stamps when it requested and when the datum had come; the first goes onto the sender's
-- clock. Copies of scattered data came from the client: when they were sent is not known.
CREATE TEMP VIEW transfers AS
WITH
  copies AS (
    SELECT key, p, min(t) AS t, max(bytes) AS bytes,
      row_number() OVER (PARTITION BY key ORDER BY min(t - ahead), p) AS nth
    FROM placed
    JOIN clock USING (p)
    GROUP BY key, p
  )

SELECT
  datum AS data_id, source.node AS src_node, receiver.node AS dst_node,
  t_send - receiver.ahead + coalesce(source.ahead, receiver.ahead) - u_first AS t_send,
  t_recv - u_first AS t_recv,
  bytes AS nbytes
FROM arrived
CROSS JOIN span
JOIN clock AS receiver ON arrived.p = receiver.p
LEFT JOIN clock AS source ON arrived.source = source.p
UNION ALL
SELECT data_id, NULL, node, NULL, t - u_first, copies.bytes
FROM copies
CROSS JOIN span
JOIN clock USING (p)
JOIN (SELECT DISTINCT key, datum AS data_id FROM read) USING (key)
WHERE nth > 1
  AND data_id IN (SELECT datum FROM origin_copy WHERE origin_copy.key = copies.key AND origin_copy.p = copies.p)
ORDER BY t_recv;

-- What the worker did around a task: up to its begin, and from its end to its result in memory.
CREATE TEMP VIEW runtime AS
WITH
  around AS (
    SELECT r, worker, turned AS t_start, t_start AS t_end, 'pre' AS what, task FROM done
    UNION ALL
    SELECT r, worker, t_end, stored, 'post', task FROM done
  )

SELECT
  worker AS worker_id,
  t_start - u_first AS t_start,
  t_end - u_first AS t_end,
  NULL::BIGINT AS total_ns,
  what,
  task AS fragment_id
FROM around
CROSS JOIN span
WHERE t_start < t_end
ORDER BY r, what DESC;
