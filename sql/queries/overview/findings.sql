-- Series with all that is found in them: of the metrics $metrics, or of all.
FROM _series_findings
WHERE $metrics IS NULL OR list_contains(from_json($metrics, '["VARCHAR"]'), metric);
