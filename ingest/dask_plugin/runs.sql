-- What the Dask plugin gathered, put together: runs with their submission, data with versions.
--
-- Given: process, run, arrival, placed (scattered data), submission, need, stored (in memory before
-- the record began). Times there are ns of the epoch, on the process's own clock (submission: the
-- scheduler's). Columns u_... are corrected: local time minus what the clock is ahead by.

CREATE TEMP TABLE clock AS
SELECT
  p, address, threads, joined, gone, clock_offset,
  coalesce(clock_offset, 0) AS ahead,
  -- an address can be taken again by a later process
  CASE nth WHEN 1 THEN address ELSE address || '#' || nth END AS node
FROM (
  SELECT *, row_number() OVER (PARTITION BY address ORDER BY joined, p) AS nth
  FROM process
);

-- Runs, numbered within their key, on their threads: t0, t1, ... are the pool's, in the order in
-- which they were first used; x0, x1, ... the event loop's and those of other executors.
CREATE TEMP TABLE done AS
WITH
  lanes AS (
    SELECT
      p, thread, pooled,
      row_number() OVER (PARTITION BY p, pooled ORDER BY min(t_start), thread) - 1 AS lane
    FROM run
    GROUP BY p, thread, pooled
  ),

  numbered AS (
    SELECT
      run.*, lane, ahead, node,
      row_number() OVER (
        PARTITION BY key ORDER BY t_start - ahead, t_end - ahead, run.p
      ) AS nth
    FROM run
    JOIN clock USING (p)
    JOIN lanes
      ON run.p = lanes.p
      AND run.pooled = lanes.pooled
      AND run.thread IS NOT DISTINCT FROM lanes.thread
  )

SELECT
  row_number() OVER () AS r,
  CASE nth WHEN 1 THEN key ELSE key || '#' || nth END AS task,
  node || '/' || if(pooled, 't', 'x') || lane AS worker,
  numbered.* EXCLUDE (nth),
  t_start - ahead AS u_start,
  t_end - ahead AS u_end
FROM numbered;

-- The submission of each run: the last one before it, else the key's first.
CREATE TEMP TABLE requested AS
WITH
  known AS (
    SELECT key, coalesce(t, 0) AS t, max(s) AS s
    FROM submission
    GROUP BY ALL
  ),

  earliest AS (
    SELECT key, arg_min(s, t) AS s
    FROM known
    GROUP BY key
  ),

  matched AS (
    SELECT r, done.key, known.s
    FROM done
    ASOF LEFT JOIN known ON done.key = known.key AND done.u_start >= known.t
  )

SELECT r, coalesce(matched.s, earliest.s) AS s
FROM matched
LEFT JOIN earliest USING (key);

-- Copies of data that did not come from another process. What no recorded run made bears the
-- key's name, or key#0 where runs made the key later.
CREATE TEMP TABLE origin_copy AS
WITH
  there AS (
    SELECT key, p, min(t - ahead) AS u
    FROM placed
    JOIN clock USING (p)
    GROUP BY key, p
    UNION ALL
    SELECT key, p, 0
    FROM stored
    JOIN clock USING (address)
  )

SELECT key, p, u_end AS u, task AS datum
FROM done
WHERE made
UNION ALL
SELECT key, p, u, if(key IN (SELECT key FROM done WHERE made), key || '#0', key)
FROM there;

-- Most keys have one version only.
CREATE TEMP TABLE sole AS
SELECT key, any_value(datum) AS datum
FROM origin_copy
GROUP BY key
HAVING count(DISTINCT datum) = 1;

-- Arrivals, with the process that sent and the version that it had: of those that were there
-- before, its own, the latest; failing that, the earliest.
CREATE TEMP TABLE arrived AS
WITH
  sender AS (
    SELECT
      row_number() OVER () AS a, arrival.p, arrival.key, t_send, t_recv, bytes,
      t_recv - receiver.ahead AS u_recv,
      source.p AS source
    FROM arrival
    JOIN clock AS receiver USING (p)
    ASOF LEFT JOIN (SELECT p, address, joined - ahead AS u_joined FROM clock) AS source
      ON arrival.address = source.address AND arrival.t_recv - receiver.ahead >= source.u_joined
  ),

  picked AS (
    SELECT
      a,
      max({
        before: u <= u_recv, own: copy.p = source, u: if(u <= u_recv, u, -u), datum: datum
      }).datum AS datum
    FROM (FROM sender ANTI JOIN sole USING (key)) AS unclear
    JOIN origin_copy AS copy USING (key)
    GROUP BY a
  )

SELECT sender.*, coalesce(sole.datum, picked.datum, sender.key) AS datum
FROM sender
LEFT JOIN sole USING (key)
LEFT JOIN picked USING (a);

-- What each run read, and the version, picked likewise among those of its process.
CREATE TEMP TABLE read AS
WITH
  wanted AS (
    SELECT row_number() OVER () AS w, done.r, done.p, need.key, u_start
    FROM requested
    JOIN done USING (r)
    JOIN need USING (s)
  ),

  copies AS (
    SELECT key, p, u, datum FROM origin_copy
    UNION ALL
    SELECT key, p, u_recv, datum FROM arrived
  ),

  picked AS (
    SELECT
      w,
      max({
        before: u <= u_start, own: copy.p = unclear.p, u: if(u <= u_start, u, -u), datum: datum
      }).datum AS datum
    FROM (FROM wanted ANTI JOIN sole USING (key)) AS unclear
    JOIN copies AS copy USING (key)
    GROUP BY w
  )

SELECT r, wanted.key, coalesce(sole.datum, picked.datum, wanted.key) AS datum
FROM wanted
LEFT JOIN sole USING (key)
LEFT JOIN picked USING (w);

-- Time 0 is the first submission; the last sign of work ends the windows.
CREATE TEMP TABLE span AS
WITH
  moments AS (
    SELECT t AS u FROM submission WHERE t IS NOT NULL AND s IN (SELECT s FROM requested)
    UNION ALL
    SELECT unnest([turned, t_start, t_end, stored]) - ahead FROM done
    UNION ALL
    SELECT u_recv FROM arrived
  )

SELECT
  coalesce(min(u), (SELECT min(joined - ahead) FROM clock), 0) AS u_first,
  coalesce(max(u), (SELECT min(joined - ahead) FROM clock), 0) AS u_last
FROM moments;
