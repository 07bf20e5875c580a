-- Data. Their home is their node, else their producer's; they are there at t_ready, else at their
-- producer's end. k is the number of the producer.
WITH
  told AS MATERIALIZED (
    SELECT r, data, producer, node, t_ready
    FROM task_data
    JOIN _idle_run USING (run_id)
  )

SELECT
  told.r, told.data, told.producer, maker.k, maker.w,
  coalesce(own.x, host.x) AS home,
  coalesce(told.t_ready - coalesce(clock.ahead, 0), maker.t_end) AS c
FROM told
LEFT JOIN _idle_task AS maker ON told.r = maker.r AND told.producer = maker.task
LEFT JOIN _idle_worker AS host ON maker.w = host.w
LEFT JOIN _idle_node AS own ON told.r = own.r AND told.node = own.node
LEFT JOIN _idle_node AS clock ON coalesce(own.x, host.x) = clock.x;
