-- The rules that name clusters: classes in their order, and what has to be high. A user's
-- rule comes before pwh's.
SELECT class, arg_min({'high': high}, shipped).high AS high
FROM bottleneck_rules
WHERE class <> 'Unknown'
GROUP BY class
ORDER BY min(position)
