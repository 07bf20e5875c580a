-- What changed between two groups of runs, the strongest evidence first: what is certain, new, gone
-- or separated, then that of which the noise is unknown (of single runs what is new, too), with the
-- largest shares of the loss that are not certain. Functions by their share. A slow worker comes
-- before all else, because it slows down what waits for it. As explain_run, which takes DuckDB twice
-- as long to plan, as it has to find out what it is given.
SELECT
  * EXCLUDE (id), topic = 'counter' AND _is_instructions(subject) AS is_instructions
FROM _explained(_sides(0, $runs, $against, $explaining, $metric))
ORDER BY
  topic <> 'metric', metric <> 'slowdown', topic = 'setting',
  CASE
    WHEN
      certain
      OR list_has_any(flags, ['new', 'gone', 'separated']) AND NOT list_contains(flags, 'single_run')
      THEN 0
    WHEN certain IS NULL OR list_contains(flags, 'largest') THEN 1
    ELSE 2
  END,
  list_position(
    ['function', 'bottleneck', 'counter', 'benchmark', 'scaling', 'idle', 'threads', 'setting'],
    topic
  ),
  subject IS NOT NULL, share DESC NULLS FIRST, list_contains(flags, 'same_count'),
  CASE WHEN topic IN ('counter', 'benchmark')
    -- these differ in size: what came from nothing, or went, is first
    THEN abs(ln(nullif(abs("after"), 0) / nullif(abs("before"), 0)))
    ELSE abs("after" - "before")
  END DESC NULLS FIRST,
  subject;
