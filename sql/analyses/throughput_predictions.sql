-- key: run_id VARCHAR
-- scope: run_id
-- reads: segments, segment_features, runs, models
-- requires: settings, throughput
-- functions: throughput.predict, models
--
-- What each segment of an instruction stream could reach, by the model in force.

-- inputs
FROM _run_inputs((SELECT list(scope) FROM _scope), 'segments', 'throughput');

-- rows
WITH
  -- loaded once, so that segments stream through predict_throughput
  loaded AS MATERIALIZED (
    SELECT model, load_model(arrays) AS model_number
    FROM _throughput_models
  ),

  -- where a trace records only what was issued, nothing else can be used
  applied AS (
    SELECT
      s.* REPLACE (
        _own_bound(s.width_cycles, m.bound_factors, 1) AS width_cycles,
        _own_bound(s.critical_path_cycles, m.bound_factors, 2) AS critical_path_cycles,
        _own_bound(s.unit_cycles, m.bound_factors, 3) AS unit_cycles
      ),
      m.model AS fitted,
      CASE WHEN m.inputs = len(s.features) THEN m.is_own
        ELSE s.form = 'trace' OR c.machine IS NULL OR s.core IS NOT DISTINCT FROM c.core END AS is_own,
      greatest(
        _own_bound(s.width_cycles, m.bound_factors, 1),
        _own_bound(s.critical_path_cycles, m.bound_factors, 2),
        _own_bound(s.unit_cycles, m.bound_factors, 3), s.serialising_cycles
      ) AS least_cycles,
      coalesce(s.form = 'code' AND m.is_of_relative AND m.inputs = len(s.features), false)
        AS is_of_relative,
      s.code_flags || CASE WHEN is_of_relative THEN ['model_of_relative'] ELSE [] END AS band_flags,
      NOT is_described AND s.form = 'trace' AND coalesce(list_sum(s.issued), 0) > 0 AS by_issue,
      -- features of another version of pwh do not match the models of this one
      predict_throughput(CASE WHEN len(s.features) = m.inputs THEN s.features END, l.model_number)
        AS estimate
    FROM segment_inputs AS s
    LEFT JOIN _run_models AS m ON s.run_id = m.run_id AND s.form = m.form
    LEFT JOIN loaded AS l ON m.model = l.model
    LEFT JOIN _run_cores AS c ON s.run_id = c.run_id
  ),

  estimated AS (
    SELECT
      *,
      CASE WHEN by_issue THEN CAST(list_sum(issued) AS DOUBLE)
        ELSE _predicted_cycles(estimate, estimate.predicted_cycles, 1, least_cycles) END
        AS predicted_cycles,
      _low_cycles(estimate, band_flags, form, least_cycles) AS low_cycles,
      _high_cycles(estimate, band_flags, least_cycles, aliased_cycles, serial_cycles)
        AS high_cycles,
      coalesce(cycles < fewest, false) AS is_implausible
    FROM applied
  )

SELECT
  run_id, thread, segment, address, function, source_file, source_line, executions, instructions,
  instructions / predicted_cycles AS predicted,
  instructions / high_cycles AS low,
  instructions / low_cycles AS high,
  instructions / nullif(width_cycles, 0) AS width_bound,
  instructions / nullif(critical_path_cycles, 0) AS critical_path_bound,
  instructions / nullif(unit_cycles, 0) AS unit_bound,
  instructions / nullif(serialising_cycles, 0) AS serialising_bound,
  instructions / nullif(least_cycles, 0) AS tightest_bound,
  instructions / cycles AS measured,
  predicted_cycles,
  coalesce(executions, 1) * (cycles - predicted_cycles) AS cycles_to_gain,
  CASE WHEN by_issue THEN 'issued' WHEN predicted_cycles IS NOT NULL THEN fitted END AS model,
  _flags([
    CASE WHEN form = 'code' AND instructions IS NULL AND coalesce(len(code_flags), 0) = 0
      THEN 'undecodable' END,
    CASE WHEN form = 'trace' AND coalesce(instructions, 0) = 0 THEN 'empty' END,
    CASE WHEN form = 'trace' AND instructions > 0 AND NOT is_described AND NOT by_issue
      THEN 'no_features' END,
    CASE WHEN by_issue THEN 'uses_measured_issue' END,
    CASE WHEN (is_described OR width_cycles IS NOT NULL AND form = 'code') AND estimate IS NULL
      THEN 'no_model' END,
    CASE WHEN form = 'trace' AND coalesce(cycles, predicted_cycles) < shortest THEN 'short' END,
    CASE WHEN is_implausible THEN 'implausible' END,
    CASE WHEN estimate.is_outside THEN 'outside_training' END,
    CASE WHEN is_of_relative THEN 'model_of_relative'
      WHEN coalesce(predicted_cycles, width_cycles) IS NOT NULL AND NOT is_own AND NOT by_issue
      THEN 'other_core' END,
    CASE WHEN is_described AND list_contains(lacking, 'no_front_end') THEN 'no_front_end' END,
    CASE WHEN is_described AND list_contains(lacking, 'no_dependences') THEN 'no_dependences' END,
    CASE WHEN is_described AND list_contains(lacking, 'assumed_window') THEN 'assumed_window' END
  ] || coalesce(code_flags, [])) AS flags,
  isa, core, hex
FROM estimated;
