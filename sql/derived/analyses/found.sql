-- The keys of an analysis in _scope, as its statement returns them, where the analysis that it needs
-- has rows; their digests are others while an analysis that it reads could not be computed.
CREATE TEMP TABLE _found AS
WITH
  failures AS (
    SELECT key, string_agg(analysis, ',' ORDER BY analysis) AS failures
    FROM analysis_states
    WHERE failed IS NOT NULL AND analysis IN ({reads})
    GROUP BY key
  )

SELECT
  f.* REPLACE (if(u.key IS NULL, f.digest, md5(f.digest || u.failures)) AS digest)
FROM ({inputs}) AS f
LEFT JOIN failures AS u ON f.key = u.key
WHERE f.scope IN (SELECT CAST(scope AS VARCHAR) FROM {needed} AS n (scope));
