-- Functions: where the time of a run went, by function and by call path.

-- The functions on a call path; the -> in C++ names of operators does not separate them.
CREATE OR REPLACE MACRO _path_parts(callpath) AS list_transform(
  string_split(replace(callpath, 'operator->', chr(1)), '->'),
  lambda part: replace(part, chr(1), 'operator->')
);

-- Names without what differs from process to process: the addresses of objects, and process
-- numbers. A name that is an address and nothing else is code.
CREATE OR REPLACE MACRO _stable(name) AS CASE
  WHEN regexp_full_match(name, '\[?0x[0-9a-fA-F]+\]?') THEN name
  ELSE regexp_replace(
    regexp_replace(
      regexp_replace(
        regexp_replace(name, '( at |[^+0-9a-zA-Z])0x[0-9a-fA-F]{6,}', '\10x...', 'g'),
        '(?i)\b(pid)([ =:]*)[0-9]+', '\1\2N', 'g'
      ),
      '/proc/[0-9]+', '/proc/N', 'g'
    ),
    '(ipykernel_)[0-9]+', '\1N', 'g'
  )
END;

CREATE OR REPLACE MACRO _stable_path(path) AS
  array_to_string(list_transform(_path_parts(path), lambda part: _stable(part)), '->');

CREATE OR REPLACE MACRO _is_unstable(name) AS
  contains(name, '0x') OR contains(name, '/proc/') OR contains(name, 'ipykernel_')
    OR contains(lower(name), 'pid');

-- The line in a name, as `app.py:12(main)` of pstats, `main (app.py:12)` and `app.py(12): main` of
-- Kineto have it; NULL where it has none.
CREATE OR REPLACE MACRO _line_of(name) AS
  CASE
    WHEN contains(name, ':') THEN TRY_CAST(coalesce(
      nullif(regexp_extract(name, '^[^()]*:([0-9]+)\(.+\)$', 1), ''),
      nullif(regexp_extract(name, ' \([^()]*?:([0-9]+)(?::[0-9]+)?\)$', 1), ''),
      nullif(regexp_extract(name, '^[^()]*\.\w+\(([0-9]+)\): .+$', 1), '')
    ) AS INTEGER)
  END;

CREATE OR REPLACE MACRO _without_line(name) AS CASE
  WHEN _line_of(name) IS NULL THEN name
  WHEN regexp_matches(name, ':[0-9]+\)$')
    THEN regexp_replace(name, '(:[0-9]+){1,2}\)$', ')')
  WHEN regexp_matches(name, '^[^():]*\(')
    THEN regexp_replace(name, '^([^()]*)\([0-9]+\): (.+)$', '\1(\2)')
  ELSE regexp_replace(name, ':[0-9]+\(', '(')
END;

-- Whether a name is that of many functions of a file.
CREATE OR REPLACE MACRO _is_anonymous(name) AS
  regexp_matches(name, '<(?:lambda|listcomp|setcomp|dictcomp|genexpr)>|\(anonymous\)');

-- The name of a function, or of each on a path, without its line, but for those `kept` as they are.
CREATE OR REPLACE MACRO _named(name, kept) AS
  CASE WHEN list_contains(kept, name) THEN name ELSE _without_line(name) END;

CREATE OR REPLACE MACRO _named_path(path, kept) AS CASE
  WHEN contains(path, ':')
    THEN array_to_string(list_transform(_path_parts(path), lambda part: _named(part, kept)), '->')
  ELSE path
END;

-- The mean over ranks and repetitions of what was added up over ranks, and of what has none.
CREATE OR REPLACE MACRO _over_ranks(of_ranks, of_all, ranks, repetitions) AS CASE
  WHEN coalesce(of_ranks, of_all) IS NOT NULL
    THEN (coalesce(of_ranks, 0) / ranks + coalesce(of_all, 0)) / repetitions
END;

CREATE OR REPLACE VIEW function_shares AS -- One row is one function of a run: its own time and its share of all own times. Totals are no functions, and kernels are in gpu_kernels; of several process counts of a run the largest counts.
WITH
  -- A total is no function, and what a device executes is in gpu_kernels. What has no rank is of the
  -- whole program, or a mean over ranks already.
  times AS (
    SELECT
      run_id, function, coalesce(parallelism, 0) AS processes,
      sum(seconds) FILTER (WHERE rank IS NOT NULL) AS of_ranks,
      sum(seconds) FILTER (WHERE rank IS NULL) AS of_all,
      sum(calls) FILTER (WHERE rank IS NOT NULL) AS calls_of_ranks,
      sum(calls) FILTER (WHERE rank IS NULL) AS calls_of_all, max(seconds) AS longest, count(*) AS measurements
    FROM fn_timings
    WHERE kind IS DISTINCT FROM 'total' AND device IS NULL
    GROUP BY run_id, function, processes
  ),

  -- times at several process counts are no parts of one time: the largest counts
  measured AS (
    SELECT
      run_id, coalesce(parallelism, 0) AS processes,
      greatest(count(DISTINCT rank), 1) AS ranks,
      count(DISTINCT coalesce(repetition, 0)) AS repetitions
    FROM fn_timings
    WHERE kind IS DISTINCT FROM 'total' AND device IS NULL
    GROUP BY run_id, processes
    QUALIFY processes = max(processes) OVER (PARTITION BY run_id)
  ),

  means AS (
    SELECT
      t.*,
      _over_ranks(of_ranks, of_all, ranks, repetitions) AS mean_seconds,
      _over_ranks(of_ranks, of_all, 1, repetitions) AS total_seconds,
      _over_ranks(calls_of_ranks, calls_of_all, ranks, repetitions) AS calls,
      _over_ranks(calls_of_ranks, calls_of_all, 1, repetitions) AS total_calls
    FROM times AS t
    JOIN measured USING (run_id, processes)
  )

SELECT
  run_id, function,
  mean_seconds AS seconds, -- Exclusive time, s: over all call paths and threads, mean over ranks and repetitions.
  mean_seconds / nullif(sum(mean_seconds) OVER (PARTITION BY run_id), 0) AS share, -- Share of the exclusive time of all functions, 0..1.
  total_seconds, -- The same added up over ranks, s: mean over repetitions.
  calls, -- Calls: over all call paths and threads, mean over ranks and repetitions.
  total_calls, -- The same added up over ranks: mean over repetitions.
  longest, -- Longest single measurement (one rank, thread, call path), s.
  measurements -- Measurements that were added up.
FROM means;

-- perf's events without the core and the modifiers: cycles of cpu_core/cycles/ or cycles:u.
CREATE OR REPLACE MACRO _plain_event(event) AS
  regexp_replace(event, '^(?:cpu(?:_core|_atom)?/)?([^/:]+)/?(?::[ukhGHIpPSDWeb]*)?$', '\1');

-- Whether an event is how often a profiler looked.
CREATE OR REPLACE MACRO _is_samples(event) AS event = 'samples' OR starts_with(event, 'samples of ');

-- Whether an event is one that Valgrind counts by executing each instruction.
CREATE OR REPLACE MACRO _is_exact_event(event) AS event IN (
  'Ir', 'Dr', 'Dw', 'I1mr', 'D1mr', 'D1mw', 'ILmr', 'DLmr', 'DLmw', 'Bc', 'Bcm', 'Bi', 'Bim',
  'Ge', 'allocated bytes', 'allocated blocks', 'peak bytes', 'peak blocks', 'end bytes',
  'end blocks'
);

-- Events of profiles that are a cost of functions, and which of several of a run is taken first:
-- instructions of callgrind, cycles or samples of others, of heaps what is in use at the peak. Of any
-- other event it is known that it is a cost by what it is with callees, or as it was sampled.
CREATE OR REPLACE VIEW _cost_event AS
FROM (
  VALUES
    (0, 'Ir', 'instructions'), (0, 'Instructions', 'instructions'), (0, 'Ticks', 'ticks'),
    (0, 'Time', 'time'), (1, 'cycles', 'cycles'), (1, 'cpu-cycles', 'cycles'),
    (1, 'PAPI_TOT_CYC', 'cycles'), (2, 'cpu', 'time'), (2, 'cpu-clock', 'samples'),
    (2, 'task-clock', 'samples'), (3, 'delay', 'time'), (3, 'inuse_space', 'bytes'),
    (3, 'peak bytes', 'bytes'), (4, 'alloc_space', 'bytes'), (4, 'allocated bytes', 'bytes'),
    (5, 'weight', 'weight'), (7, 'samples', 'samples')
) AS t(preference, event, unit);

CREATE OR REPLACE VIEW _profile_costs AS
WITH
  -- added up first: names of events are looked at by regular expressions
  summed AS (
    SELECT
      run_id, rank, thread, region, event, unit, sum(value) AS value, sum(inclusive) AS inclusive
    FROM pmu_samples
    WHERE region IS NOT NULL AND value IS NOT NULL
    GROUP BY run_id, rank, thread, region, event, unit, inclusive IS NULL
  ),

  marked AS (
    SELECT *, bool_or(_is_samples(event)) OVER (PARTITION BY run_id) AS is_sampled
    FROM summed
  )

SELECT
  s.run_id, s.rank, s.thread, s.region, _plain_event(s.event) AS event, s.unit, s.value,
  s.inclusive,
  CASE
    -- what the profile itself shows first, as those of Go's allocations do
    WHEN s.event = r.tags['default_sample_type'] THEN 0
    WHEN c.event IS NOT NULL THEN c.preference
    WHEN starts_with(s.event, 'samples of ') THEN 8
    ELSE 6
  END AS preference,
  coalesce(c.unit, _plain_event(s.event)) AS usual_unit
FROM marked AS s
LEFT JOIN _cost_event AS c ON _plain_event(s.event) = c.event
LEFT JOIN runs AS r ON s.run_id = r.run_id
WHERE c.event IS NOT NULL OR s.inclusive IS NOT NULL OR s.is_sampled;

-- What functions cost in profiles that contain no times. Of several events of a run the first
-- counts.
CREATE OR REPLACE VIEW function_costs AS -- One row is what one function, or one call path, cost in a profile of events: of a run without function times.
WITH
  costs AS (
    SELECT
      run_id, region, preference, event, coalesce(any_value(unit), usual_unit) AS unit,
      sum(value) AS cost,
      -- what one thread does not know the sum does not know
      CASE WHEN count(inclusive) = count(*) THEN sum(inclusive) END AS inclusive
    FROM _profile_costs
    GROUP BY run_id, region, preference, event, usual_unit
    QUALIFY rank() OVER (PARTITION BY run_id ORDER BY preference, event) = 1
  )

SELECT
  run_id,
  event, -- Event that is the cost: Ir of callgrind, cycles, bytes at the peak of a heap, weight or samples; without the modifiers of perf.
  unit, -- Unit of cost, as the tool states it, else instructions, cycles, samples, ticks or time; else the event.
  _path_parts(region)[-1] AS function, -- Function, or region.
  CASE WHEN len(_path_parts(region)) > 1 THEN region END AS callpath, -- Call path down to it, joined with ->; NULL in flat profiles.
  cost, -- Its own cost, without callees, over all ranks and threads.
  inclusive, -- Its cost with callees, as the tool states it; NULL where it does not.
  cost / nullif(sum(cost) OVER (PARTITION BY run_id), 0) AS share -- Share of the cost of all functions, 0..1.
FROM costs
-- As an anti-join this would read the times of all runs, where one run is asked for.
LEFT JOIN (SELECT run_id, true AS is_timed FROM fn_timings GROUP BY run_id) USING (run_id)
WHERE is_timed IS NULL;

CREATE OR REPLACE VIEW profile_stacks AS -- One row is what one stack of functions cost by itself in a profile: its time, or one event, on one thread of one rank.
SELECT
  run_id,
  rank, -- MPI rank; NULL where the cost is of the whole program.
  thread, -- Thread; NULL where the cost is of the process.
  CASE WHEN callpath IS NULL THEN [function] ELSE _path_parts(callpath) END AS stack, -- Functions from the root to the one that cost it; one function in flat profiles.
  'time' AS event, -- time (exclusive, of fn_timings), or the event: Ir, cycles, weight, samples; without the modifiers of perf.
  's' AS unit, -- Unit of own: s, or that of function_costs.
  sum(seconds) / any_value(m.repetitions) AS own, -- Its own cost, without callees; of times the mean over repetitions.
  0 AS preference -- Which of several events of a run is taken first: the smallest.
FROM fn_timings
JOIN (
  SELECT run_id, count(DISTINCT coalesce(repetition, 0)) AS repetitions
  FROM fn_timings
  GROUP BY run_id
) AS m USING (run_id)
WHERE seconds IS NOT NULL AND kind IS DISTINCT FROM 'total'
GROUP BY ALL
UNION ALL
SELECT
  run_id, rank, thread, _path_parts(region), event, coalesce(any_value(unit), usual_unit),
  sum(value), preference + 1
FROM _profile_costs
GROUP BY run_id, rank, thread, region, event, usual_unit, preference;

-- What stacks cost by themselves in runs and in those that they are compared with, so that the sum
-- over a stack is the mean over the runs of its side, and of times the mean over ranks, too. The rank
-- and thread are NULL for all.
CREATE OR REPLACE MACRO _stack_costs(runs, against, of_event, of_rank, of_thread) AS TABLE
WITH
  side AS (
    SELECT unnest(against) AS run_id, false AS is_after
    UNION ALL
    SELECT unnest(runs), true
  ),

  chosen AS (
    SELECT s.is_after, p.run_id, p.rank, p.stack, p.own
    FROM profile_stacks AS p
    JOIN side AS s ON p.run_id = s.run_id
    WHERE p.event = of_event
      AND (of_rank IS NULL OR p.rank = of_rank)
      AND (of_thread IS NULL OR p.thread = of_thread)
      AND isfinite(p.own) AND p.own > 0
  ),

  places AS (
    SELECT
      is_after, run_id, if(of_event = 'time', count(DISTINCT coalesce(rank, -1)), 1) AS places
    FROM chosen
    GROUP BY is_after, run_id
  ),

  runs_of_side AS (
    SELECT is_after, count(*) AS runs FROM side GROUP BY is_after
  )

SELECT c.is_after, c.stack, c.own / p.places / n.runs AS own
FROM chosen AS c
JOIN places AS p ON c.is_after = p.is_after AND c.run_id = p.run_id
JOIN runs_of_side AS n ON c.is_after = n.is_after;

-- Whether the tool states more for a path, or a function, than it and what is below it add up to. It
-- cuts paths off above then, as callgrind does with --separate-callers: callees of f are on paths
-- that do not begin as f's do.
CREATE OR REPLACE MACRO _is_cut(depth, stated, inclusive) AS
  depth > 1 AND coalesce(stated > 1.01 * inclusive, false);

-- What was measured by call path, or by function in flat profiles: times, else costs.
CREATE OR REPLACE VIEW _path_costs AS
SELECT
  run_id, 's' AS unit, coalesce(callpath, function) AS callpath,
  sum(seconds) / any_value(m.places) AS own,
  sum(inclusive_seconds) FILTER (callpath IS NULL) / any_value(m.places) AS stated
FROM fn_timings
JOIN (
  SELECT
    run_id,
    count(DISTINCT coalesce(rank, -1)) * count(DISTINCT coalesce(repetition, 0)) AS places
  FROM fn_timings
  GROUP BY run_id
) AS m USING (run_id)
WHERE kind IS DISTINCT FROM 'total' AND device IS NULL
GROUP BY run_id, coalesce(callpath, function)
UNION ALL
SELECT run_id, unit, coalesce(callpath, function), sum(cost), sum(inclusive)
FROM function_costs
GROUP BY ALL;

CREATE OR REPLACE VIEW call_tree AS -- One row is one call path of a run, also one in which nothing was measured but below it, with its own cost and that with its callees. Flat profiles have a row for each function.
WITH
  -- every path with what lies above it
  above AS (
    SELECT
      run_id, unit, own, stated, _path_parts(callpath) AS parts,
      unnest(range(1, len(_path_parts(callpath)) + 1)) AS depth
    FROM _path_costs
  ),

  sums AS (
    SELECT
      run_id, any_value(unit) AS unit, array_to_string(parts[:depth], '->') AS callpath, depth,
      coalesce(sum(own) FILTER (depth = len(parts)), 0) AS own, sum(own) AS inclusive,
      any_value(stated) FILTER (depth = len(parts)) AS stated
    FROM above
    GROUP BY run_id, array_to_string(parts[:depth], '->'), depth
  )

SELECT
  run_id,
  callpath, -- Call path from the root, joined with ->.
  _path_parts(callpath)[-1] AS function, -- Its last function.
  depth, -- Functions on the path.
  unit, -- Unit of own and inclusive: s, or that of function_costs.
  own, -- Exclusive: without callees; of times the mean over ranks and repetitions.
  CASE
    WHEN max(depth) OVER of_tree = 1 OR bool_or(_is_cut(depth, stated, inclusive)) OVER of_tree
      THEN stated
    ELSE inclusive
  END AS inclusive -- With callees: the sum over all paths below. In flat profiles, and where paths are cut off above (callgrind --separate-callers), as the tool states it, else NULL.
FROM sums
WINDOW of_tree AS (PARTITION BY run_id);

-- A function that calls itself is on a call path several times, and counts once.
CREATE OR REPLACE VIEW function_totals AS -- One row is one function of a run: what it took itself, and with its callees on all its call paths, of which a recursive function counts once.
WITH
  paths AS (
    SELECT run_id, unit, own, stated, _path_parts(callpath) AS parts FROM _path_costs
  ),

  -- every function on a path; where nothing was measured only the last
  functions AS (
    SELECT
      run_id, unit, own, stated, parts, parts[-1] AS last, len(parts) AS depth,
      list_contains(parts[:-2], parts[-1]) AS is_within,
      unnest(CASE WHEN own <> 0 THEN list_distinct(parts) ELSE parts[-1:] END) AS function
    FROM paths
  ),

  sums AS (
    SELECT
      run_id, unit, function,
      CASE WHEN bool_or(function = last) THEN sum(own) FILTER (function = last) ELSE 0 END AS own,
      sum(own) AS inclusive,
      CASE
        WHEN bool_and(stated IS NOT NULL) FILTER (function = last AND NOT is_within)
          THEN sum(stated) FILTER (function = last AND NOT is_within)
      END AS stated,
      count(*) FILTER (function = last) AS paths,
      max(depth) AS depth, min(list_position(parts, function)) AS place
    FROM functions
    GROUP BY run_id, unit, function
  )

SELECT
  run_id,
  function, -- Function, as the tool names it.
  unit, -- Unit of own and inclusive: s, or that of function_costs.
  own, -- Exclusive: without callees; of times the mean over ranks and repetitions.
  CASE
    WHEN max(depth) OVER of_run = 1 THEN stated
    WHEN NOT bool_or(_is_cut(depth, stated, inclusive)) OVER of_run THEN inclusive
    WHEN NOT _is_cut(depth, stated, inclusive) THEN if(stated IS NULL, NULL, inclusive)
    -- of several, one can be within another
    WHEN paths = 1 THEN stated
  END AS inclusive, -- With callees. In flat profiles as the tool states it, else NULL. Where paths are cut off above (callgrind --separate-callers) as the tool states it of the only path that ends in the function; NULL where there are several.
  place AS depth -- Functions on the shortest path to it, with it.
FROM sums
WINDOW of_run AS (PARTITION BY run_id);
