-- The machine code of one source, decoded: each different block once, many at a time.
CREATE OR REPLACE TEMP TABLE _segment_code AS
WITH
  different AS (
    SELECT row_number() OVER () AS number, hex
    FROM (
      SELECT DISTINCT hex
      FROM segments
      WHERE source_id = $source_id AND hex IS NOT NULL
        AND coalesce(lower(isa), 'x86-64') IN ('x86-64', 'x86_64', 'amd64', 'x64')
    )
  ),

  described AS (
    SELECT
      unnest(list(hex ORDER BY number)) AS hex,
      unnest(describe_blocks(list(hex ORDER BY number))) AS described
    FROM different
    GROUP BY number // 131072
  )

SELECT
  s.rowid AS place, s.run_id, s.source_id, s.thread, s.segment, s.cycles,
  d.described.code, d.described.features,
  CASE WHEN d.hex IS NULL THEN ['other_isa'] ELSE d.described.code.flags END AS flags
FROM segments AS s
LEFT JOIN described AS d USING (hex)
WHERE s.source_id = $source_id AND s.hex IS NOT NULL;
