-- A launch in a plain table need not state what a row of visits is of.

ALTER TABLE bb_launches ALTER COLUMN granularity DROP NOT NULL;
COMMENT ON COLUMN bb_launches.granularity IS 'What one row of bb_visits stands for: thread or warp; NULL for thread.';
