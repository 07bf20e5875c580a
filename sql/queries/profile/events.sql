-- What the profiles of all of some runs are of, what is taken first at first: time or events, with
-- the ranks and threads that they have and how deep their stacks are.
WITH
  asked AS (
    SELECT unnest(CAST($runs AS VARCHAR[])) AS run_id
  )

SELECT
  event, any_value(unit) AS unit, list_sort(list(DISTINCT rank)) AS ranks,
  list_sort(list(DISTINCT thread)) AS threads, max(len(stack)) AS depth
FROM profile_stacks
JOIN asked USING (run_id)
WHERE own > 0
GROUP BY event
HAVING count(DISTINCT run_id) = (SELECT count(DISTINCT run_id) FROM asked)
ORDER BY min(preference), event;
