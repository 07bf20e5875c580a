-- The series that runs belong to, of all runs.
FROM _series_of_runs;
