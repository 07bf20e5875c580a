-- Rates over which a behaviour is prominent.
SELECT rate, threshold, showing, mean_showing, others, mean_others, misjudged
FROM behaviour_thresholds
ORDER BY rate;
