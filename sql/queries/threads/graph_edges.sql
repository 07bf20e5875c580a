-- Edges of the control-flow graph of one launch.
SELECT src, dst, count, probability
FROM bb_transitions
WHERE run_id = $run_id AND launch = $launch
ORDER BY src, dst;
