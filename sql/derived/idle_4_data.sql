-- Data. Their home is their node, else their producer's; they exist from t_ready, else from their
-- producer's end. k is the number of the producer.
WITH
  recorded AS MATERIALIZED (
    SELECT r, data, producer, node, t_ready
    FROM task_data
    JOIN _idle_run USING (run_id)
  )

SELECT
  recorded.r, recorded.data, recorded.producer, maker.k, maker.w,
  coalesce(own.x, host.x) AS home,
  coalesce(recorded.t_ready - coalesce(clock.ahead, 0), maker.t_end) AS c
FROM recorded
LEFT JOIN _idle_task AS maker ON recorded.r = maker.r AND recorded.producer = maker.task
LEFT JOIN _idle_worker AS host ON maker.w = host.w
LEFT JOIN _idle_node AS own ON recorded.r = own.r AND recorded.node = own.node
LEFT JOIN _idle_node AS clock ON coalesce(own.x, host.x) = clock.x;
