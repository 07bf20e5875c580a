-- Delete the costs of functions of the runs in _keep (run_id, source_id), and list in
-- _cost_candidate the events that can be costs in the profiles of their files, from pmu_samples,
-- narrowed to these files of these runs.

CREATE TEMP TABLE _cost_candidate AS
SELECT event
FROM pmu_samples
WHERE region IS NOT NULL AND value IS NOT NULL
GROUP BY event
QUALIFY
  count(inclusive) > 0
  OR _plain_event(event) IN (SELECT event FROM _cost_event)
  OR bool_or(_is_samples(event)) OVER (PARTITION BY 1);

DELETE FROM run_scalars
WHERE run_id IN (SELECT run_id FROM _keep) AND (starts_with(metric, 'cost:') OR metric = 'functions:cost');
