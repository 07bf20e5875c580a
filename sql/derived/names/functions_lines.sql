-- Write the functions of the files in _kept_lines without their lines.
UPDATE fn_timings AS t
SET
  function = _named(function, kept),
  callpath = _named_path(callpath, kept),
  source_line = CASE WHEN NOT list_contains(kept, function) THEN _line_of(function) END
FROM _kept_lines AS k
WHERE t.source_id = k.source_id AND t.run_id = k.run_id
  AND (contains(function, ':') OR coalesce(contains(callpath, ':'), false));
