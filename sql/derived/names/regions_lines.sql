-- Write the regions of the files in _kept_lines without their lines.
UPDATE pmu_samples AS t
SET
  region = _named_path(region, kept),
  source_line = CASE
    WHEN NOT list_contains(kept, _path_parts(region)[-1]) THEN _line_of(_path_parts(region)[-1])
  END
FROM _kept_lines AS k
WHERE t.source_id = k.source_id AND t.run_id = k.run_id AND contains(region, ':');
