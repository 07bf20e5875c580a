-- requires: metric_sets, contradictions
--
-- The metrics of every sample: counts combined by its metric set, over its cycles.
--
-- One pass over the counters: each event of a set has a slot (the metric it belongs to, -1 for the
-- denominator, -2 for the issue width) and a bit; a metric is known where the bits of all that it
-- needs are set. At most 16 metrics and 63 events to a set.

CREATE OR REPLACE MACRO _metric(sum, i, mask, layout, denominator, width) AS CASE
  WHEN mask & layout.needs[i + 1] = layout.needs[i + 1] THEN coalesce(sum, 0) / CASE
    WHEN layout.shares >> i & 1 = 1 THEN 1
    WHEN layout.divided >> i & 1 = 1 THEN denominator * width
    ELSE denominator
  END
END;

-- Whether a share of issue slots is larger than that of its category, beyond the resolution of 1/255
-- in which processors count them.
CREATE OR REPLACE MACRO _is_above(metrics, names, part, category) AS
  coalesce(
    metrics[list_position(names, part)] > metrics[list_position(names, category)] + 0.02, false
  );
