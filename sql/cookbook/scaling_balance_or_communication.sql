-- Why does a program not scale: imbalance, communication or more work?
--
-- Efficiencies by the definitions of the POP Centre of Excellence, 1 is ideal: the global one is
-- load balance x communication x computation scaling. The lowest of the three is what to look at; a
-- serial fraction that grows with the count is overhead.
SELECT
  app, version, parallelism,
  round(load_balance, 3) AS load_balance,
  round(communication_efficiency, 3) AS communication,
  round(parallel_efficiency, 3) AS parallel,
  round(computation_scaling, 3) AS computation_scaling,
  round(global_efficiency, 3) AS global,
  round(serial_fraction, 4) AS serial_fraction
FROM scaling_efficiencies
WHERE parallel_efficiency IS NOT NULL
ORDER BY app, version, parallelism;
