-- Which core the machine code of a run is for, and what instructions cost there.

-- The core that a processor's name states (core_names, the user's first); NULL where it is not known.
CREATE OR REPLACE MACRO _named_core(name) AS (
  SELECT arg_min(n.core, n.shipped)
  FROM core_names AS n
  WHERE regexp_matches(lower(name), n.pattern)
);

-- Machines of runs with the core that their names state.
CREATE OR REPLACE VIEW _machines AS
SELECT machine, lower(machine) AS name, _named_core(machine) AS named
FROM (SELECT DISTINCT machine FROM runs);

-- Whether a machine of _machines has a core: of several the longest counts.
CREATE OR REPLACE MACRO _has_core(name, named, core) AS
  lower(core) IN (name, named) OR starts_with(name, lower(core) || '-');

-- The core of a run's machine.
CREATE OR REPLACE VIEW _run_cores AS
WITH
  known AS (
    SELECT
      m.machine, arg_max(c.core, length(c.core)) AS core, arg_max(c.isa, length(c.core)) AS isa
    FROM _machines AS m
    JOIN cores AS c ON _has_core(m.name, m.named, c.core)
    GROUP BY m.machine
  )

SELECT r.run_id, r.machine, k.core, k.isa
FROM runs AS r
LEFT JOIN known AS k ON r.machine = k.machine;

-- Each core with itself and the cores that it inherits from.
CREATE OR REPLACE VIEW _lineage AS
WITH RECURSIVE
  lineage AS (
    SELECT core, core AS ancestor, 0 AS generation FROM cores
    UNION ALL
    SELECT l.core, c.relative, l.generation + 1
    FROM lineage AS l
    JOIN cores AS c ON l.ancestor = c.core
    WHERE c.relative IS NOT NULL AND l.generation < 8
  )
FROM lineage;

-- Cores with their instruction sets, the table that describe_blocks and
-- describe_aarch64 take, and whether they stand for
-- the instruction set (of several, the user's). No column has the name of a parameter of predict_block,
-- which DuckDB would take for it.
CREATE OR REPLACE VIEW _cores AS
WITH
  costs AS (
    SELECT
      l.core,
      list({
        'pattern': i.pattern, 'class': i.class, 'ports': i.ports, 'cycles': i.cycles,
        'latency': i.latency, 'accumulate': i.accumulate, 'operations': i.operations,
        'front_end': i.front_end, 'least_share': i.least_share, 'least_latency': i.least_latency,
        'least_front_end': i.least_front_end
      } ORDER BY l.generation, i.shipped, i.line) AS instructions
    FROM _lineage AS l
    JOIN instruction_costs AS i ON l.ancestor = i.core
    GROUP BY l.core
  ),

  units AS (
    SELECT
      l.core, list({'unit': p.unit, 'ports': p.ports} ORDER BY l.generation, p.shipped) AS units
    FROM _lineage AS l
    JOIN core_ports AS p ON l.ancestor = p.core
    GROUP BY l.core
  ),

  lacking AS (
    SELECT l.core, arg_min(c.lacks, l.generation) AS lacks
    FROM _lineage AS l
    JOIN cores AS c ON l.ancestor = c.core
    GROUP BY l.core
  )

SELECT
  c.core AS of_core, c.isa AS of_isa,
  c.is_default AND row_number() OVER (PARTITION BY c.isa ORDER BY c.is_default DESC, c.shipped, c.core) = 1
    AS is_default,
  CASE WHEN i.core IS NOT NULL THEN {
    'width': c.width, 'dispatch': c.dispatch, 'lacks': l.lacks, 'loops': c.loops,
    'measured': c.measured, 'units': u.units, 'instructions': i.instructions
  } END AS costs
FROM cores AS c
LEFT JOIN costs AS i USING (core)
LEFT JOIN units AS u USING (core)
LEFT JOIN lacking AS l USING (core);

-- The name of an instruction set by one of the names that tools have for it; NULL where empty.
CREATE OR REPLACE MACRO _isa_name(name) AS
  CASE
    WHEN lower(trim(name)) IN ('x86-64', 'x86_64', 'amd64', 'x64', 'em64t', 'intel64') THEN 'x86-64'
    WHEN lower(trim(name)) IN ('aarch64', 'arm64', 'a64', 'armv8-a', 'armv8', 'arm64e', 'aarch64le')
      THEN 'aarch64'
    WHEN lower(trim(name)) IN ('riscv64', 'rv64', 'risc-v', 'riscv') OR starts_with(lower(trim(name)), 'rv64')
      THEN 'riscv64'
    ELSE nullif(lower(trim(name)), '')
  END;

-- Machine code with its instruction set and core. The file says what instruction set it is of, else
-- the core of the run's machine; else x86-64 is assumed.
CREATE OR REPLACE VIEW _code_segments AS
WITH
  named AS (
    SELECT
      s.rowid AS place, s.* EXCLUDE (isa),
      coalesce(_isa_name(s.isa), r.isa) IS NULL AS is_assumed,
      coalesce(_isa_name(s.isa), r.isa, 'x86-64') AS isa,
      CASE WHEN r.isa = coalesce(_isa_name(s.isa), r.isa) THEN r.core END AS own_core
    FROM segments AS s
    LEFT JOIN _run_cores AS r USING (run_id)
    WHERE s.hex IS NOT NULL
  )

SELECT n.* EXCLUDE (own_core), coalesce(n.own_core, d.of_core) AS core
FROM named AS n
LEFT JOIN _cores AS d ON d.is_default AND n.isa = d.of_isa;

-- One block for a core whose table is `costs`; NULL where its instruction set is not decoded.
CREATE OR REPLACE MACRO _block_code(hex, isa, costs) AS
  CASE isa
    WHEN 'x86-64' THEN describe_blocks(CASE WHEN isa = 'x86-64' THEN [hex] END, true, costs)[1]
    WHEN 'aarch64' THEN {
      'code': describe_aarch64(CASE WHEN isa = 'aarch64' THEN [hex] END, costs)[1],
      'features': CAST(NULL AS FLOAT[])
    }
  END;
