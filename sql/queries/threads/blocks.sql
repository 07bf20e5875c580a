-- Thread blocks of one launch, or one of them, those with the most fluctuation first.
SELECT
  block, threads, distinct_vectors, fluctuation, mean_distance, max_distance, brightness,
  sync_consistency
FROM block_behaviour($run_id, $launch, metric := $metric)
WHERE $block IS NULL OR block = $block
ORDER BY fluctuation DESC NULLS LAST, brightness DESC NULLS LAST, block;
