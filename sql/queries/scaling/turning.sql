-- The limits of a set of runs: between which counts its program is fastest, and the largest at which
-- it is efficient; of kind $kind of its parameter, NULL for its own.
SELECT
  t.fastest, t.turning, t.low, t.high, t.is_predicted, t.efficient, t.efficient_low,
  t.efficient_high, t.flags
FROM program_turning_points AS t
JOIN scaling_sets AS s ON t.set_id = s.set_id
WHERE t.set_id = $set_id AND _is_count(coalesce($kind, s.parameter_kind));
