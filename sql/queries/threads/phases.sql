-- Phases of threads, with a representative interval of each, of launches $first to $last.
SELECT launch, block, thread, phase, weight, intervals, first_interval, interval
FROM phase_representatives
WHERE run_id = $run_id AND launch BETWEEN $first AND $last
ORDER BY launch, block, thread, phase;
