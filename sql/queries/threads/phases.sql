-- Phases of threads, with a representative interval of each, of all launches or $launch.
SELECT launch, block, thread, phase, weight, intervals, first_interval, interval
FROM phase_representatives
WHERE run_id = $run_id AND launch BETWEEN coalesce($launch, 0) AND coalesce($launch, 2147483647)
ORDER BY launch, block, thread, phase;
