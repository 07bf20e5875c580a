-- What the traces of segments say, as models take it: bounds, and features per micro-operation.

-- Functional units of each machine's core, one row a core.
CREATE OR REPLACE VIEW _core_units AS
SELECT
  core,
  max(cycles / units) FILTER (class = 'int') AS int,
  max(cycles / units) FILTER (class = 'mul') AS mul,
  max(cycles / units) FILTER (class = 'div') AS div,
  max(cycles / units) FILTER (class = 'fp') AS fp,
  max(cycles / units) FILTER (class = 'fp_div') AS fp_div,
  max(cycles / units) FILTER (class = 'simd') AS simd,
  max(cycles / units) FILTER (class = 'memory') AS memory,
  max(cycles / units) FILTER (class = 'branch') AS branch
FROM core_units
GROUP BY core;

-- What is known of the core that a run was on, else what throughput_settings say.
CREATE OR REPLACE VIEW _run_cores AS
SELECT
  r.run_id, r.machine, r.app, m.issue_width, s.width, s."window", s.shortest,
  coalesce(own.core, '*') AS core
FROM runs AS r
CROSS JOIN throughput_settings AS s
LEFT JOIN machine_settings AS m ON r.machine = m.machine
LEFT JOIN (SELECT DISTINCT core FROM core_units) AS own ON r.machine = own.core;

CREATE OR REPLACE VIEW _trace_measures AS
WITH
  counted AS (
    SELECT
      s.* EXCLUDE (uops, critical_path),
      nullif(coalesce(s.uops, s.instructions), 0) AS ops,
      nullif(list_sum(s.front_end), 0) AS front_cycles,
      coalesce(c.issue_width, nullif(len(s.front_end) - 1, 0), c.width) AS width,
      coalesce(s.rob, c."window") AS entries,
      c.shortest, c.core, c.machine, c.app,
      CAST(s.critical_path AS DOUBLE[]) AS chains,
      CAST(range(1, len(s.critical_path) + 1) AS DOUBLE[]) AS lengths,
      nullif(list_sum(s.critical_path), 0) AS groups
    FROM segments AS s
    JOIN _run_cores AS c USING (run_id)
    WHERE s.hex IS NULL
  ),

  chained AS (
    SELECT
      *,
      list_inner_product(chains, lengths) / groups AS chain_mean,
      CASE WHEN entries >= 96 THEN coalesce(flow_128, flow_64) ELSE coalesce(flow_64, flow_128) END
        AS flow
    FROM counted
  )

SELECT
  c.* EXCLUDE (chains, lengths),
  sqrt(greatest(
    list_inner_product(list_transform(lengths, lambda k: k * k), chains) / groups - chain_mean ** 2,
    0
  )) AS chain_spread,
  greatest(ops / width, front_cycles) AS width_bound,
  -- A chain in a group of 40 goes on in the next, as far as the window reaches.
  coalesce(flow, ops * coalesce(chain_latency, 1.4 * chain_mean) / (0.75 * entries))
    AS critical_path_bound,
  greatest(
    n_int * u.int, n_mul * u.mul, n_div * u.div, n_fp * u.fp, n_fp_div * u.fp_div, n_simd * u.simd,
    (n_load + n_store) * u.memory, n_branch * u.branch
  ) AS unit_bound
FROM chained AS c
LEFT JOIN _core_units AS u USING (core);

-- Lists in the order of the inputs of models of traces; log_bound and log_uops come first.
CREATE OR REPLACE VIEW _trace_features AS
SELECT
  run_id, source_id, thread, segment, app, machine, cycles, instructions, ops, issued,
  width_bound, critical_path_bound, unit_bound, shortest, width,
  ops IS NOT NULL
    AND (front_cycles IS NOT NULL OR critical_path_bound IS NOT NULL OR unit_bound IS NOT NULL)
    AS is_described,
  list_filter([
    CASE WHEN rob IS NULL THEN 'assumed_window' END,
    CASE WHEN front_cycles IS NULL THEN 'no_front_end' END,
    CASE WHEN critical_path_bound IS NULL THEN 'no_dependences' END
  ], lambda f: f IS NOT NULL) AS lacking,
  CASE
    WHEN is_described THEN CAST([
      ln(greatest(width_bound, critical_path_bound, unit_bound) / ops),
      ln(ops),
      front_cycles / ops,
      critical_path_bound / ops,
      chain_latency / 40,
      chain_mean / 40,
      chain_spread / 40,
      unit_bound / ops,
      entries / 100,
      flow_64 / ops,
      flow_unlimited / ops,
      n_int / ops, n_mul / ops, n_div / ops, n_fp / ops, n_fp_div / ops, n_simd / ops,
      n_load / ops, n_store / ops, n_branch / ops, taken / ops, serialising / ops,
      n_nonspeculative / ops
    ] AS FLOAT[])
  END AS features
FROM _trace_measures;
