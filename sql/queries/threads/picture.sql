-- The picture of thread block $block (NULL: the threads of a CPU program).
SELECT thread, pixels
FROM thread_picture($run_id, $launch, $block, metric := $metric)
ORDER BY thread;
