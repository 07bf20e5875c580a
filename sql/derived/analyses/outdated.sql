-- The keys of an analysis in _scope whose rows are to be computed, or to go: those whose digest is
-- another one now; with $again also those that could not be computed. Not those of rows that are gone
-- whose answers stay.
CREATE TEMP TABLE _outdated AS
SELECT coalesce(s.key, f.key) AS key
FROM _found AS f
FULL JOIN (
  FROM analysis_states WHERE analysis = $analysis AND scope IN (FROM _scope)
) AS s
  ON f.key = s.key
WHERE (f.digest IS DISTINCT FROM s.digest OR ($again AND s.failed IS NOT NULL))
  AND coalesce(s.key, f.key) NOT IN ({fixed});
