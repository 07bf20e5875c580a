-- Which rates are prominent: thresholds from programs whose behaviour is known.
--
-- A threshold lies midway between the mean rate of the programs that show a behaviour and the mean
-- rate of those that do not. Means are of square roots, the scale on which rates of counted events
-- scatter equally where they are low and where they are high (Bartlett, The square root
-- transformation in analysis of variance, 1936). Where no program is known not to show it,
-- the threshold is the mean rate of those that do.

CREATE OR REPLACE VIEW behaviour_thresholds AS -- One row is one rate and the threshold over which it is prominent, from the rows of behaviour_references.
WITH
  rates AS (
    SELECT 'fluctuation' AS rate, behaviour = 'divergent' AS shown, fluctuation AS value
    FROM behaviour_references WHERE behaviour IN ('divergent', 'not divergent')
    UNION ALL
    SELECT 'idle_lanes', behaviour = 'divergent', 1 - simt_efficiency
    FROM behaviour_references WHERE behaviour IN ('divergent', 'not divergent')
    UNION ALL
    SELECT 'sync_rate', behaviour = 'synchronising', sync_rate
    FROM behaviour_references WHERE behaviour IN ('synchronising', 'not synchronising')
    UNION ALL
    SELECT 'memory_share', behaviour = 'data-bound', memory_share
    FROM behaviour_references WHERE behaviour IN ('data-bound', 'compute-bound')
  ),

  means AS (
    SELECT
      rate,
      count(value) FILTER (shown) AS showing,
      count(value) FILTER (NOT shown) AS others,
      avg(sqrt(value)) FILTER (shown) AS root_showing,
      avg(sqrt(value)) FILTER (NOT shown) AS root_others,
      list({'shown': shown, 'value': value}) AS programs
    FROM rates
    GROUP BY rate
  ),

  thresholds AS (
    SELECT
      *,
      -- Where the others have the higher rate, the rate shows nothing.
      CASE WHEN coalesce(root_others < root_showing, true)
        THEN pow((root_showing + coalesce(root_others, root_showing)) / 2, 2) END AS threshold
    FROM means
  )

SELECT
  rate, -- fluctuation and idle_lanes (1 - SIMT efficiency) for divergence, sync_rate for synchronisation, memory_share for data-bound against compute-bound.
  threshold, -- Midway between the two means, on the scale of square roots; NULL where no program shows the behaviour, or the others have the higher mean.
  showing, -- References that show the behaviour.
  pow(root_showing, 2) AS mean_showing, -- Their mean rate: the square of the mean of square roots.
  others, -- References that do not.
  pow(root_others, 2) AS mean_others, -- Their mean rate, likewise.
  len(list_filter(programs, lambda p: p.shown <> (p.value > threshold))) AS misjudged -- References that this threshold puts on the wrong side.
FROM thresholds;
