-- What the critical paths of runs consist of.

CREATE OR REPLACE VIEW critical_path_shares AS
SELECT
  run_id, name, cause, count(*) AS parts, CAST(sum(ns) AS BIGINT) AS ns,
  100 * sum(ns) / sum(sum(ns)) OVER (PARTITION BY run_id) AS percent
FROM critical_paths
GROUP BY run_id, name, cause;

COMMENT ON VIEW critical_path_shares IS 'One row is a type of task and a cause on the critical path of a run, and its share.';
COMMENT ON COLUMN critical_path_shares.name IS 'Type of task.';
COMMENT ON COLUMN critical_path_shares.cause IS 'What the time is (critical_paths.cause).';
COMMENT ON COLUMN critical_path_shares.parts IS 'Parts of the path.';
COMMENT ON COLUMN critical_path_shares.ns IS 'Their time, ns.';
COMMENT ON COLUMN critical_path_shares.percent IS 'Its share of the path, %.';
