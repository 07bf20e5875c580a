-- Of runs on two sides, each in order of time, those next to the change between them whose profiles
-- can be compared: the first of $runs and the last of $against, with stacks where both have some. One
-- row or none.
WITH
  side AS (
    SELECT
      unnest(CAST($against AS VARCHAR[])) AS run_id, false AS is_after,
      -generate_subscripts(CAST($against AS VARCHAR[]), 1) AS place
    UNION ALL
    SELECT
      unnest(CAST($runs AS VARCHAR[])), true, generate_subscripts(CAST($runs AS VARCHAR[]), 1)
  ),

  profiled AS (
    SELECT s.run_id, s.is_after, s.place, p.event, max(len(p.stack)) > 1 AS has_stacks
    FROM profile_stacks AS p
    JOIN side AS s ON p.run_id = s.run_id
    WHERE p.own > 0
    GROUP BY ALL
  )

SELECT b.run_id AS before, a.run_id AS "after"
FROM profiled AS a
JOIN profiled AS b ON a.event = b.event
WHERE a.is_after AND NOT b.is_after
ORDER BY a.has_stacks AND b.has_stacks DESC, a.place, b.place, a.event
LIMIT 1;
