-- Scalars are kept in the transaction that lands their rows, so run_metrics reads nothing else.

COMMENT ON TABLE run_scalars IS 'One row is one scalar of a run, as added up in the transaction that landed its files. Read run_metrics instead: it has them with the facts of their run.';
COMMENT ON TABLE kept_runs IS 'One row is a run whose scalars are in run_scalars. After changing rows of a run by hand delete its row here and run pwh migrate.';
