-- Efficiencies of a set of runs at its measured counts; of kind $kind of its parameter, NULL for its
-- own.
SELECT
  e.parallelism, e.seconds, e.computation_seconds, e.communication_seconds, e.load_balance,
  e.communication_efficiency, e.serialisation, e.transfer, e.parallel_efficiency,
  e.computation_scaling, e.global_efficiency, e.speedup, e.serial_fraction
FROM scaling_efficiencies AS e
JOIN scaling_sets AS s ON e.set_id = s.set_id
WHERE e.set_id = $set_id AND _is_count(coalesce($kind, s.parameter_kind))
ORDER BY e.parallelism;
