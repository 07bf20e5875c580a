-- What functions cost in bytes of a heap is no history of what they cost in instructions: runs of
-- massif and DHAT have the tag profiler, as those that pwh record made.

UPDATE run_facts
SET tags = map_concat(coalesce(run_facts.tags, MAP {}), MAP {'profiler': s.reader})
FROM sources AS s
WHERE run_facts.source_id = s.source_id AND s.reader IN ('massif', 'dhat')
  AND run_facts.stated_by = 'file';

UPDATE runs
SET tags = map_concat(coalesce(runs.tags, MAP {}), MAP {'profiler': f.profiler})
FROM (
  SELECT run_id, any_value(tags['profiler']) AS profiler
  FROM run_facts
  WHERE source_id IN (SELECT source_id FROM sources WHERE reader IN ('massif', 'dhat'))
    AND stated_by = 'file'
  GROUP BY run_id
) AS f
WHERE runs.run_id = f.run_id AND runs.tags['profiler'] IS NULL;
