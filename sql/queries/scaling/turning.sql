-- Between which counts the program of a set of runs is fastest; of kind $kind of its parameter, NULL
-- for its own.
SELECT t.fastest, t.low, t.high, t.flags
FROM program_turning_points AS t
JOIN scaling_sets AS s ON t.set_id = s.set_id
WHERE t.set_id = $set_id AND _is_count(coalesce($kind, s.parameter_kind));
