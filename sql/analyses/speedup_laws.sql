-- key: set_id BIGINT
-- scope: set_id
-- needs: scaling_sets
-- reads: program_times, scaling_series, scaling_sets, runs
-- requires: settings, program_models
-- functions: scaling
--
-- Laws of speed-up fitted to the measured times of programs.

-- inputs
FROM _set_inputs((SELECT list(scope) FROM _scope));

-- rows
SELECT
  p.set_id, p.app, p.version, p.machine,
  unnest(scaling_speedup_laws(p.x, p.y, p.noise, s.scaling = 'weak'), recursive := true)
FROM _program_series AS p
JOIN scaling_sets AS s ON p.set_id = s.set_id
WHERE _is_count(s.parameter_kind);
