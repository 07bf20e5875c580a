-- Write the functions of the file $source_id without what differs from process to process.
UPDATE fn_timings
SET function = _stable(function), callpath = _stable_path(callpath)
WHERE source_id = $source_id AND (_is_unstable(function) OR coalesce(_is_unstable(callpath), false));
