-- The history of each of $events, which are changes of $metrics of $apps at $runs: $most runs of its
-- series with the change in their middle, which is at place change_at of it, from 1.
WITH
  event AS (
    SELECT
      unnest(CAST($events AS BIGINT[])) AS event_id, unnest(CAST($apps AS VARCHAR[])) AS app,
      unnest(CAST($metrics AS VARCHAR[])) AS metric, unnest(CAST($runs AS VARCHAR[])) AS run_id
  ),

  found AS (
    SELECT
      e.event_id, s.series,
      list_position(list_transform(s.series, lambda point: point.run_id), e.run_id) AS changed
    FROM event AS e
    JOIN metric_series AS s ON e.app = s.app AND e.metric = s.metric
  ),

  placed AS (
    SELECT *, greatest(1, least(len(series) - $most + 1, changed - $most // 2)) AS first_shown
    FROM found
    WHERE changed IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY len(series) DESC) = 1
  )

SELECT
  event_id, changed - first_shown + 1 AS change_at,
  list_transform(series[first_shown:first_shown + $most - 1], lambda point: point.value) AS history
FROM placed;
