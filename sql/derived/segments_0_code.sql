-- The machine code of one source, decoded: each different block once, many at a time. Where x86-64 is
-- only assumed, and more of the blocks are AArch64 and no x86-64 than decode, none of them is decoded.
CREATE OR REPLACE TEMP TABLE _segment_code AS
WITH
  blocks AS (
    SELECT place, run_id, source_id, thread, segment, cycles, hex, isa, core, is_assumed,
      -- blocks are measured with all registers pointing to one place
      cycles IS NOT NULL AND isa = 'x86-64' AS is_measured
    FROM _code_segments
    WHERE source_id = $source_id
  ),

  different AS (
    SELECT row_number() OVER () AS number, isa, core, hex, is_measured
    FROM (SELECT DISTINCT isa, core, hex, is_measured FROM blocks)
  ),

  x86 AS (
    SELECT
      core, is_measured,
      unnest(list(hex ORDER BY number)) AS hex,
      unnest(describe_blocks(list(hex ORDER BY number), NOT is_measured, any_value(costs))) AS described
    FROM different
    LEFT JOIN _cores ON core = of_core
    WHERE isa = 'x86-64'
    GROUP BY core, is_measured, number // 131072
  ),

  aarch64 AS (
    SELECT
      core,
      unnest(list(hex ORDER BY number)) AS hex,
      unnest(describe_aarch64(list(hex ORDER BY number), any_value(costs))) AS code
    FROM different
    JOIN _cores ON core = of_core
    WHERE isa = 'aarch64'
    GROUP BY core, number // 131072
  ),

  decoded AS (
    SELECT 'x86-64' AS isa, core, is_measured, hex, described.code, described.features FROM x86
    UNION ALL
    SELECT 'aarch64', core, false, hex, code, NULL FROM aarch64
  ),

  joined AS (
    SELECT
      b.*, d.code, d.features, d.isa IS NOT NULL AS is_decoded,
      b.is_assumed AND coalesce(list_contains(d.code.flags, 'like_aarch64'), false) AS is_like
    FROM blocks AS b
    LEFT JOIN decoded AS d
      ON b.isa = d.isa AND b.core IS NOT DISTINCT FROM d.core AND b.hex = d.hex
      AND b.is_measured = d.is_measured
  ),

  judged AS (
    SELECT
      *,
      is_like
        OR is_assumed AND count(*) FILTER (is_like) OVER (PARTITION BY 1)
          > count(*) FILTER (is_assumed AND code.instructions IS NOT NULL) OVER (PARTITION BY 1) AS is_other
    FROM joined
  )

SELECT
  place, run_id, source_id, thread, segment, cycles,
  CASE WHEN NOT is_other THEN core END AS core,
  CASE WHEN NOT is_other THEN code END AS code,
  CASE WHEN NOT is_other THEN features END AS features,
  CASE
    WHEN is_other THEN ['like_aarch64']
    WHEN NOT is_decoded THEN ['other_isa']
    WHEN code.instructions IS NOT NULL THEN code.flags
  END AS flags
FROM judged;
