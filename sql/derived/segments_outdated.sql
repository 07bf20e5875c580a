-- The sources with machine code that was decoded by other tables than those of $revision, or not at
-- all; and those with machine code of the runs $run_ids (a JSON list), decoded or not.
WITH
  asked AS (
    SELECT unnest(from_json($run_ids, '["VARCHAR"]')) AS run_id
  )

SELECT DISTINCT source_id
FROM segments
WHERE hex IS NOT NULL
  AND source_id NOT IN (SELECT source_id FROM segment_features WHERE revision = $revision)
UNION
SELECT source_id FROM segments SEMI JOIN asked USING (run_id) WHERE hex IS NOT NULL
UNION
SELECT source_id FROM segment_features SEMI JOIN asked USING (run_id)
ORDER BY source_id;
