-- What a set of runs is scaled by: a count, or a parameter that is none.

ALTER TABLE scaling_sets ADD COLUMN parameter VARCHAR;
ALTER TABLE scaling_sets ADD COLUMN parameter_kind VARCHAR;
ALTER TABLE scaling_sets ADD COLUMN capacity INTEGER;
COMMENT ON COLUMN scaling_sets.parameter IS 'Name of what the set is scaled by, as in scaling_runs.';
COMMENT ON COLUMN scaling_sets.parameter_kind IS 'What that is: processes, threads, nodes, blocks, size or other. Speed-up, efficiency, core hours and turning points exist for the first four, which are counts.';
COMMENT ON COLUMN scaling_sets.capacity IS 'Blocks beyond which no more run at once: the multiprocessors of the GPU, by the tag multiprocessors; NULL where it is unknown or the set is not scaled by blocks.';
COMMENT ON COLUMN scaling_sets.scaling IS 'strong: the work of the whole problem is fixed; weak: the problem grows with the parallelism, so the work of each process is fixed: by the sizes, or, where these are unknown or do not change, as the computation of a process takes as long at all counts. strong where neither tells.';
COMMENT ON COLUMN scaling_sets.assumed IS 'Whether scaling is the default, or follows from times, because the problem sizes of the runs are unknown or those of a process.';
COMMENT ON TABLE program_turning_points IS 'One row is one set of runs (same application, version and machine) and the count beyond which more processes make its program slower. The same holds of weak scaling, where the problem grows, too. Sets that are scaled by a problem size have none.';
