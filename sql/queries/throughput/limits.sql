-- What the predicted cycles of a run are spent on: the tightest bound of each segment, and the
-- interplay.
SELECT
  component,
  sum(predicted_cycles * least(share, 1)) / sum(sum(predicted_cycles * least(share, 1))) OVER () AS share,
  count(*) AS segments
FROM throughput_contributions
WHERE run_id = $run_id
  AND (is_tightest OR component = 'interplay')
  AND NOT list_has_any(flags, ['short', 'implausible'])
GROUP BY component
HAVING sum(predicted_cycles * least(share, 1)) > 0
ORDER BY share DESC, component;
