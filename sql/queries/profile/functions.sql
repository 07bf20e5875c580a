-- Functions of a profile: what they cost by themselves and with callees, in runs and in those that
-- they are compared with (as in profile/stacks); calls, over all ranks, and how evenly the ranks
-- share them, of the one run $run (NULL: several). A function that calls itself counts once.
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
  ),

  cost AS (
    SELECT c.is_after, c.stack, c.own / p.places / n.runs AS own
    FROM chosen AS c
    JOIN places AS p ON c.is_after = p.is_after AND c.run_id = p.run_id
    JOIN runs_of_side AS n ON c.is_after = n.is_after
  ),

  functions AS (
    SELECT is_after, own, stack[-1] AS last, unnest(list_distinct(stack)) AS function FROM cost
  ),

  sums AS (
    SELECT
      function,
      coalesce(sum(own) FILTER (is_after AND function = last), 0) AS own,
      coalesce(sum(own) FILTER (is_after), 0) AS inclusive,
      coalesce(sum(own) FILTER (NOT is_after AND function = last), 0) AS own_before,
      coalesce(sum(own) FILTER (NOT is_after), 0) AS inclusive_before
    FROM functions
    GROUP BY function
  ),

  -- flat profiles have no callees, but the tool may state the sum
  stated AS (
    SELECT function, inclusive
    FROM function_totals
    WHERE run_id = $run AND $rank IS NULL AND $thread IS NULL
      AND $event = coalesce(
        (SELECT any_value(event) FROM function_costs WHERE run_id = $run), 'time'
      )
  ),

  called AS (
    SELECT function, calls FROM function_shares WHERE run_id = $run
  ),

  balance AS (
    SELECT function, median(imbalance) AS imbalance, median(saved_seconds) AS saved_seconds
    FROM rank_imbalance
    WHERE run_id = $run AND imbalance IS NOT NULL AND $event = 'time'
    GROUP BY function
  )

SELECT
  s.function, s.own, s.own / nullif(sum(s.own) OVER (), 0) AS share,
  if($is_flat, t.inclusive, s.inclusive) AS inclusive,
  s.own_before, if($is_flat, NULL, s.inclusive_before) AS inclusive_before,
  s.own - s.own_before AS change,
  c.calls, b.imbalance, b.saved_seconds
FROM sums AS s
LEFT JOIN stated AS t USING (function)
LEFT JOIN called AS c USING (function)
LEFT JOIN balance AS b USING (function)
ORDER BY
  if(len(from_json($against, '["VARCHAR"]')) > 0, abs(s.own - s.own_before), s.own) DESC, s.function;
