-- What devices and their streams execute, one after the other: lanes.

CREATE OR REPLACE VIEW _gpu_works AS
WITH
  of_device AS (
    SELECT DISTINCT ON (run_id, worker) run_id, worker, device
    FROM workers
    WHERE device IS NOT NULL
  ),

  streams AS (
    SELECT run_id, device, count(*) AS streams FROM of_device GROUP BY run_id, device
  )

SELECT
  t.run_id, d.device, s.streams, t.worker, t.task, t.name, coalesce(t.kind, 'kernel') AS kind,
  t.bytes, t.operator, t.module, t.step, t.t_start, t.t_end, t.t_submit, t.t_submitted, t.submitter
FROM tasks AS t
JOIN of_device AS d ON t.run_id = d.run_id AND t.worker = d.worker
JOIN streams AS s ON d.run_id = s.run_id AND d.device = s.device;

-- A device with several streams is a lane, and so is each of these. until: the end so far of what
-- the lane had executed before; NULL for its first.
CREATE OR REPLACE VIEW _gpu_lanes AS
WITH
  lanes AS (
    SELECT * EXCLUDE (streams), CAST(NULL AS VARCHAR) AS stream FROM _gpu_works
    UNION ALL
    SELECT * EXCLUDE (streams), worker AS stream FROM _gpu_works WHERE streams > 1
  )

SELECT
  *,
  max(t_end) OVER (
    PARTITION BY run_id, device, stream ORDER BY t_start, t_end, task
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ) AS until
FROM lanes;

-- A kernel's name without arguments and those of templates, so that its variants have one.
CREATE OR REPLACE MACRO _plain_kernel(name) AS coalesce(
  nullif(trim(regexp_replace(regexp_replace(name, '(?s)[<(].*', ''), '^void\s+', '')), ''), name
);

-- What a device computes, copies or communicates, by the operator of the framework and the kernel.
CREATE OR REPLACE MACRO _operation_of(kind, text, name) AS
  CASE
    WHEN kind = 'copy' THEN 'copies'
    WHEN kind = 'fill' THEN 'fills'
    WHEN kind = 'communication' THEN 'communication'
    WHEN regexp_matches(text, 'convol|conv_?(transpose_?)?[123]d|conv_[fbw]|\$conv|asmconv|[fdw]grad|fprop|winograd') THEN 'convolutions'
    WHEN regexp_matches(text, 'attention|fmha|flash') THEN 'attention'
    WHEN regexp_matches(text, 'gemm|gemv|matmul|cublas|cutlass|mma_|\b(mm|bmm|addmm|linear)\b')
      THEN 'matrix products'
    WHEN regexp_matches(text, 'softmax') THEN 'softmax'
    WHEN regexp_matches(text, 'norm([^a]|ali[sz]|$)') THEN 'normalisations'
    WHEN regexp_matches(text, 'adam|sgd|optimizer|multi_tensor|foreach') THEN 'updates of weights'
    WHEN regexp_matches(text, 'pool') THEN 'pooling'
    WHEN regexp_matches(text, 'embedding|index|gather|scatter') THEN 'indexed accesses'
    WHEN regexp_matches(text, 'sort|topk|scan') THEN 'sorts and scans'
    WHEN regexp_matches(text, 'reduce|reduction') THEN 'reductions'
    WHEN regexp_matches(text, 'elementwise|pointwise|fusion|unrolled') THEN 'element-wise operations'
    ELSE coalesce(_plain_kernel(name), 'work without a name')
  END;

CREATE OR REPLACE MACRO _operation(kind, operator, name) AS
  _operation_of(kind, lower(concat_ws(' ', operator, name)), name);

-- The parts of the idle time of a device, by name.
CREATE OR REPLACE MACRO _gpu_parts(parts) AS [
  {'key': 'sync', 'value': parts.sync}, {'key': 'copy', 'value': parts.copy},
  {'key': 'memory', 'value': parts.memory}, {'key': 'launch', 'value': parts.launch},
  {'key': 'operators', 'value': parts.operators}, {'key': 'python', 'value': parts.python},
  {'key': 'unrecorded', 'value': parts.unrecorded}, {'key': 'call', 'value': parts.call},
  {'key': 'device', 'value': parts.device}, {'key': 'unknown', 'value': parts.unknown}
];
