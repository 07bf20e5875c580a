-- How soon a run could end follows from the graph of tasks that its critical path is found in.

ALTER TABLE critical_paths ADD COLUMN chain_end BIGINT;
ALTER TABLE critical_paths ADD COLUMN placed_end BIGINT;
ALTER TABLE critical_paths ADD COLUMN least_end BIGINT;
ALTER TABLE critical_paths ADD COLUMN has_chains BOOLEAN;

COMMENT ON COLUMN critical_paths.chain_end IS 'Of the run: when it would end at the earliest without latency and overhead on any number of workers, no task before its submission, ns.';
COMMENT ON COLUMN critical_paths.placed_end IS 'Of the run: the moment before which it would not end on the same workers however its tasks were placed, with the measured latency and overhead of each and none before its submission, ns.';
COMMENT ON COLUMN critical_paths.least_end IS 'Of the run: that moment with one more worker, ns.';
COMMENT ON COLUMN critical_paths.has_chains IS 'Of the run: whether a task reads what one made that read something itself.';
COMMENT ON COLUMN idle_gains.change IS 'no latency, no overhead, other placement (of the tasks, on the same workers), one more worker, or half as long: one of the eight longest parts of its critical path.';
