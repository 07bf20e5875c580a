-- The picture of one thread block.
SELECT thread, pixels
FROM thread_picture($run_id, $launch, $block, metric := $metric)
ORDER BY thread;
