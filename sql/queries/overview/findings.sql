-- Series with all that is found in them. Unless $every, only the times of whole runs.
FROM _series_findings
WHERE $every OR metric IN ('wall_seconds', 'functions:seconds');
