-- requires: clock_skew, explanations_sides, idle_sums
--
-- The ledger of a difference: what it consists of, in one unit, so that the rows add up to it.

-- Where the time of workers went in the runs of both sides: means over workers and runs, in s; as
-- explanations have it of idle time.
CREATE OR REPLACE MACRO _worker_accounts(pairs) AS TABLE
WITH
  sides AS (
    SELECT
      s.id, s.is_after,
      avg(i.wall / i.workers) / 1e9 AS total, avg(i.busy / i.workers) / 1e9 AS computing,
      avg(i.starvation / i.workers) / 1e9 AS starvation, avg(i.latency / i.workers) / 1e9 AS latency,
      avg((i.overhead - i.not_recorded) / i.workers) / 1e9 AS overhead,
      avg(i.not_recorded / i.workers) / 1e9 AS not_recorded, avg(i.tail / i.workers) / 1e9 AS tail
    FROM (SELECT unnest(pairs, recursive := true)) AS s
    JOIN _kind_sums AS i ON s.run_id = i.run_id
    WHERE _is_of(i.run_id, _run_ids(pairs)) AND i.is_whole AND i.mode = 'transitive' AND i.latency_rule = 'union'
      AND i.wall > 0
      AND i.run_id NOT IN (SELECT run_id FROM _clocks_apart WHERE _is_of(run_id, _run_ids(pairs)))
    GROUP BY s.id, s.is_after
  ),

  parts AS (
    UNPIVOT sides ON total, computing, starvation, latency, overhead, not_recorded, tail
    INTO NAME part VALUE seconds
  )

SELECT
  id, part,
  any_value(seconds) FILTER (NOT is_after) AS before, any_value(seconds) FILTER (is_after) AS after
FROM parts
GROUP BY id, part
HAVING count(*) = 2;

-- An amount has its metric and unit, before and after, whether its change is certain, and the runs.
CREATE OR REPLACE MACRO _entry(part, subject, amount, certain) AS {
  'part': part, 'subject': subject, 'before': amount."before", 'after': amount."after",
  'certain': CAST(certain AS BOOLEAN)
};

-- The seconds of evidence that is a time.
CREATE OR REPLACE MACRO _seconds_of(one) AS CASE
  WHEN one.seconds_after IS NOT NULL THEN {'before': one.seconds, 'after': one.seconds_after}
END;

CREATE OR REPLACE MACRO _sum_of(amounts) AS {
  'before': list_sum(list_transform(amounts, lambda a: a."before")),
  'after': list_sum(list_transform(amounts, lambda a: a."after"))
};

-- What is left of an amount without some of its parts.
CREATE OR REPLACE MACRO _without(amount, parts) AS {
  'before': amount."before" - list_sum(list_transform(parts, lambda p: p."before")),
  'after': amount."after" - list_sum(list_transform(parts, lambda p: p."after"))
};

-- The same of a time, which is never below zero: means over runs of parts can add up to more than
-- that of the whole, and what they do is not explained.
CREATE OR REPLACE MACRO _rest(amount, parts) AS list_transform(
  [_without(amount, parts)],
  lambda r: {'before': if(r."before" < 0, 0, r."before"), 'after': if(r."after" < 0, 0, r."after")}
)[1];

-- Whether an amount is a part of a whole on both sides. The clocks of tools differ by a little.
CREATE OR REPLACE MACRO _is_part(part, whole) AS coalesce(
  part."before" <= 1.05 * whole."before" AND part."after" <= 1.05 * whole."after", false
);

-- Whether functions together are a part of a total: measured in the same runs, not by several
-- threads at once.
CREATE OR REPLACE MACRO _are_parts(together, total) AS
  together.unit = total.unit AND together.runs_before = total.runs_before
  AND together.runs_after = total.runs_after AND _is_part(together, total);

-- The functions that differ most, and the others together.
CREATE OR REPLACE MACRO _function_entries(functions, together) AS functions[:8] || if(
  len(functions) > 8,
  [_entry('other_functions', NULL, _rest(together, functions[:8]), NULL)], []
);

-- Time not on the processor: ready to run there, where that is a part of it, and waiting.
CREATE OR REPLACE MACRO _waiting_entries(waiting, delay) AS if(
  _is_part(delay, waiting),
  [
    _entry('run_delay', NULL, delay, NULL), _entry('waiting', NULL, _rest(waiting, [delay]), NULL)
  ],
  [_entry('waiting', NULL, waiting, NULL)]
);

-- What a total time consists of: on the processor, by function, and waiting. Functions that take
-- longer than the processor wait, too; where no function is the cause, how long the program had the
-- processor says more.
CREATE OR REPLACE MACRO _time_entries(total, functions, together, kernel, processor, delay, is_outside) AS CASE
  WHEN total.metric = 'wall_seconds' AND _is_part(processor, total) AND _is_part(together, processor)
    THEN _function_entries(functions, together)
      || [_entry('other_processor', NULL, _rest(processor, [together]), NULL)]
      || _waiting_entries(_rest(total, [processor]), delay)
  WHEN total.metric = 'wall_seconds' AND _is_part(processor, total)
    AND (together IS NULL OR coalesce(is_outside, false))
    THEN if(
        kernel."before" IS NULL, [_entry('processor', NULL, processor, NULL)],
        [_entry('user', NULL, _rest(processor, [kernel]), NULL), _entry('kernel', NULL, kernel, NULL)]
      )
      || _waiting_entries(_rest(total, [processor]), delay)
  WHEN together IS NOT NULL THEN _function_entries(functions, together)
  ELSE []
END;

-- A ledger: its total, its entries, and what they do not explain.
CREATE OR REPLACE MACRO _balanced(total, entries) AS
  [total] || entries || [_entry('not_explained', NULL, _without(total, entries), NULL)];
