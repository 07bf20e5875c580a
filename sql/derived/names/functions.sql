-- Write the functions of the files from $first to $last without what differs from process to
-- process.
UPDATE fn_timings
SET function = _stable(function), callpath = _stable_path(callpath)
WHERE
  source_id BETWEEN $first AND $last
  AND (_is_unstable(function) OR coalesce(_is_unstable(callpath), false));
