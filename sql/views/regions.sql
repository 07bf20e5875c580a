-- requires: functions
--
-- Regions with counters: the place of each in the call tree, and whether it is a group or a leaf.

CREATE OR REPLACE VIEW pmu_regions AS -- One row is a region of a run with counters. Metrics of a group, which has hardly any time of its own, can be noise: top-down shares that do not add up to 1.
WITH
  regions AS (
    SELECT DISTINCT run_id, region FROM pmu_samples WHERE region IS NOT NULL
  ),

  parts AS (
    SELECT run_id, region, _path_parts(region) AS functions FROM regions
  ),

  -- every region that another one is called from
  groups AS (
    SELECT DISTINCT
      run_id,
      unnest([array_to_string(functions[:n], '->') FOR n IN range(1, len(functions))])
        AS region
    FROM parts
  )

SELECT
  run_id,
  region, -- Region, as in pmu_samples; of a call path its functions, joined with ->.
  parts.functions[-1] AS function, -- Last function of the call path.
  CAST(len(parts.functions) AS INTEGER) AS depth, -- Functions in the call path, from 1.
  groups.region IS NULL AS leaf -- Whether no other region of the run was called from it.
FROM parts
LEFT JOIN groups USING (run_id, region);
