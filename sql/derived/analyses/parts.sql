-- The keys to compute, each with its part: those whose runs have about $together scalars are one.
CREATE TEMP TABLE _every AS
WITH
  sizes AS (
    SELECT i.key, count(*) AS scalars
    FROM (SELECT key, unnest(runs || against) AS run_id FROM _inputs) AS i
    JOIN run_scalars AS m ON i.run_id = m.run_id
    GROUP BY i.key
  )

SELECT
  i.*,
  coalesce(sum(s.scalars) OVER (ORDER BY i.key ROWS UNBOUNDED PRECEDING), 0) // $together AS part
FROM _inputs AS i
LEFT JOIN sizes AS s ON i.key = s.key;
