-- Functions of a profile: what they cost by themselves and with callees, in runs and in those that
-- they are compared with (as in profile/stacks); calls, mean over ranks, and how evenly the ranks
-- share them, of the one run $run (NULL: several). A function that calls itself counts once. Of $within
-- only: functions from the root on that stacks begin with, or, of a graph that $is_inverted, from the
-- last one on to its callers.
WITH
  functions AS (
    SELECT
      is_after, own, stack[-1] AS last,
      unnest(
        list_distinct(if($is_inverted, stack, stack[greatest(len(CAST($within AS VARCHAR[])), 1):]))
      ) AS function
    FROM _stack_costs(
      CAST($runs AS VARCHAR[]), CAST($against AS VARCHAR[]), $event, $rank, $thread
    )
    WHERE list_slice(if($is_inverted, list_reverse(stack), stack), 1, len(CAST($within AS VARCHAR[])))
      = CAST($within AS VARCHAR[])
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
  s.function, s.own, s.own / nullif(sum(s.own) OVER (PARTITION BY 1), 0) AS share,
  if($is_flat, t.inclusive, s.inclusive) AS inclusive,
  s.own_before, if($is_flat, NULL, s.inclusive_before) AS inclusive_before,
  s.own - s.own_before AS change,
  c.calls, b.imbalance, b.saved_seconds
FROM sums AS s
LEFT JOIN stated AS t USING (function)
LEFT JOIN called AS c USING (function)
LEFT JOIN balance AS b USING (function)
ORDER BY
  if(len(CAST($against AS VARCHAR[])) > 0, abs(s.own - s.own_before), s.own) DESC, s.function;
