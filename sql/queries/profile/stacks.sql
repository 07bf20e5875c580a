-- Stacks of functions with what they cost by themselves in runs and in those that they are compared
-- with: the mean over the runs of a side, of times over ranks, too, where $rank is NULL.
SELECT
  stack,
  coalesce(sum(own) FILTER (is_after), 0) AS own,
  coalesce(sum(own) FILTER (NOT is_after), 0) AS own_before
FROM _stack_costs(
  CAST($runs AS VARCHAR[]), CAST($against AS VARCHAR[]), $event, $rank, $thread
)
GROUP BY stack
ORDER BY stack;
