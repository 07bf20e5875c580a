-- requires: gpu_lanes
--
-- What people ask of GPU traces: launch queues, work by operator, module and step, stragglers, and memory.

CREATE OR REPLACE VIEW gpu_queue AS -- One row is a moment at which the launch queue of a stream of a device changes: works that the host has launched and that have not begun. Work of which no call is known is left out.
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
  run_id, device,
  stream, -- Stream.
  t, -- The moment, ns: a call that launches began, or work did.
  CAST(sum(sum(more)) OVER (PARTITION BY run_id, device, stream ORDER BY t) AS BIGINT) AS length -- Works in the queue from then on, until the next row of the stream.
FROM changes
GROUP BY run_id, device, stream, t;

CREATE OR REPLACE VIEW gpu_operators AS -- One row is what an operator of the framework, within a module of the program and a step, had a device execute: a kernel, or a kind of copies or fills.
SELECT
  run_id, device,
  step, -- Step; NULL outside of marked steps.
  module, -- Module (tasks.module); NULL where modules are not recorded, as in backward passes.
  operator, -- Operator; NULL where none is known.
  kind, -- kernel, copy, fill or communication (between devices).
  name, -- Name of what was executed.
  count(*) AS calls,
  sum(t_end - t_start) / 1e9 AS seconds -- How long it ran in all.
FROM _gpu_works
GROUP BY run_id, device, step, module, operator, kind, name;

CREATE OR REPLACE VIEW gpu_stragglers AS -- One row is a run on several devices that communicate, or a step of it, and the device that the others waited for in communication: it spends the least time there, as it comes last.
SELECT
  run_id,
  step, -- Step; NULL for all of the run.
  count(*) AS devices, -- Devices.
  arg_min(device, communicating) AS straggler, -- The device that came last.
  min(communicating) / 1e9 AS communicating_seconds, -- How long it communicated.
  (sum(communicating) - count(*) * min(communicating)) / (count(*) - 1) / 1e9 AS waited_seconds, -- How much longer the others did, on average: they waited for it.
  max(busy + idle) / 1e9 AS window_seconds -- The longest time from first to last work of a device.
FROM _gpu_sums
WHERE stream IS NULL AND (NOT is_step OR step IS NOT NULL)
GROUP BY run_id, is_step, step
HAVING count(*) > 1 AND min(communicating) > 0;

CREATE OR REPLACE VIEW gpu_memory AS -- One row is a moment at which the allocator of a framework had something to do: the memory in use and reserved from then on, where the trace records it (profile_memory of PyTorch).
SELECT
  run_id,
  region AS device, -- Device, or host.
  t_start AS t, -- The moment, ns.
  max(value) FILTER (event = 'memory.allocated') AS allocated_bytes, -- Memory in use; of several changes at one moment the most.
  max(value) FILTER (event = 'memory.reserved') AS reserved_bytes -- Memory that the allocator had reserved of the device; likewise.
FROM pmu_samples
WHERE event IN ('memory.allocated', 'memory.reserved') AND unit = 'bytes' AND t_start IS NOT NULL
GROUP BY run_id, region, t_start;
