-- What the critical paths of runs consist of.

CREATE OR REPLACE VIEW critical_path_shares AS -- One row is a type of task and a cause on the critical path of a run, and its share.
SELECT
  run_id,
  name, -- Type of task.
  cause, -- What the time is (critical_paths.cause).
  count(*) AS parts, -- Parts of the path.
  CAST(sum(ns) AS BIGINT) AS ns, -- Their time, ns.
  100 * sum(ns) / sum(sum(ns)) OVER (PARTITION BY run_id) AS percent -- Its share of the path, %.
FROM critical_paths
GROUP BY run_id, name, cause;
