-- key: run_id VARCHAR
-- scope: run_id
-- reads: segments, segment_features, runs, models
-- requires: settings, throughput
-- functions: throughput.effects, throughput.predict, models
--
-- Feature contributions to the predictions of segments.

-- inputs
FROM _run_inputs((SELECT list(scope) FROM _scope), 'segments', 'throughput');

-- rows
WITH
  -- each segment is predicted 64 times, so of many about a thousand are taken, spread evenly
  steps AS (
    SELECT run_id, greatest(count(*) // 1000, 1) AS step FROM segments GROUP BY run_id
  ),

  loaded AS MATERIALIZED (
    SELECT model, load_model(arrays) AS model_number
    FROM _throughput_models
  ),

  effects AS (
    SELECT
      s.run_id, s.thread, s.segment, s.instructions, s.executions,
      unnest(
        throughput_effects(CASE WHEN len(s.features) = m.inputs THEN s.features END, l.model_number),
        recursive := true
      )
    FROM segment_inputs AS s
    JOIN steps AS t ON s.run_id = t.run_id
    JOIN _run_models AS m ON s.run_id = m.run_id AND s.form = m.form
    JOIN loaded AS l ON m.model = l.model
    WHERE s.segment % t.step = 0
  )

SELECT run_id, thread, segment, feature_group, factor, instructions, executions
FROM effects;
