-- Which metric set fits the events of a run, and which of its metrics can be computed from them.
--
-- Tools write the same event in several ways: cycles, cycles:u, cpu_core/cycles/, CPU_CYCLES,
-- tma_retiring (cpu_core), TMA_..Memory_Bound(%) of PerfSpect. A name is first put in lower case and stripped of processor and modifier,
-- then looked up among the events of the sets and their aliases, where LIKWID's underscores are
-- dots. Of several names of one event in one file the most preferred is used; those equally preferred
-- (the same statistic of several cores) are added up.

CREATE OR REPLACE MACRO _event_name(event) AS regexp_replace(
  regexp_replace(
    regexp_replace(
      regexp_replace(
        regexp_replace(
          regexp_replace(
            lower(event), '^(?:metric_)?tmam?_\.*(\w+?)(?:\(%\))?$', 'tma_\1'
          ),
          '^[a-z]\w*/([^/=,]+)/[a-z]*$', '\1'
        ),
        '([^:]):[ukhgpsdiwe]+$| \(cpu_\w+\)$', '\1'
      ),
      '^(?:system|board)\.(?:processor\.)?(?:cpu|switch|cores)\w*\.(?:core\.)?', 'core.'
    ),
    '^(?:system|board)\.(?:memory\.)?mem_ctrl\w*\.', 'memory.'
  ),
  '::(?:processor\.)?(?:cpu|switch|cores)\w*\.(inst|data)$', '::core.\1'
);

-- The same of names of which LIKWID writes one with an underscore, the others with a dot.
CREATE OR REPLACE MACRO _event_key(name) AS replace(name, '.', '_');

-- Whether an event counts completed instructions, under any name of event_aliases.
CREATE OR REPLACE MACRO _is_instructions(event) AS
  _event_name(event) = 'instructions'
  OR _event_key(_event_name(event)) IN (
    SELECT _event_key(alias) FROM event_aliases WHERE event_aliases.event = 'instructions'
  );

-- Instructions in a cycle of a processor's core that none issues.
CREATE OR REPLACE MACRO _too_many_instructions() AS 16;

-- Events and what they are a part of, as _event_key writes them. Only pairs that processors count of the
-- same things: perf's loads of the instruction TLB are on some only what misses its first level, and its
-- misses of loads in the L1 data cache are on Intel's all lines that were brought in, for stores too.
CREATE OR REPLACE MACRO _parts() AS [
  {'part': 'branch-misses', 'whole': 'branches'},
  {'part': 'branch-misses', 'whole': 'branch-instructions'},
  {'part': 'branch-load-misses', 'whole': 'branch-loads'},
  {'part': 'branches', 'whole': 'instructions'},
  {'part': 'branch-instructions', 'whole': 'instructions'},
  {'part': 'cache-misses', 'whole': 'cache-references'},
  {'part': 'l1-dcache-store-misses', 'whole': 'l1-dcache-stores'},
  {'part': 'l1-icache-load-misses', 'whole': 'l1-icache-loads'},
  {'part': 'llc-load-misses', 'whole': 'llc-loads'},
  {'part': 'llc-store-misses', 'whole': 'llc-stores'},
  {'part': 'dtlb-load-misses', 'whole': 'dtlb-loads'},
  {'part': 'dtlb-store-misses', 'whole': 'dtlb-stores'},
  {'part': 'stalled-cycles-frontend', 'whole': 'cycles'},
  {'part': 'stalled-cycles-backend', 'whole': 'cycles'},
  {'part': 'br_misp_retired_all_branches', 'whole': 'br_inst_retired_all_branches'},
  {'part': 'br_inst_retired_all_branches', 'whole': 'instructions'},
  {'part': 'br_inst_retired_all_branches', 'whole': 'inst_retired_any'},
  {'part': 'longest_lat_cache_miss', 'whole': 'longest_lat_cache_reference'},
  {'part': 'mem_load_retired_l1_miss', 'whole': 'mem_inst_retired_all_loads'},
  {'part': 'mem_load_retired_l2_miss', 'whole': 'mem_load_retired_l1_miss'},
  {'part': 'mem_load_retired_l3_miss', 'whole': 'mem_load_retired_l2_miss'},
  {'part': 'ex_ret_brn_misp', 'whole': 'ex_ret_brn'},
  {'part': 'ex_ret_brn', 'whole': 'ex_ret_instr'},
  {'part': 'br_mis_pred_retired', 'whole': 'br_retired'},
  {'part': 'br_retired', 'whole': 'inst_retired'},
  {'part': 'l1d_cache_refill', 'whole': 'l1d_cache'},
  {'part': 'l1i_cache_refill', 'whole': 'l1i_cache'},
  {'part': 'l2d_cache_refill', 'whole': 'l2d_cache'},
  {'part': 'll_cache_miss_rd', 'whole': 'll_cache_rd'},
  {'part': 'papi_br_msp', 'whole': 'papi_br_ins'},
  {'part': 'papi_br_msp', 'whole': 'papi_br_cn'},
  {'part': 'papi_br_ins', 'whole': 'papi_tot_ins'},
  {'part': 'papi_l1_icm', 'whole': 'papi_l1_ica'},
  {'part': 'papi_l1_tcm', 'whole': 'papi_l1_tca'},
  {'part': 'papi_l2_dcm', 'whole': 'papi_l2_dca'},
  {'part': 'papi_l2_icm', 'whole': 'papi_l2_ica'},
  {'part': 'papi_l2_tcm', 'whole': 'papi_l2_tca'},
  {'part': 'papi_l3_tcm', 'whole': 'papi_l3_tca'},
  {'part': 'papi_res_stl', 'whole': 'papi_tot_cyc'}
];

-- metric_definitions, and the events of formulas: operands.
CREATE OR REPLACE VIEW _set_definitions AS
SELECT metric_set, position, metric, event, coefficient, role, absent_is_zero
FROM metric_definitions
UNION ALL
SELECT metric_set, position, metric, event, 1, 'operand', false
FROM (
  SELECT
    *,
    unnest(
      list_distinct(regexp_extract_all(formula, '[a-z][a-z0-9_.:-]*'))
    ) AS event
  FROM metric_formulas
) AS f
WHERE event NOT IN ('min', 'max', 'nearest')
  AND (metric_set, event) NOT IN (SELECT (metric_set, metric) FROM metric_formulas);

-- A bit for each event of a set, at most 63.
CREATE OR REPLACE VIEW _event_bits AS
SELECT
  metric_set, event,
  CAST(1 AS BIGINT) << CAST(row_number() OVER (PARTITION BY metric_set ORDER BY event) - 1 AS INTEGER)
    AS bit
FROM (SELECT DISTINCT metric_set, event FROM _set_definitions WHERE role <> 'divisor');

-- One row is a metric set: its metrics in their order and, for each, the bits of all events that it
-- requires.
CREATE OR REPLACE VIEW _set_layout AS
WITH
  own AS (
    SELECT metric_set, position, event, role, absent_is_zero
    FROM _set_definitions
    WHERE role IN ('numerator', 'share', 'operand')
  ),

  needed AS (
    SELECT metric_set, position, event FROM own WHERE NOT absent_is_zero
    UNION
    SELECT own.metric_set, own.position, d.event
    FROM own
    JOIN metric_definitions AS d USING (metric_set)
    WHERE own.role = 'numerator' AND d.role = 'denominator'
  ),

  needs AS (
    SELECT metric_set, list(needs ORDER BY position) AS needs
    FROM (
      SELECT metric_set, position, bit_or(bit) AS needs
      FROM needed
      JOIN _event_bits USING (metric_set, event)
      GROUP BY metric_set, position
    )
    GROUP BY metric_set
  ),

  metrics AS (
    SELECT
      metric_set, CAST(count(*) AS INTEGER) AS metrics, list(metric ORDER BY position) AS names
    FROM (
      SELECT DISTINCT metric_set, position, metric
      FROM _set_definitions
      WHERE role IN ('numerator', 'share', 'operand')
    )
    GROUP BY metric_set
  ),

  roles AS (
    SELECT
      metric_set,
      coalesce(bit_or(CAST(1 AS INTEGER) << position) FILTER (role = 'share'), 0) AS shares,
      coalesce(bit_or(CAST(1 AS INTEGER) << position) FILTER (role = 'divisor'), 0) AS divided,
      min(position) FILTER (role = 'divisor') + 1 AS ipc,
      bool_or(role = 'denominator') AS has_denominator
    FROM _set_definitions
    GROUP BY metric_set
  ),

  formulas AS (
    SELECT metric_set, list(formula ORDER BY position) AS formulas
    FROM metric_formulas
    GROUP BY metric_set
  )

SELECT
  s.metric_set, s.models_of, s.whole, s.assumed_width, m.metrics, m.names, roles.shares,
  roles.divided, roles.ipc, roles.has_denominator, needs.needs, formulas.formulas
FROM metric_sets AS s
JOIN metrics AS m USING (metric_set)
JOIN roles USING (metric_set)
JOIN needs USING (metric_set)
LEFT JOIN formulas USING (metric_set);

CREATE OR REPLACE VIEW metric_coverage AS -- One row is a metric set of which a file has at least one metric of a run.
SELECT
  run_id, source_id,
  metric_set, -- Metric set (metric_sets.metric_set).
  list_transform(positions, lambda p: names[p + 1]) AS metrics, -- Metrics that can be computed from the events.
  list_filter(names, lambda name, i: NOT list_contains(positions, i - 1)) AS missing, -- Metrics for which events are missing; they are NULL.
  is_used, -- Whether this set is used: the one that names classes, and beside it that of the shares of issue slots (topdown).
  names_class -- Whether the class of its samples is by this set: the one that machine_settings names, else the one with the most metrics, of equal ones that which lacks fewest, then the preferred one.
FROM _file_sets
WHERE has_metrics;

CREATE OR REPLACE VIEW metric_titles AS -- One row is a metric and its long name, the user's where there is one.
SELECT
  metric, -- Metric (metric_definitions.metric).
  names.title, -- What it counts, in words.
  names.unit, -- Its unit.
  names.title || ' ' || names.unit || ' (' || metric || ')' AS name -- Title, unit and metric: DMA operations per cycle (DMAGPC).
FROM (
  SELECT metric, arg_min({'title': title, 'unit': unit}, shipped) AS names
  FROM metric_names
  GROUP BY metric
);
