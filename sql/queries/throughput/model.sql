-- The models that predicted for a run, and what they were trained on.
SELECT p.model, m.subject, m.algorithm, m.description
FROM (SELECT DISTINCT model FROM throughput_predictions WHERE run_id = $run_id) AS p
JOIN models AS m ON m.kind = 'throughput' AND p.model = 'throughput/' || m.version
ORDER BY p.model;
