-- requires: behaviour_thresholds
--
-- Opcodes and dependence distances of launches: what a program does, and what it waits for.

CREATE OR REPLACE VIEW opcode_mix AS -- One row is one opcode of a launch, over all its basic blocks.
WITH
  -- what opcodes do, by the beginning of their names: those of PTX (ld.global.f32) and of the
  -- machine code of NVIDIA's GPUs (LDG.E.64); the first pattern that matches counts
  patterns (rank, class, pattern) AS (
    VALUES
      (1, 'barrier', 'bar|barrier|membar|fence|depbar|errbar|warpsync'),
      (2, 'on-core memory', '(ld|ldu|st|atom|red|cp|prefetch)\..*\b(shared|param|const).*'),
      (2, 'on-core memory', 'lds|sts|ldsm|stsm|atoms|ldc|uldc'),
      (3, 'memory', 'ld|ldu|ldg|ldl|st|stg|stl|ldgsts|atom|atomg|red|cp|cctl|prefetchu?'),
      (3, 'memory', 'texs?|tlds?|tld4s?|txq|suld|sust|sured'),
      (4, 'control', 'bra|brx|ret|retp|exit|callp?|cal|jmp|jmx|jcal|brk|cont|pbk|pcnt|pret'),
      (4, 'control', 'ssy|sync|bssy|bsync|break|bpt|trap|kill'),
      (5, 'move', 'u?mov[0-9a-z]*|cvta|u?sel|selp|prmt|shfl|vote|voteu|activemask|nop'),
      (5, 'move', 's2u?r|cs2r|p2r|r2p|r2ur|b2r|r2b'),
      (6, 'arithmetic', '[ufidhqv]?(add|sub|mul|mad|fma|min|max|set|cmp|mnmx|abs|neg)[0-9a-z]*'),
      (6, 'arithmetic', 'xmad|div|rem|rcp|r?sqrt|sin|cos|lg2|ex2|tanh|mufu|rro|frnd|sad|isad'),
      (6, 'arithmetic', 'and|or|xor|c?not|u?lop[0-9a-z]*|plop3|psetp?|testp|copysign|slct|iscadd'),
      (6, 'arithmetic', 'shl|shr|u?shf|u?lea|bfe|bfi|bfind|brev|clz|popc|flo|bmsk|sgxt|dp[24]a'),
      (6, 'arithmetic', 'cvt|[fi]2[fi][0-9a-z]*|[hidbw]?mma')
  ),

  sums AS (
    SELECT run_id, launch, kernel, opcode, CAST(sum(count) AS BIGINT) AS count
    FROM bb_opcodes
    GROUP BY run_id, launch, kernel, opcode
  ),

  names AS (
    SELECT DISTINCT opcode
    FROM bb_opcodes
  ),

  classes AS (
    SELECT n.opcode, arg_min(p.class, p.rank) AS class
    FROM names AS n
    JOIN patterns AS p
      ON regexp_full_match(lower(n.opcode), '@?!?(' || p.pattern || ')(\..*)?')
    GROUP BY n.opcode
  )

SELECT
  s.run_id, s.launch, s.kernel,
  s.opcode, -- Opcode as the trace writes it.
  coalesce(c.class, 'other') AS class, -- arithmetic, memory (global, local, texture), on-core memory (shared, parameters, constants), control, barrier, move, or other: not an opcode of PTX or of NVIDIA's machine code.
  s.count, -- Executed thread instructions.
  s.count / sum(s.count) OVER (PARTITION BY s.run_id, s.launch, s.kernel) AS share -- count over all instructions of the launch, 0..1.
FROM sums AS s
LEFT JOIN classes AS c ON s.opcode = c.opcode;

CREATE OR REPLACE VIEW dependence_distances AS -- One row is one dependence distance of a launch, over all its basic blocks.
WITH
  sums AS (
    SELECT run_id, launch, kernel, distance, CAST(sum(count) AS BIGINT) AS count
    FROM bb_dependences
    GROUP BY run_id, launch, kernel, distance
  )

SELECT
  run_id, launch, kernel,
  distance, -- Instructions of the same thread since the latest writer of any source register; NULL: no source was written before.
  count, -- Executed thread instructions with that distance.
  count / sum(count) OVER (PARTITION BY run_id, launch, kernel) AS share -- count over all instructions of the launch, 0..1.
FROM sums;

-- Of opcodes that are not understood, any could access memory.
CREATE OR REPLACE MACRO _bound(memory_share, other_share, threshold) AS CASE
  WHEN memory_share > threshold THEN 'data-bound'
  WHEN memory_share + other_share <= threshold THEN 'compute-bound'
END;

CREATE OR REPLACE VIEW launch_balance AS -- One row is one launch: what its instructions do, how long they wait for each other, and whether it is rather compute-bound or data-bound. Static figures: they compare programs and do not take caches and bandwidths into account.
WITH
  shares AS (
    SELECT
      run_id, launch, kernel,
      CAST(sum(count) AS BIGINT) AS instructions,
      coalesce(sum(share) FILTER (class = 'arithmetic'), 0) AS arithmetic_share,
      coalesce(sum(share) FILTER (class = 'memory'), 0) AS memory_share,
      coalesce(sum(share) FILTER (class = 'on-core memory'), 0) AS on_core_share,
      coalesce(sum(share) FILTER (class = 'control'), 0) AS control_share,
      coalesce(sum(share) FILTER (class = 'barrier'), 0) AS barrier_share,
      coalesce(sum(share) FILTER (class = 'other'), 0) AS other_share
    FROM opcode_mix
    GROUP BY run_id, launch, kernel
  ),

  waits AS (
    SELECT
      run_id, launch, kernel,
      sum(distance * count) / sum(count) FILTER (distance IS NOT NULL) AS mean_distance,
      coalesce(sum(share) FILTER (distance = 1), 0) AS chained_share
    FROM dependence_distances
    GROUP BY run_id, launch, kernel
  ),

  visits AS (
    SELECT run_id, launch, CASE WHEN count(visits) = count(*) THEN sum(visits) END AS visits
    FROM bb_visits
    GROUP BY run_id, launch
  ),

  threshold AS (
    SELECT threshold
    FROM behaviour_thresholds
    WHERE rate = 'memory_share'
  )

SELECT
  s.run_id, s.launch, s.kernel,
  s.instructions, -- Executed thread instructions whose opcode is known.
  s.arithmetic_share, s.memory_share,
  s.on_core_share, s.control_share, s.barrier_share, s.other_share,
  s.arithmetic_share / nullif(s.memory_share, 0) AS arithmetic_per_memory,
  s.instructions / nullif(v.visits, 0) AS instructions_per_visit, -- Mean instructions of a visited basic block; NULL where visits are not known.
  w.mean_distance, -- Mean dependence distance in instructions, of those that depend on another.
  w.chained_share,
  _bound(s.memory_share, s.other_share, (SELECT threshold FROM threshold)) AS bound,
  (SELECT threshold FROM threshold) AS memory_threshold
FROM shares AS s
LEFT JOIN waits AS w
  ON s.run_id = w.run_id AND s.launch = w.launch AND s.kernel IS NOT DISTINCT FROM w.kernel
LEFT JOIN visits AS v ON s.run_id = v.run_id AND s.launch = v.launch;

-- Kernels and whole programs: shares of the instructions of all launches together.
CREATE OR REPLACE VIEW _balance_sums AS
WITH
  sums AS (
    SELECT
      run_id, kernel, GROUPING(kernel) = 1 AS whole_program,
      CAST(sum(instructions) AS BIGINT) AS counted_instructions,
      sum(arithmetic_share * instructions) / counted_instructions AS arithmetic_share,
      sum(memory_share * instructions) / counted_instructions AS memory_share,
      sum(on_core_share * instructions) / counted_instructions AS on_core_share,
      sum(control_share * instructions) / counted_instructions AS control_share,
      sum(barrier_share * instructions) / counted_instructions AS barrier_share,
      sum(other_share * instructions) / counted_instructions AS other_share,
      CASE WHEN count(instructions_per_visit) = count(*)
        THEN counted_instructions / sum(instructions / instructions_per_visit) END
        AS instructions_per_visit,
      sum(mean_distance * instructions)
        / nullif(sum(instructions) FILTER (mean_distance IS NOT NULL), 0) AS mean_distance,
      sum(chained_share * instructions)
        / nullif(sum(instructions) FILTER (chained_share IS NOT NULL), 0) AS chained_share,
      any_value(memory_threshold) AS memory_threshold
    FROM launch_balance
    WHERE instructions > 0
    GROUP BY GROUPING SETS ((run_id, kernel), (run_id))
  )

SELECT
  *, arithmetic_share / nullif(memory_share, 0) AS arithmetic_per_memory,
  _bound(memory_share, other_share, memory_threshold) AS bound
FROM sums;

CREATE OR REPLACE VIEW kernel_balance AS -- One row is one kernel of a run: as launch_balance, of all its launches together.
SELECT * EXCLUDE (whole_program) RENAME (counted_instructions AS instructions)
FROM _balance_sums
WHERE NOT whole_program;

COMMENT ON COLUMN kernel_balance.mean_distance IS 'Mean dependence distance in instructions: of launches, which count by their instructions.';
COMMENT ON COLUMN kernel_balance.instructions_per_visit IS 'Mean instructions of a visited basic block; NULL where visits of a launch are not known.';
