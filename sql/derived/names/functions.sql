-- Write the functions of some files, of which {rows} is the condition, without what differs from
-- process to process.
UPDATE fn_timings
SET function = _stable(function), callpath = _stable_path(callpath)
WHERE {rows} AND (_is_unstable(function) OR coalesce(_is_unstable(callpath), false));
