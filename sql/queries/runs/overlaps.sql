-- Whether the functions of one run are of two sides that overlap: calls of a GPU's interface, which
-- wait, and what the GPU does meanwhile.
SELECT count(DISTINCT kind = 'api') > 1 AS overlaps
FROM fn_timings
WHERE run_id = $run_id AND kind IS NOT NULL AND seconds IS NOT NULL;
