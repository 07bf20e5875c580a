-- The picture of thread block $block (NULL: the threads of a CPU program), by visits or barriers.
SELECT thread, pixels
FROM thread_picture($run_id, $launch, $block, metric := $metric, vectors := $vectors)
ORDER BY thread;
