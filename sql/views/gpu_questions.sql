-- requires: gpu_lanes
--
-- What people ask of GPU traces: launch queues, work by operator, module and step, stragglers, and memory.

CREATE OR REPLACE VIEW gpu_queue AS
WITH
  changes AS (
    SELECT run_id, device, worker AS stream, t_submit AS t, 1 AS more
    FROM _gpu_works
    WHERE t_submit IS NOT NULL
    UNION ALL
    SELECT run_id, device, worker, t_start, -1
    FROM _gpu_works
    WHERE t_submit IS NOT NULL
  )

SELECT
  run_id, device, stream, t,
  CAST(sum(sum(more)) OVER (PARTITION BY run_id, device, stream ORDER BY t) AS BIGINT) AS length
FROM changes
GROUP BY run_id, device, stream, t;

COMMENT ON VIEW gpu_queue IS 'One row is a moment at which the launch queue of a stream of a device changes: works that the host has launched and that have not begun. Work of which no call is known is left out.';
COMMENT ON COLUMN gpu_queue.stream IS 'Stream.';
COMMENT ON COLUMN gpu_queue.t IS 'The moment, ns: a call that launches began, or work did.';
COMMENT ON COLUMN gpu_queue.length IS 'Works in the queue from then on, until the next row of the stream.';

CREATE OR REPLACE VIEW gpu_operators AS
SELECT
  run_id, device, step, module, operator, kind, name, count(*) AS calls,
  sum(t_end - t_start) / 1e9 AS seconds
FROM _gpu_works
GROUP BY run_id, device, step, module, operator, kind, name;

COMMENT ON VIEW gpu_operators IS 'One row is what an operator of the framework, within a module of the program and a step, had a device execute: a kernel, or a kind of copies or fills.';
COMMENT ON COLUMN gpu_operators.step IS 'Step; NULL outside of marked steps.';
COMMENT ON COLUMN gpu_operators.module IS 'Module (tasks.module); NULL where modules are not recorded, as in backward passes.';
COMMENT ON COLUMN gpu_operators.operator IS 'Operator; NULL where none is known.';
COMMENT ON COLUMN gpu_operators.kind IS 'kernel, copy, fill or communication (between devices).';
COMMENT ON COLUMN gpu_operators.name IS 'Name of what was executed.';
COMMENT ON COLUMN gpu_operators.seconds IS 'How long it ran in all.';

CREATE OR REPLACE VIEW gpu_stragglers AS
SELECT
  run_id, step, count(*) AS devices, arg_min(device, communicating) AS straggler,
  min(communicating) / 1e9 AS communicating_seconds,
  (sum(communicating) - count(*) * min(communicating)) / (count(*) - 1) / 1e9 AS waited_seconds,
  max(busy + idle) / 1e9 AS window_seconds
FROM _gpu_sums
WHERE stream IS NULL AND (NOT is_step OR step IS NOT NULL)
GROUP BY run_id, is_step, step
HAVING count(*) > 1 AND min(communicating) > 0;

COMMENT ON VIEW gpu_stragglers IS 'One row is a run on several devices that communicate, or a step of it, and the device that the others waited for in communication: it spends the least time there, as it comes last.';
COMMENT ON COLUMN gpu_stragglers.step IS 'Step; NULL for all of the run.';
COMMENT ON COLUMN gpu_stragglers.devices IS 'Devices.';
COMMENT ON COLUMN gpu_stragglers.straggler IS 'The device that came last.';
COMMENT ON COLUMN gpu_stragglers.communicating_seconds IS 'How long it communicated.';
COMMENT ON COLUMN gpu_stragglers.waited_seconds IS 'How much longer the others did, on average: they waited for it.';
COMMENT ON COLUMN gpu_stragglers.window_seconds IS 'The longest time from first to last work of a device.';

CREATE OR REPLACE VIEW gpu_memory AS
SELECT
  run_id, region AS device, t_start AS t,
  max(value) FILTER (event = 'memory.allocated') AS allocated_bytes,
  max(value) FILTER (event = 'memory.reserved') AS reserved_bytes
FROM pmu_samples
WHERE event IN ('memory.allocated', 'memory.reserved') AND unit = 'bytes' AND t_start IS NOT NULL
GROUP BY run_id, region, t_start;

COMMENT ON VIEW gpu_memory IS 'One row is a moment at which the allocator of a framework had something to do: the memory in use and reserved from then on, where the trace records it (profile_memory of PyTorch).';
COMMENT ON COLUMN gpu_memory.device IS 'Device, or host.';
COMMENT ON COLUMN gpu_memory.t IS 'The moment, ns.';
COMMENT ON COLUMN gpu_memory.allocated_bytes IS 'Memory in use; of several changes at one moment the most.';
COMMENT ON COLUMN gpu_memory.reserved_bytes IS 'Memory that the allocator had reserved of the device; likewise.';
