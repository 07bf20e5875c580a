-- What the runs can be compared by, of all runs.
FROM run_configurations;
