-- Groups of threads that behave alike, of all launches or $launch.
SELECT
  launch, kernel, behaviour_group, threads, share, distinct_vectors, block, thread, radius
FROM thread_groups
WHERE run_id = $run_id AND launch BETWEEN coalesce($launch, 0) AND coalesce($launch, 2147483647)
ORDER BY launch, behaviour_group;
