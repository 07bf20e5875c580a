-- Between which counts the program of a set of runs is fastest.
SELECT fastest, low, high, flags
FROM program_turning_points
WHERE set_id = $set_id;
