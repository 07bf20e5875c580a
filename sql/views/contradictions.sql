-- requires: counters, metric_sets
--
-- Counts that contradict each other: a part that is larger than what it is a part of.

-- The pairs of a part and its whole among the events of a file, of the same kind of cores. What was
-- counted in user mode is also a part of what was counted in both modes.
CREATE OR REPLACE MACRO _pairs(events) AS flatten(
  list_transform(
    events,
    lambda p: list_transform(
      list_filter(
        events,
        lambda w: list_contains(_parts(), {'part': p.name, 'whole': w.name})
          AND regexp_extract(p.event, 'cpu_(?:core|atom)') = regexp_extract(w.event, 'cpu_(?:core|atom)')
          AND coalesce(_mode(w.event) = _mode(p.event), _mode(w.event) IS NULL)
      ),
      lambda w: {'part': p.event, 'whole': w.event}
    )
  )
);

-- Events are not read at the very same moment, so that little more is no contradiction.
CREATE OR REPLACE MACRO _exceeds(part, whole) AS part > 1.01 * whole;

CREATE OR REPLACE VIEW counter_contradictions AS -- One row is an event of a run that was counted more often than an event that it is a part of, as branch-misses are of branches: they were counted at other times, or count other things on that processor. Samples in which this is so of an event of their metric set have no verdict (bottlenecks.reason).
WITH
  pairs AS (
    SELECT run_id, source_id, unnest(_pairs(any_value(in_pairs)), recursive := true)
    FROM _file_sets
    GROUP BY run_id, source_id
  ),

  roles AS (
    SELECT *, unnest([part, whole]) AS event FROM pairs
  ),

  samples AS (
    SELECT
      run_id, part, whole,
      sum(value) FILTER (event = part) AS part_value,
      sum(value) FILTER (event = whole) AS whole_value
    FROM roles
    JOIN pmu_samples USING (run_id, source_id, event)
    WHERE isfinite(value)
    GROUP BY run_id, source_id, rank, thread, cpu, region, sample, part, whole
    HAVING part_value IS NOT NULL AND whole_value IS NOT NULL
  )

SELECT
  run_id,
  part, -- Event that is a part.
  whole, -- Event of which it is a part, of the same kind of cores.
  sum(part_value) AS part_value, -- Sum of the part over the samples that have both.
  sum(whole_value) AS whole_value, -- Sum of the whole over the same samples.
  count(*) FILTER (_exceeds(part_value, whole_value)) AS contradictions, -- Samples in which the part is larger, by more than 1 %.
  count(*) AS samples -- Samples that have both.
FROM samples
GROUP BY run_id, part, whole
HAVING bool_or(_exceeds(part_value, whole_value));
