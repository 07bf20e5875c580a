-- How unevenly threads share each function of one run, those that make the most of the imbalance first.
SELECT
  measure, rank, parallelism, repetition, function, called_on, mean_value, max_value, busiest_thread,
  imbalance, excess, excess_share, share
FROM function_thread_imbalance
WHERE run_id = $run_id
ORDER BY measure, rank, parallelism, repetition, excess DESC, function;
