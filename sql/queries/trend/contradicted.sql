-- How often versions of an application were measured in another order than their numbers have, and
-- the last two of them: without commits neither is known to be that of the code.
WITH
  versions AS (
    SELECT o.version, _version_numbers(o.version) AS numbers, min(o.place) AS place
    FROM _run_order AS o
    JOIN run_groups AS g ON o.run_id = g.run_id
    WHERE o.app = $app AND NOT o.is_candidate AND g.committed_at IS NULL AND g.fields IS NOT NULL
      AND regexp_full_match(o.version, '\D*\d+(\.\d+)*')
    GROUP BY o.version
  ),

  steps AS (
    SELECT version, place, lag(version) OVER placed AS earlier
    FROM versions
    WINDOW placed AS (ORDER BY place)
    QUALIFY lag(numbers) OVER placed > numbers AND lag(place) OVER placed < place
  )

SELECT count(*) AS times, arg_max(earlier, place) AS earlier, arg_max(version, place) AS version
FROM steps
HAVING times > 0;
