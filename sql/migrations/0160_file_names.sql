-- A file with times at several counts that names no application: its runs are of one of its name.

COMMENT ON COLUMN run_facts.stated_by IS 'option, hand (a row that was in runs before any file of the run landed), file, rows (of the file), git (what was checked out where the file was written), file_time (when it was modified) or file_name (of a file with times of functions at several counts: the application), in the order in which they win; among options the latest.';
