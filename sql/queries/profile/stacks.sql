-- Stacks of functions with what they cost by themselves in runs and in those that they are compared
-- with: the mean over the runs of a side, of times over ranks, too, where $rank is NULL.
WITH
  side AS (
    SELECT unnest(from_json($against, '["VARCHAR"]')) AS run_id, false AS is_after
    UNION ALL
    SELECT unnest(from_json($runs, '["VARCHAR"]')), true
  ),

  chosen AS (
    SELECT s.is_after, p.run_id, p.rank, p.stack, p.own
    FROM profile_stacks AS p
    JOIN side AS s ON p.run_id = s.run_id
    WHERE p.event = $event
      AND ($rank IS NULL OR p.rank = $rank)
      AND ($thread IS NULL OR p.thread = $thread)
      AND isfinite(p.own) AND p.own > 0
  ),

  places AS (
    SELECT
      is_after, run_id, if($event = 'time', count(DISTINCT coalesce(rank, -1)), 1) AS places
    FROM chosen
    GROUP BY is_after, run_id
  ),

  runs_of_side AS (
    SELECT is_after, count(*) AS runs FROM side GROUP BY is_after
  )

SELECT
  c.stack,
  coalesce(sum(c.own / p.places / n.runs) FILTER (c.is_after), 0) AS own,
  coalesce(sum(c.own / p.places / n.runs) FILTER (NOT c.is_after), 0) AS own_before
FROM chosen AS c
JOIN places AS p ON c.is_after = p.is_after AND c.run_id = p.run_id
JOIN runs_of_side AS n ON c.is_after = n.is_after
GROUP BY c.stack
ORDER BY c.stack;
