-- Class shares of the cycles of the processes of runs, or of the runs where processes are unknown;
-- of more than $most, $most spread evenly.
WITH
  judged AS (
    SELECT run_id, rank, class, sum(samples) AS samples, sum(weight) AS weight
    FROM bottleneck_weights
    WHERE _is_of(run_id, CAST($runs AS VARCHAR[]))
    GROUP BY run_id, rank, class
  ),

  several AS (
    SELECT
      count(DISTINCT run_id) > 1 AS runs,
      count(DISTINCT version) = count(DISTINCT run_id) AS versions_differ
    FROM judged
    JOIN runs USING (run_id)
  ),

  placed AS (
    SELECT
      j.run_id, j.rank, j.class, CAST(j.samples AS BIGINT) AS samples,
      j.weight / sum(j.weight) OVER (PARTITION BY j.run_id, j.rank) AS share,
      dense_rank() OVER (ORDER BY r.started_at, r.version, j.run_id, j.rank) AS position,
      r.version
    FROM judged AS j
    JOIN runs AS r USING (run_id)
  ),

  counted AS (
    SELECT max(position) AS places FROM placed
  )

SELECT
  concat_ws(
    ', ',
    CASE WHEN s.runs OR p.rank IS NULL
      THEN CASE WHEN s.versions_differ THEN 'version ' || p.version ELSE p.run_id END END,
    'rank ' || p.rank
  ) AS place,
  p.position, c.places, p.run_id, p.rank, p.class, p.samples, p.share
FROM placed AS p
CROSS JOIN several AS s
CROSS JOIN counted AS c
WHERE p.position * $most // greatest(c.places, $most)
  > (p.position - 1) * $most // greatest(c.places, $most)
ORDER BY p.position, p.class;
