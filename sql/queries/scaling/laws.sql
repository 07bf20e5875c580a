-- Laws of speed-up of a set of runs; of kind $kind of its parameter, NULL for its own.
SELECT
  l.law, l.serial, l.serial_low, l.serial_high, l.coherence, l.coherence_low, l.coherence_high,
  l.most AS largest_speedup, l.peak, l.peak > s.largest AS is_extrapolated, l.smape
FROM speedup_laws AS l
JOIN scaling_sets AS s ON l.set_id = s.set_id
WHERE l.set_id = $set_id AND _is_count(coalesce($kind, s.parameter_kind))
ORDER BY l.law;
