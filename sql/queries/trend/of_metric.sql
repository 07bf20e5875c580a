-- Series of one metric of an application.
FROM metric_series
WHERE app = $app AND metric = $metric;
