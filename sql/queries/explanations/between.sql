-- Changes that two sets of runs are on both sides of, of the metric that runs are judged by, with the
-- runs that explain them; those after it are $against where it is seen backwards.
WITH
  sides AS (
    SELECT
      configuration_id,
      min(place) FILTER (list_contains($against, run_id)) AS against_first,
      max(place) FILTER (list_contains($against, run_id)) AS against_last,
      min(place) FILTER (list_contains($runs, run_id)) AS runs_first,
      max(place) FILTER (list_contains($runs, run_id)) AS runs_last
    FROM _run_places
    WHERE list_contains($runs || $against, run_id)
    GROUP BY configuration_id
    HAVING count(*) = len($runs) + len($against)
  )

SELECT
  m.event_id AS event, e.run_id AS changed, e.main_metric AS metric, s.runs_last < s.against_first AS is_back,
  if(is_back, e.against, e.runs) AS runs, if(is_back, e.runs, e.against) AS against
FROM change_explanations AS e
JOIN _run_places AS o ON e.run_id = o.run_id
JOIN sides AS s
  ON o.configuration_id = s.configuration_id
  AND o.place > least(s.against_last, s.runs_last)
  AND o.place <= greatest(s.against_first, s.runs_first)
JOIN _event_members AS m
  ON e.run_id = m.run_id AND m.series_id = _series_id(o.configuration_id, e.main_metric)
WHERE e.topic = 'metric';
