-- Whether a chain of tasks is nearly all of the time of a run follows from its longest chain.

ALTER TABLE _task_graphs ADD COLUMN is_chain BOOLEAN;
COMMENT ON COLUMN _task_graphs.is_chain IS 'Whether, on any number of workers, a chain of tasks that need each other takes nearly all of the time.';
