-- Answers that could not be computed: by which analysis, of what, and why.
SELECT analysis, scope, failed
FROM analysis_states
WHERE failed IS NOT NULL
ORDER BY analysis, scope, key;
