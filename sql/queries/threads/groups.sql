-- Groups of threads that behave alike, of launches $first to $last.
SELECT
  launch, kernel, behaviour_group, threads, share, distinct_vectors, block, thread, radius
FROM thread_groups
WHERE run_id = $run_id AND launch BETWEEN $first AND $last
ORDER BY launch, behaviour_group;
