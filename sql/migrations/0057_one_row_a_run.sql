-- A run has one row, also where clients write it by hand. Of several, the first stays.

DELETE FROM runs
WHERE rowid NOT IN (SELECT min(rowid) FROM runs GROUP BY run_id);

ALTER TABLE runs ADD PRIMARY KEY (run_id);

COMMENT ON TABLE run_facts IS 'One row is what one file, the options given with it, or a row of runs written by hand, states of one run. runs is made of these, so that forgetting a file forgets what it stated.';
COMMENT ON COLUMN run_facts.source_id IS 'File that states it, or was being ingested when the options were given; 0 where the run was written by hand.';
COMMENT ON COLUMN run_facts.stated_by IS 'option, hand (a row that was in runs before any file of the run landed), file, rows (of the file) or file_time (when it was modified), in the order in which they win; among options the latest.';
