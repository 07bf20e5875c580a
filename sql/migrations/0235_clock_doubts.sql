-- Why the clocks of nodes are not to be trusted, where verdicts on idle time are read.

ALTER TABLE _worker_sums ADD COLUMN doubt STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR));
COMMENT ON COLUMN _worker_sums.doubt IS 'Why the clocks of the run''s nodes are not to be trusted: clocks_disagree, clocks_contradict or nodes_apart; NULL where nothing speaks against them.';
