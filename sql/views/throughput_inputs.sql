-- requires: cores
--
-- Every segment as models of throughput take it, whatever it was recorded as: bounds, and features
-- per micro-operation.

CREATE OR REPLACE VIEW segment_inputs AS -- One row is one segment as models of throughput take it.
WITH
  -- functional units of each machine's core, one row a core
  units AS (
    SELECT
      core,
      max(cycles / units) FILTER (class = 'int') AS int,
      max(cycles / units) FILTER (class = 'mul') AS mul,
      max(cycles / units) FILTER (class = 'div') AS div,
      max(cycles / units) FILTER (class = 'fp') AS fp,
      max(cycles / units) FILTER (class = 'fp_div') AS fp_div,
      max(cycles / units) FILTER (class = 'simd') AS simd,
      max(cycles / units) FILTER (class = 'memory') AS memory,
      max(cycles / units) FILTER (class = 'branch') AS branch,
      max(cycles / units) FILTER (class = 'serialising') AS drain
    FROM core_units
    GROUP BY core
  ),

  -- the rows of a machine's core
  named_cores AS (
    SELECT m.machine, arg_max(u.core, length(u.core)) AS core
    FROM _machines AS m
    JOIN (SELECT DISTINCT core FROM core_units) AS u ON _has_core(m.name, m.named, u.core)
    GROUP BY m.machine
  ),

  -- what is known of the core that a run was on, else throughput_settings
  run_cores AS (
    SELECT
      r.run_id, r.machine, r.app, m.issue_width, s.width, s."window", s.shortest,
      coalesce(own.core, '*') AS core
    FROM runs AS r
    CROSS JOIN throughput_settings AS s
    LEFT JOIN machine_settings AS m ON r.machine = m.machine
    LEFT JOIN named_cores AS own ON r.machine = own.machine
  ),

  counted AS (
    SELECT
      s.* EXCLUDE (uops, critical_path),
      nullif(coalesce(s.uops, s.instructions), 0) AS ops,
      nullif(list_sum(s.front_end), 0) AS front_cycles,
      coalesce(c.issue_width, nullif(len(s.front_end) - 1, 0), c.width) AS width,
      coalesce(s.rob, c."window") AS entries,
      c.shortest,
      c.core, -- Core that the bounds of machine code are of (cores.core); NULL for a trace.
      c.machine, c.app,
      CAST(s.critical_path AS DOUBLE[]) AS chains,
      CAST(range(1, len(s.critical_path) + 1) AS DOUBLE[]) AS lengths,
      nullif(list_sum(s.critical_path), 0) AS groups,
      s.critical_path AS s_critical_path
    FROM segments AS s
    JOIN run_cores AS c USING (run_id)
    WHERE s.hex IS NULL
  ),

  chained AS (
    SELECT
      *,
      list_inner_product(chains, lengths) / groups AS chain_mean,
      -- The data flow in a window at least as large as the core's is a bound.
      CASE
        WHEN entries <= 64 THEN coalesce(flow_64, flow_128, flow_unlimited)
        WHEN entries <= 128 THEN coalesce(flow_128, flow_unlimited)
        ELSE flow_unlimited
      END AS flow,
      -- The data flow in half of the core's window, by a power law through the two that are known:
      -- schedulers fill up before the reorder buffer does.
      flow_64 * (flow_128 / flow_64) ** log2(least(greatest(entries, 32), 256) / 128) AS flow_half
    FROM counted
  ),

  measures AS (
    SELECT
      c.* EXCLUDE (chains, lengths),
      sqrt(greatest(
        list_inner_product(list_transform(lengths, lambda k: k * k), chains) / groups - chain_mean ** 2,
        0
      )) AS chain_spread,
      ops / width AS width_cycles,
      -- A group of 40 begins when the operation a window before it has retired, and takes as long
      -- as its chain. Groups that are one chain continue each other. Of operations fed by the one
      -- before them, no more run at a time than runs of such are in the window.
      coalesce(flow, greatest(
        ops * coalesce(chain_latency, chain_mean) / (entries + 40),
        40 * s_critical_path[40],
        CASE WHEN distances[1] <= ops THEN ops / (1 + entries * (1 - distances[1] / ops)) END
      )) AS critical_path_cycles,
      greatest(
        n_int * u.int, n_mul * u.mul, n_div * u.div, n_fp * u.fp, n_fp_div * u.fp_div, n_simd * u.simd,
        (n_load + n_store) * u.memory, n_branch * u.branch
      ) AS unit_cycles,
      -- Nothing else passes while a serialising instruction drains and refills the core, so that its
      -- cycles are added to those of the tightest other limit.
      serialising * u.drain AS drain_cycles,
      greatest(width_cycles, critical_path_cycles, unit_cycles) + drain_cycles AS serialising_cycles
    FROM chained AS c
    LEFT JOIN units AS u USING (core)
  ),

  -- lists in the order of the inputs of models of traces; log_bound and log_uops come first
  traced AS (
    SELECT
      run_id, source_id, thread, segment, address, function, source_file, source_line, executions,
      cycles, instructions, ops, issued,
      width_cycles, critical_path_cycles, unit_cycles, serialising_cycles, shortest, width,
      ops IS NOT NULL
        AND (front_cycles IS NOT NULL OR critical_path_cycles IS NOT NULL OR unit_cycles IS NOT NULL)
        AS is_described,
      list_filter([
        CASE WHEN rob IS NULL THEN 'assumed_window' END,
        CASE WHEN front_cycles IS NULL THEN 'no_front_end' END,
        CASE WHEN critical_path_cycles IS NULL THEN 'no_dependences' END
      ], lambda f: f IS NOT NULL) AS lacking,
      CASE
        WHEN is_described THEN CAST([
          ln(
            greatest(
              width_cycles, critical_path_cycles, unit_cycles, width_cycles + drain_cycles
            ) / ops
          ),
          ln(ops),
          width_cycles / ops,
          front_cycles / ops,
          critical_path_cycles / ops,
          chain_latency / 40,
          chain_mean / 40,
          chain_spread / 40,
          unit_cycles / ops,
          (width_cycles + drain_cycles) / ops,
          entries / 100,
          flow_half / ops,
          flow_unlimited / ops,
          n_int / ops, n_mul / ops, n_div / ops, n_fp / ops, n_fp_div / ops, n_simd / ops,
          n_load / ops, n_store / ops, n_branch / ops, taken / ops, serialising / ops,
          n_nonspeculative / ops
        ] || list_transform(
          range(1, 41), lambda k: CASE WHEN groups > 0 THEN coalesce(s_critical_path[k], 0) / groups END
        ) || list_transform(
          range(1, 6),
          lambda k: coalesce(
            CASE WHEN k < 5 THEN front_end[k] ELSE list_sum(front_end[5:]) END, 0
          ) / front_cycles
        ) AS FLOAT[])
      END AS features
    FROM measures
  )

-- traced segments
SELECT
  run_id, source_id, thread, segment,
  address, -- Address of its first instruction, where known.
  function, -- Function it belongs to, where known.
  source_file, -- Source file of its first instruction, where known.
  source_line, -- Line of its first instruction in the source file, where known.
  executions, -- How often the program executes it; NULL where not known, which counts as once.
  cycles, -- Measured cycles of one pass.
  instructions, -- Instructions.
  width_cycles, -- Cycles by the front end alone.
  critical_path_cycles, -- Cycles by the dependence chains alone.
  unit_cycles, -- Cycles by the busiest functional unit alone.
  serialising_cycles, -- Cycles by the tightest other limit and the drains of serialising instructions; NULL where they are not counted, and for machine code, whose unit_cycles includes them.
  features, -- Inputs of the models of this form, in their order; NULL where the segment has none.
  'trace' AS form, -- trace: counts and distributions; code: machine code.
  is_described, -- Whether the segment has what a model needs.
  issued, -- Cycles in which 0, 1, 2 ... were issued, measured.
  shortest, -- Segments of fewer cycles are left out of threads and of training.
  width, -- Instructions a cycle that the core can take at most: micro-operations for traces that count these.
  ops / width AS fewest, -- Fewer cycles than these cannot be.
  lacking -- What the trace does not record: no_front_end, no_dependences, assumed_window.
FROM traced
UNION ALL BY NAME
-- machine code, decoded as it landed; a core can run a little more than its width where it fuses
SELECT
  f.run_id, f.source_id, f.thread, f.segment, s.address, s.function, s.source_file, s.source_line,
  s.executions, s.hex,
  coalesce(_isa_name(s.isa), (SELECT any_value(c.isa) FROM cores AS c WHERE c.core = f.core)) AS isa,
  f.core, f.cycles, f.instructions, f.width_cycles, f.critical_path_cycles,
  f.unit_cycles, f.aliased_cycles, f.serial_cycles, f.features, f.flags AS code_flags, 'code' AS form,
  f.features IS NOT NULL AS is_described, 0.0 AS shortest, f.instructions / f.width_cycles AS width,
  0.9 * f.width_cycles AS fewest
FROM segment_features AS f
LEFT JOIN segments AS s
  ON f.run_id = s.run_id AND f.source_id = s.source_id AND f.segment = s.segment
  AND f.thread IS NOT DISTINCT FROM s.thread;

COMMENT ON COLUMN segment_inputs.hex IS 'Machine code in hexadecimal; NULL for a trace.';
COMMENT ON COLUMN segment_inputs.isa IS 'Instruction set of machine code: as the file names it, else that of the core; NULL for a trace and where it is not known.';
COMMENT ON COLUMN segment_inputs.aliased_cycles IS 'Cycles where registers point to the same place (segment_features.aliased_cycles).';
COMMENT ON COLUMN segment_inputs.serial_cycles IS 'Cycles with one instruction after another (segment_features.serial_cycles).';
COMMENT ON COLUMN segment_inputs.code_flags IS 'What the core lacks of machine code, or the model does not know: other_isa, like_aarch64, not_on_core, system_instruction, unknown_cycles, poor_support, assumed_addresses (throughput_predictions.flags).';
