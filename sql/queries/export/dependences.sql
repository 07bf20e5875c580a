-- Dependences of one run: the task that made a datum, and each task that reads it.
SELECT DISTINCT d.producer, i.task AS reader
FROM task_inputs AS i
JOIN task_data AS d ON i.run_id = d.run_id AND i.data = d.data
WHERE i.run_id = $run_id AND d.producer IS NOT NULL AND d.producer <> i.task
ORDER BY ALL;
