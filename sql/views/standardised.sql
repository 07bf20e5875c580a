-- requires: flags, metric_sets, models
--
-- The metrics as pictures and models use them: on a log scale, and standardised.

CREATE OR REPLACE MACRO _no_model(set_name, whole) AS CASE
  WHEN whole > 0
    THEN _flag('slots_unknown')
  ELSE _flag('no_fitted_model', MAP {'set': set_name})
END;

-- The model of each metric set: only one that was fitted to exactly the metrics of the set.
CREATE OR REPLACE VIEW _bottleneck_models AS
WITH
  weights AS (
    SELECT
      f.subject, f.inputs, 'bottlenecks/' || f.version AS model,
      map_from_entries(list({'k': a.name, 'v': {'shape': a.shape, 'values': a."values"}}))
        AS arrays,
      any_value(a."values") FILTER (a.name = 'mean') AS means,
      any_value(a."values") FILTER (a.name = 'deviation') AS deviations,
      any_value(a."values") FILTER (a.name = 'log_offset') AS offsets
    FROM models_in_force AS f
    JOIN model_arrays AS a USING (kind, version)
    WHERE f.kind = 'bottlenecks'
    GROUP BY f.subject, f.version, f.inputs
    -- models of older versions of pwh state probabilities that were not calibrated
    HAVING bool_or(a.name = 'temperature')
  )

SELECT l.metric_set, w.model, w.arrays, w.means, w.deviations, w.offsets
FROM _set_layout AS l
JOIN weights AS w ON l.models_of = w.subject AND l.names = w.inputs;

CREATE OR REPLACE VIEW pmu_standardised AS -- One row is one metric of one sample: per cycle, on a log scale, and standardised by the model in force.
WITH
  tall AS (
    SELECT
      s.run_id, s.source_id, s.rank, s.thread, s.cpu, s.region, s.sample, s.metric_set, m.model,
      s.cycles, s.names, s.metrics, m.means, m.deviations, m.offsets,
      unnest(range(1, len(s.names) + 1)) AS i
    FROM sample_metrics AS s
    LEFT JOIN _bottleneck_models AS m USING (metric_set)
    WHERE s.names_class
  )

SELECT
  run_id, source_id, rank, thread, cpu, region, sample,
  metric_set, -- Metric set.
  names[i] AS metric, -- Metric of that set.
  metrics[i] AS value, -- Per cycle of the sample, or a share; NULL where an event is missing or no cycle passed.
  CASE WHEN value + coalesce(offsets[i], 0) > 0 THEN log10(value + coalesce(offsets[i], 0)) END
    AS log_value, -- log10 of the value, to which the model adds a small number first; NULL for zero where there is no model.
  (log_value - means[i]) / nullif(deviations[i], 0) AS standardised, -- (log_value - mean) / deviation over the population that the model was trained on; NULL without a model, or where the metric was constant there.
  model, -- That model (kind/version).
  cycles -- Cycles of the sample.
FROM tall;
