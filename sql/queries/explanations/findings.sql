-- What changed between two groups of runs, the most certain first.
FROM explain_run($runs, $against, explaining := $explaining)
ORDER BY
  topic <> 'metric', topic = 'setting', certain DESC NULLS LAST,
  list_position(
    ['function', 'bottleneck', 'counter', 'scaling', 'idle', 'threads', 'setting'], topic
  ),
  abs(share) DESC NULLS FIRST, list_contains(flags, 'same_count'),
  CASE topic
    -- events differ in size: what came from nothing, or went, is first
    WHEN 'counter' THEN abs(ln(nullif(abs("after"), 0) / nullif(abs("before"), 0)))
    ELSE abs("after" - "before")
  END DESC NULLS FIRST,
  subject;
