-- Tasks are known to take turns though none ran alone.

COMMENT ON COLUMN tasks_in_turn.alone IS 'Duration of one that waited for no other, ns; NULL where they do not take longer than that on average.';
