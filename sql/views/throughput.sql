-- requires: flags, throughput_inputs, models
--
-- What each segment of an instruction stream could reach, by the model in force.

-- Bytes as people write them: 0x48, \x48, with blanks or other separators.
CREATE OR REPLACE MACRO _plain_hex(hex) AS
  regexp_replace(lower(hex), '0x|\\x|[\s,;:_]', '', 'g');

-- Models in force: for traced segments (form trace) and for machine code (form code).
CREATE OR REPLACE VIEW _throughput_models AS
SELECT
  CASE WHEN any_value(f.inputs)[1] = 'log_bound' THEN 'trace' ELSE 'code' END AS form,
  f.subject, 'throughput/' || f.version AS model, len(any_value(f.inputs)) AS inputs,
  map_from_entries(list({'k': a.name, 'v': {'shape': a.shape, 'values': a."values"}})) AS arrays,
  -- what its measured segments leave of the bounds by width, chain and units
  any_value(a."values") FILTER (a.name = 'bound_factors') AS bound_factors,
  -- of several, the chosen one, then one that was fitted here, one of a default core, the newest
  {
    'a': any_value(f.is_chosen), 'b': NOT any_value(f.shipped),
    'c': f.subject IN (SELECT core FROM cores WHERE cores.is_default), 'd': any_value(f.fitted_at)
  } AS rank
FROM models_in_force AS f
JOIN model_arrays AS a USING (kind, version)
WHERE f.kind = 'throughput'
GROUP BY f.subject, f.version;

-- For each run the model of its machine, else that of the nearest relative of its core, else the first
-- by rank.
CREATE OR REPLACE VIEW _run_models AS
SELECT run_id, form, best.model, best.inputs, best.bound_factors, best.own OR machine IS NULL AS is_own,
  NOT best.own AND best.near IS NOT NULL AS is_of_relative
FROM (
  SELECT
    run_id, form, machine,
    arg_max(
      {'own': own, 'near': near, 'model': model, 'inputs': inputs, 'bound_factors': bound_factors},
      {'own': own, 'near': coalesce(near, -99), 'rank': rank}
    ) AS best
  FROM (
    SELECT
      r.run_id, r.machine, m.*,
      coalesce(_has_core(o.name, o.named, m.subject), false) AS own,
      -l.generation AS near
    FROM runs AS r
    LEFT JOIN _machines AS o ON r.machine = o.machine
    CROSS JOIN (SELECT * EXCLUDE (arrays) FROM _throughput_models) AS m
    LEFT JOIN _run_cores AS c ON r.run_id = c.run_id
    LEFT JOIN _lineage AS l ON c.core = l.core AND lower(m.subject) = l.ancestor
  )
  GROUP BY run_id, form, machine
);

-- A bound (1 width, 2 chain, 3 units) of a table, on the core that the model was measured on.
CREATE OR REPLACE MACRO _own_bound(cycles, factors, kind) AS CASE
  WHEN factors IS NULL THEN cycles
  WHEN factors[kind] > 0 THEN cycles * factors[kind]
END;

-- Cycles of one pass at one point of a predicted band, which is `wider` times as wide as the model's
-- own; no prediction is below the tightest bound.
CREATE OR REPLACE MACRO _predicted_cycles(estimate, point, wider, least_cycles) AS
  CASE WHEN estimate IS NOT NULL THEN greatest(
    estimate.predicted_cycles * (point / estimate.predicted_cycles) ** wider, least_cycles
  ) END;

-- Instructions that the model has seen few of make the band three times as wide, and so does a model of
-- the core's relative.
CREATE OR REPLACE MACRO _width_of_band(flags) AS
  CASE WHEN list_has_any(flags, ['poor_support', 'model_of_relative']) THEN 3 ELSE 1 END;

-- The least cycles in a band. Machine code is measured to take up to 3 % less than its bound, because
-- the clock varies; a band without that would miss one in five measurements.
CREATE OR REPLACE MACRO _least_measured(form, least_cycles) AS
  CASE form WHEN 'code' THEN 0.97 ELSE 1 END * least_cycles;

-- Blocks are measured, and models fitted, with all registers pointing to one place. Where a load
-- waits for a store only because of that, nothing but the bounds holds for other addresses.
CREATE OR REPLACE MACRO _low_cycles(estimate, flags, form, least_cycles) AS
  CASE
    WHEN estimate IS NOT NULL AND list_contains(flags, 'assumed_addresses')
      THEN _least_measured(form, least_cycles)
    ELSE _predicted_cycles(
      estimate, estimate.low_cycles, _width_of_band(flags), _least_measured(form, least_cycles)
    )
  END;

-- The most cycles in a band: not below what different registers that point to the same place cost, nor
-- above one instruction after another, measured by a clock that varies as much (_least_measured).
CREATE OR REPLACE MACRO _high_cycles(estimate, flags, least_cycles, aliased_cycles, serial_cycles) AS
  CASE WHEN estimate IS NOT NULL THEN greatest(
    least(
      greatest(
        _predicted_cycles(estimate, estimate.high_cycles, _width_of_band(flags), least_cycles),
        aliased_cycles
      ),
      1.03 * serial_cycles
    ),
    _predicted_cycles(estimate, estimate.predicted_cycles, 1, least_cycles)
  ) END;

CREATE OR REPLACE VIEW throughput_by_thread AS -- One row is one thread: its segments added up, each as often as it was executed. Segments that are short, implausible, without a prediction (where others have one) or never executed are left out and counted.
WITH
  weighed AS (
    SELECT
      * REPLACE (
        coalesce(executions, 1) * instructions AS instructions,
        coalesce(executions, 1) * predicted_cycles AS predicted_cycles
      ),
      NOT list_has_any(flag_codes(flags), ['short', 'implausible']) AND coalesce(executions, 1) > 0
        -- of threads without any prediction the bounds are still known
        AND CASE WHEN count(predicted) OVER (PARTITION BY run_id, thread) > 0 THEN predicted
          ELSE tightest_bound END IS NOT NULL AS is_used
    FROM throughput_predictions
  )

SELECT
  run_id,
  thread, -- Thread; NULL where the file has none.
  count(*) AS segments,
  count(*) FILTER (is_used) AS used, -- Segments that the figures are of.
  count(*) FILTER (list_contains(flag_codes(flags), 'undecodable')) AS undecodable, -- Segments whose machine code cannot be decoded.
  count(*) FILTER (list_contains(flag_codes(flags), 'short')) AS short, -- Segments of fewer cycles than throughput_settings.shortest.
  count(*) FILTER (list_contains(flag_codes(flags), 'implausible')) AS implausible, -- Segments that were measured faster than the core is wide.
  CAST(sum(instructions) FILTER (is_used) AS BIGINT) AS instructions, -- Instructions of the segments used, in all their executions.
  sum(instructions) FILTER (is_used) / sum(predicted_cycles) FILTER (is_used) AS predicted, -- Predicted instructions per cycle.
  sum(instructions) FILTER (is_used AND low > 0)
    / sum(instructions / low) FILTER (is_used AND low > 0) AS low, -- Instructions per cycle with every segment at the lower end of its 90 % band.
  sum(instructions) FILTER (is_used AND high > 0)
    / sum(instructions / high) FILTER (is_used AND high > 0) AS high, -- Instructions per cycle with every segment at the upper end of its band.
  sum(instructions) FILTER (is_used) / sum(instructions / width_bound) FILTER (is_used)
    AS width_bound, -- Instructions per cycle by the front end alone.
  sum(instructions) FILTER (is_used) / sum(instructions / critical_path_bound) FILTER (is_used)
    AS critical_path_bound, -- Instructions per cycle by the dependence chains alone.
  sum(instructions) FILTER (is_used) / sum(instructions / unit_bound) FILTER (is_used)
    AS unit_bound, -- Instructions per cycle by the busiest functional units alone.
  sum(instructions) FILTER (is_used AND serialising_bound > 0)
    / sum(instructions / serialising_bound) FILTER (is_used AND serialising_bound > 0)
    AS serialising_bound, -- Instructions per cycle by the tightest other bound and, in addition, the drains of serialising instructions, of the segments where they are counted.
  sum(instructions) FILTER (is_used) / sum(instructions / tightest_bound) FILTER (is_used)
    AS tightest_bound, -- Instructions per cycle with every segment at its tightest bound.
  sum(instructions) FILTER (is_used AND measured > 0)
    / sum(instructions / measured) FILTER (is_used AND measured > 0) AS measured, -- Measured instructions per cycle, of the segments where it was measured.
  sum(instructions) FILTER (is_used AND measured > 0)
    / sum(predicted_cycles) FILTER (is_used AND measured > 0) AS predicted_where_measured, -- Predicted instructions per cycle of the same segments.
  _flags([
    CASE WHEN count(*) FILTER (is_used) = 1 THEN 'one_segment' END,
    CASE WHEN count(*) FILTER (is_used) = 0 THEN 'nothing_used' END,
    CASE WHEN bool_or(is_used AND list_contains(flag_codes(flags), 'uses_measured_issue'))
      THEN 'uses_measured_issue' END
  ]) AS flags -- one_segment, nothing_used, uses_measured_issue.
FROM weighed
GROUP BY run_id, thread;

CREATE OR REPLACE VIEW throughput_contributions AS -- One row is one limit of one segment: what the front end, the dependence chains, the functional units or the serialising instructions alone would cost, and what the model adds to the tightest of them (interplay: limits that do not overlap perfectly, and costs that no bound covers). The tightest bound and the interplay add up to the prediction where it is above the bound. Where nothing is predicted, the tightest bound stands for the prediction.
WITH
  bounded AS (
    SELECT
      run_id, thread, segment, executions, instructions, predicted_cycles, flags,
      1 / coalesce(predicted, tightest_bound) AS cpi,
      1 / width_bound AS front_end, 1 / critical_path_bound AS chains, 1 / unit_bound AS units,
      -- drains come on top of the tightest other limit
      nullif(greatest(1 / serialising_bound - greatest(front_end, chains, units), 0), 0) AS drains,
      greatest(front_end, chains, units, drains) AS most
    FROM throughput_predictions
    WHERE coalesce(predicted, tightest_bound) IS NOT NULL
  ),

  -- cycles of one instruction by each limit alone; of equal ones the first counts as the tightest
  tall AS (
    SELECT
      *,
      unnest([
        {'component': 'front end', 'alone': front_end},
        {'component': 'critical path', 'alone': chains},
        {'component': 'functional units', 'alone': units},
        {'component': 'serialising instructions', 'alone': drains},
        {'component': 'interplay', 'alone': greatest(cpi - coalesce(most, 0), 0)}
      ], recursive := true),
      CASE most WHEN front_end THEN 'front end' WHEN chains THEN 'critical path'
        WHEN units THEN 'functional units' WHEN drains THEN 'serialising instructions' END AS tightest
    FROM bounded
  )

SELECT
  run_id, thread, segment,
  component, -- front end, critical path, functional units, serialising instructions or interplay.
  alone AS cycles_per_instruction, -- Cycles per instruction that it costs alone.
  alone / cpi AS share, -- Its share of the predicted cycles; that of a bound is how close the prediction is to it.
  coalesce(component = tightest, false) AS is_tightest, -- Whether it is the tightest bound, which limits the segment.
  executions, -- How often the program executes the segment; NULL where not known, which counts as once.
  instructions, -- Instructions of one pass of the segment.
  predicted_cycles, -- Predicted cycles of one pass of the segment; NULL without a prediction.
  flags -- What to keep in mind of the segment (throughput_predictions.flags).
FROM tall
WHERE alone IS NOT NULL;

CREATE OR REPLACE MACRO predict_block(hex, core := '', isa := '') AS TABLE -- One row: instructions per cycle that a core sustains on a block of machine code in hexadecimal that repeats, as in throughput_predictions. The core is one of cores, the name of a processor that has one (core_names) or the subject of a model; without it the one that stands for the instruction set `isa` (x86-64, aarch64), without both zen3. a core without a model has that of its relative, with its own costs (model_of_relative). flags also has unknown_core: neither a table nor a model is of it. Example: FROM predict_block('4801d8480fafc3')
WITH
  asked AS (
    SELECT
      _plain_hex(hex) AS block, coalesce(_named_core(core), lower(nullif(core, ''))) AS wanted,
      _isa_name(nullif(isa, '')) AS stated
  ),

  -- the instruction set is the stated one, else that of the core, else x86-64
  named AS (
    SELECT a.*, c.of_isa AS isa_of_core, coalesce(a.stated, c.of_isa, 'x86-64') AS block_isa
    FROM asked AS a
    LEFT JOIN _cores AS c ON a.wanted = c.of_core
  ),

  placed AS (
    SELECT
      n.*, coalesce(n.wanted, c.of_core) AS block_core, c.costs,
      n.block_isa IN ('x86-64', 'aarch64') AND n.block_isa = coalesce(n.isa_of_core, n.block_isa)
        AS is_decoded
    FROM named AS n
    LEFT JOIN _cores AS c
      ON CASE WHEN n.wanted IS NULL THEN c.is_default AND n.block_isa = c.of_isa
        ELSE n.wanted = c.of_core END
  ),

  modelled AS (
    SELECT
      p.*, m.model, load_model(m.arrays) AS model_number, m.inputs, m.bound_factors,
      coalesce(m.is_of_relative, false) AS is_of_relative,
      CASE WHEN p.block_isa = 'aarch64' THEN p.costs IS NOT NULL
        ELSE p.wanted IS NULL OR p.isa_of_core IS NOT NULL OR m.model IS NOT NULL END AS is_known
    FROM placed AS p
    LEFT JOIN (
      -- the subject of a model need not be a core
      SELECT
        coalesce(l.core, lower(m.subject)) AS of_core, coalesce(l.generation, 0) > 0 AS is_of_relative,
        m.*,
        row_number() OVER (
          PARTITION BY coalesce(l.core, lower(m.subject)) ORDER BY coalesce(l.generation, 0), m.rank DESC
        ) AS place
      FROM _throughput_models AS m
      LEFT JOIN _lineage AS l ON lower(m.subject) = l.ancestor
      WHERE m.form = 'code'
    ) AS m ON p.block_isa = 'x86-64' AND m.of_core = p.block_core AND m.place = 1
  ),

  described AS (
    SELECT
      *, known.code AS code, known.features AS features
    FROM (
      SELECT
        *, _block_code(CASE WHEN is_decoded AND is_known THEN block END, block_isa, costs) AS known
      FROM modelled
    )
  ),

  applied AS (
    SELECT
      *,
      _own_bound(code.width_cycles, bound_factors, 1) AS width_cycles,
      _own_bound(code.critical_path_cycles, bound_factors, 2) AS critical_path_cycles,
      _own_bound(code.unit_cycles, bound_factors, 3) AS unit_cycles,
      greatest(width_cycles, critical_path_cycles, unit_cycles) AS least_cycles,
      predict_throughput(CASE WHEN len(features) = inputs THEN features END, model_number) AS estimate,
      -- what nothing states to be x86-64 may look like something else
      CASE WHEN coalesce(wanted, stated) IS NULL OR code.instructions IS NOT NULL THEN code.flags END
        AS code_flags,
      coalesce(list_contains(code_flags, 'like_aarch64'), false) AS is_like,
      code.flags || CASE WHEN is_of_relative THEN ['model_of_relative'] ELSE [] END AS band_flags
    FROM described
  ),

  estimated AS (
    SELECT
      *,
      _predicted_cycles(estimate, estimate.predicted_cycles, 1, least_cycles) AS predicted_cycles,
      _low_cycles(estimate, band_flags, 'code', least_cycles) AS low_cycles,
      _high_cycles(estimate, band_flags, least_cycles, code.aliased_cycles, code.serial_cycles)
        AS high_cycles
    FROM applied
  )

SELECT
  code.instructions / predicted_cycles AS predicted,
  code.instructions / high_cycles AS low,
  code.instructions / low_cycles AS high,
  predicted_cycles,
  code.instructions,
  code.instructions / nullif(width_cycles, 0) AS width_bound,
  code.instructions / nullif(critical_path_cycles, 0) AS critical_path_bound,
  code.instructions / nullif(unit_cycles, 0) AS unit_bound,
  code.instructions / nullif(least_cycles, 0) AS tightest_bound,
  CASE WHEN estimate IS NOT NULL THEN model END AS model,
  _flags([
    CASE WHEN NOT is_decoded THEN 'other_isa' END,
    CASE WHEN is_decoded AND is_known AND code.instructions IS NULL AND code_flags IS NULL
      THEN 'undecodable' END,
    CASE WHEN estimate.is_outside THEN 'outside_training' END,
    CASE WHEN estimate IS NOT NULL AND is_of_relative THEN 'model_of_relative' END,
    CASE WHEN is_decoded AND NOT is_known THEN 'unknown_core' END,
    CASE WHEN code.width_cycles IS NOT NULL AND estimate IS NULL THEN 'no_model' END
  ] || coalesce(code_flags, [])) AS flags,
  CASE WHEN NOT is_like THEN block_isa END AS isa,
  CASE WHEN NOT is_like THEN block_core END AS core
FROM estimated;
