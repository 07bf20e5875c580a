-- Would faster data, a faster runtime or one more worker shorten a task program most?
--
-- Upper bounds, in per cent of the run's time. Put your own run into the call.
SELECT change, round(gain_at_most / 1e9, 3) AS seconds_gained_at_most, round(percent, 1) AS percent
FROM idle_what_if('stencil-1.23')
ORDER BY gain_at_most DESC;
