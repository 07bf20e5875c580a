-- Applications that have sets of runs to model.
SELECT DISTINCT app FROM scaling_sets WHERE app IS NOT NULL ORDER BY app;
