-- Clusters of the models in force that judge runs, one row a cluster and metric: the medoid's
-- metric in deviations from the mean of the training.
WITH
  used AS (
    SELECT DISTINCT model
    FROM bottlenecks
    WHERE _is_of(run_id, CAST($runs AS VARCHAR[])) AND model IS NOT NULL
  ),

  arrays AS (
    SELECT
      m.subject, m.version, m.inputs,
      any_value(a."values") FILTER (a.name = 'medoids') AS medoids,
      any_value(a."values") FILTER (a.name = 'medoid_classes') AS classes,
      any_value(a."values") FILTER (a.name = 'medoid_sizes') AS sizes,
      any_value(a."values") FILTER (a.name = 'mean') AS means,
      any_value(a."values") FILTER (a.name = 'deviation') AS deviations
    FROM models_in_force AS m
    JOIN model_arrays AS a USING (kind, version)
    WHERE m.kind = 'bottlenecks' AND 'bottlenecks/' || m.version IN (FROM used)
    GROUP BY m.subject, m.version, m.inputs
  ),

  each AS (
    SELECT *, unnest(range(1, len(sizes) + 1)) AS cluster
    FROM arrays
    WHERE medoids IS NOT NULL
  ),

  tall AS (
    SELECT *, unnest(range(1, len(inputs) + 1)) AS i
    FROM each
  )

SELECT
  'bottlenecks/' || version AS model, subject AS metric_set, cluster,
  coalesce(
    ['Balance', 'Mem', 'DTB', 'ICache', 'DMA', 'Other'][CAST(classes[cluster] AS INTEGER) + 1],
    'Unknown'
  ) AS class,
  CAST(sizes[cluster] AS BIGINT) AS samples, inputs[i] AS metric,
  (medoids[(cluster - 1) * len(inputs) + i] - means[i]) / nullif(deviations[i], 0) AS deviations
FROM tall
ORDER BY model, cluster, i;
