-- From which files does a run come, and what did each file or option state about it?
--
-- Put your own run into the last line but one.
SELECT
  run_id, parse_filename(path) AS file, reader, stated_by, app, version, machine, started_at
FROM run_facts
JOIN sources USING (source_id)
WHERE run_id = 'heat-1.3'
ORDER BY file, stated_by;
