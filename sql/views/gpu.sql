-- requires: flags, gpu_lanes
--
-- What devices did, why they idled, what limits them, and what would help.

-- A share with three digits.
CREATE OR REPLACE MACRO _share_text(part, whole) AS
  CASE WHEN whole > 0 THEN printf('%.3g %%', 100.0 * part / whole) ELSE '-' END;

-- What may limit a device, the most first: its time, and a code. Copies that run alone count with
-- those that the host waits for or moves by itself, and stretches in which the interpreter works
-- with operators.
CREATE OR REPLACE MACRO _gpu_causes(parts, interpreter, staging, dependency, copies_alone) AS
  list_reverse_sort([
    {'ns': parts.operators + parts.launch + parts.call - staging + interpreter, 'code': 'launch_bound'},
    {'ns': parts.unrecorded - interpreter + parts.python, 'code': 'host_unrecorded'},
    {'ns': parts.sync, 'code': 'sync_bound'},
    {'ns': parts.copy + staging + copies_alone, 'code': 'copy_bound'},
    {'ns': parts.memory, 'code': 'memory_bound_host'},
    {'ns': dependency, 'code': 'dependency_bound'},
    {'ns': parts.unknown + parts.device - dependency, 'code': 'unknown'}
  ]);

-- What limits each lane: the causes, and which of them is the verdict.
CREATE OR REPLACE VIEW _gpu_judged AS
WITH
  caused AS (
    SELECT
      *, busy + idle AS whole,
      _gpu_causes(parts, interpreter, coalesce(staging, 0), dependency, busy - computing) AS causes
    FROM _gpu_sums
  ),

  -- Kernels of a busy device, or copies; half of the idle time has to be known for anything else.
  named AS (
    SELECT
      *,
      CASE
        WHEN stream IS NOT NULL THEN NULL
        WHEN whole = 0 THEN 'unknown'
        WHEN busy >= .8 * whole AND busy - computing > computing THEN 'copy_bound'
        WHEN busy >= .8 * whole THEN 'gpu_bound'
        WHEN parts.unknown > idle / 2 THEN 'unknown'
        ELSE causes[1].code
      END AS code
    FROM caused
  )

SELECT
  *,
  CASE
    WHEN code = 'gpu_bound' THEN busy
    ELSE list_filter(causes, lambda cause: cause.code = named.code)[1].ns
  END AS ns,
  list_filter(
    causes,
    lambda cause: cause.code NOT IN (named.code, 'unknown') AND cause.ns >= greatest(1, .2 * idle, .05 * whole)
  )[1] AS next
FROM named;

-- Arguments of a verdict, or of what is second to it.
CREATE OR REPLACE MACRO _gpu_args(of_code, ns, j) AS
  CASE of_code
    WHEN 'gpu_bound' THEN MAP {
      'busy': _share_text(j.busy, j.whole),
      'window': _duration_text(j.whole),
      'operations': j.operations[1].operation,
      'share': _share_text(
        j.operations[1].ns, list_sum(list_transform(j.operations, lambda operation: operation.ns))
      )
    }
    WHEN 'copy_bound' THEN MAP {
      'share': _share_text(ns, j.whole),
      'time': _duration_text(ns),
      'rate': coalesce(printf('%.3g GB/s', j.copied_bytes / j.copied_ns), 'an unknown rate'),
      'memory': CASE
        WHEN j.pageable_ns > j.pinned_ns THEN 'pageable'
        WHEN j.pinned_ns > 0 THEN 'pinned'
        ELSE 'unknown'
      END
    }
    ELSE map_concat(
      MAP {'share': _share_text(ns, j.idle), 'time': _duration_text(ns)},
      CASE
        WHEN of_code <> 'unknown' THEN MAP {}
        WHEN j.parts.unknown > ns / 2 THEN MAP {'what': 'what is not recorded'}
        ELSE MAP {'what': 'the latency of the device itself'}
      END
    )
  END;

CREATE OR REPLACE VIEW gpu_verdicts AS -- One row is a device of a run, and what limits it: a code with arguments, whose text is in flag_texts.
WITH
  -- Who was late, by cause: the operator, function or call with the most idle time.
  late AS (
    SELECT
      run_id, device,
      CASE
        WHEN doing IN ('operators', 'launch') THEN 'launch_bound'
        WHEN doing IN ('python', 'unrecorded') THEN 'host_unrecorded'
        WHEN doing = 'memory' THEN 'memory_bound_host'
        ELSE doing || '_bound'
      END AS code,
      name, sum(idle_ns) AS ns
    FROM gpu_late
    WHERE name IS NOT NULL
    GROUP BY run_id, device, code, name
    QUALIFY row_number() OVER (PARTITION BY run_id, device, code ORDER BY ns DESC, name) = 1
  ),

  judged AS (FROM _gpu_judged WHERE stream IS NULL AND NOT is_step)

SELECT
  j.run_id, j.device,
  j.code, -- gpu_bound (busy for 80 % of the window or more), copy_bound (copies that run alone, or that the host waits for), launch_bound (operators, launches and calls of the host), sync_bound (synchronisation), memory_bound_host (allocations), host_unrecorded (the host did what was not recorded, or Python functions), dependency_bound (launched work waited for other streams) or unknown.
  map_concat(
    _gpu_args(j.code, j.ns, j),
    CASE
      WHEN l.name IS NULL THEN MAP {}
      ELSE MAP {'late': l.name, 'late_time': _duration_text(l.ns)}
    END
  ) AS args, -- Arguments of its text, a map of texts.
  CASE
    WHEN j.next IS NOT NULL
      THEN _flag(j.next.code, args := _gpu_args(j.next.code, j.next.ns, j))
  END AS second, -- The next cause, code and args, where it has a fifth of the idle time or more; else NULL.
  coalesce(j.code NOT IN ('gpu_bound', 'unknown') AND j.next.ns >= .9 * j.ns, false) AS is_tied, -- Whether the two are within a tenth, so that neither is the cause.
  list_filter([
    CASE WHEN j.parts.unknown > .05 * j.whole
      THEN _flag('calls_unknown', args := MAP {'share': _share_text(j.parts.unknown, j.idle)}) END,
    CASE WHEN j.code = 'unknown' AND j.parts.unknown <= j.idle / 2
      THEN _flag('short_kernels', args := MAP {'share': _share_text(j.parts.device, j.idle)}) END,
    CASE
      WHEN 'host_unrecorded' NOT IN (j.code, coalesce(j.next.code, '')) THEN NULL
      WHEN j.parts.python > j.parts.unrecorded - j.interpreter THEN NULL
      WHEN l.code = 'host_unrecorded' AND 2 * l.ns > j.ns THEN NULL
      ELSE _flag('record_stacks')
    END
  ], lambda flag: flag IS NOT NULL) AS flags -- What to note: calls_unknown, short_kernels, record_stacks (flag_texts).
FROM judged AS j
-- whose part is not worth a name where it is less than a twentieth
LEFT JOIN late AS l
  ON j.run_id = l.run_id AND j.device = l.device AND j.code = l.code AND 20 * l.ns >= j.ns;

-- What lanes, and devices in a step, did: in seconds.
CREATE OR REPLACE VIEW _gpu_activity AS
SELECT
  run_id, device, stream, step, is_step, code,
  t_begin, t_end, activities,
  (busy + idle) / 1e9 AS window_seconds,
  busy / 1e9 AS busy_seconds,
  (busy - copying) / 1e9 AS computing_seconds,
  (busy - computing) / 1e9 AS copying_seconds,
  (computing + copying - busy) / 1e9 AS both_seconds,
  communicating / 1e9 AS communicating_seconds,
  (communicating + calculating - computing) / 1e9 AS hidden_seconds,
  idle / 1e9 AS idle_seconds,
  parts.sync / 1e9 AS sync_seconds,
  parts.copy / 1e9 AS copy_seconds,
  parts.memory / 1e9 AS memory_seconds,
  parts.launch / 1e9 AS launch_seconds,
  parts.operators / 1e9 AS operators_seconds,
  parts.python / 1e9 AS python_seconds,
  parts.unrecorded / 1e9 AS unrecorded_seconds,
  parts.call / 1e9 AS call_seconds,
  parts.device / 1e9 AS device_seconds,
  parts.unknown / 1e9 AS unknown_seconds,
  interpreter / 1e9 AS interpreter_seconds
FROM _gpu_judged;

CREATE OR REPLACE VIEW gpu_activity AS -- One row is a device of a run: how long it was busy, and why it was idle between its first and its last work.
SELECT * EXCLUDE (stream, step, is_step, code)
FROM _gpu_activity
WHERE stream IS NULL AND NOT is_step;

COMMENT ON COLUMN gpu_activity.t_end IS 'Last end, ns.';
COMMENT ON COLUMN gpu_activity.window_seconds IS 'From the first start to the last end.';
COMMENT ON COLUMN gpu_activity.idle_seconds IS 'The rest of the window: the ten parts that follow, which add up to it.';

CREATE OR REPLACE VIEW gpu_activity_by AS -- One row is a device in a step, or one of its several streams: how long it was busy, and why it was idle.
SELECT * EXCLUDE (is_step)
FROM _gpu_activity
WHERE stream IS NOT NULL OR is_step;

COMMENT ON COLUMN gpu_activity_by.stream IS 'Stream (workers.worker); NULL in rows of steps.';
COMMENT ON COLUMN gpu_activity_by.step IS 'Step in which the work was launched, as marks number them; NULL in rows of streams, and for what is in no step.';
COMMENT ON COLUMN gpu_activity_by.code IS 'What limits the device in this step (gpu_verdicts); NULL in rows of streams.';
COMMENT ON COLUMN gpu_activity_by.t_end IS 'Last end, ns.';
COMMENT ON COLUMN gpu_activity_by.window_seconds IS 'From the first start to the last end, of a step the sum of what it did and of the gaps before that.';
COMMENT ON COLUMN gpu_activity_by.idle_seconds IS 'The rest of the window: the ten parts that follow, which add up to it.';

CREATE OR REPLACE VIEW gpu_gains AS -- One row is a change, and what it would gain on a device of a run, with the durations of its work and its waits for launched work as they were.
WITH
  steps AS (
    SELECT run_id, device, count(step) AS steps FROM _gpu_sums WHERE is_step GROUP BY run_id, device
  ),

  changes AS (
    SELECT
      s.run_id, s.device, s.busy + s.idle AS whole,
      unnest([
        {'change': 'early_launches', 'ns': s.idle - s.parts.device - s.parts.unknown},
        {'change': 'overlapped_copies', 'ns': least(s.busy - s.computing, s.busy - s.copying)},
        {
          'change': 'graph_a_step',
          'ns': s.parts.operators + s.parts.launch + s.parts.call - coalesce(s.staging, 0)
            + s.interpreter - t.steps * s.call_ns
        }
      ]) AS gain
    FROM _gpu_sums AS s
    LEFT JOIN steps AS t ON s.run_id = t.run_id AND s.device = t.device
    WHERE s.stream IS NULL AND NOT s.is_step
  )

SELECT
  run_id, device,
  gain.change AS change, -- early_launches (the host launches all work before the device is free), overlapped_copies (copies run beside kernels) or graph_a_step (one call launches the work of a step; only where steps are marked).
  (whole - greatest(0, gain.ns)) / 1e9 AS window_seconds, -- From the first start to the last end of work, after the change.
  greatest(0, gain.ns) / 1e9 AS gain_seconds, -- By how much that is less.
  greatest(0, gain.ns) / nullif(whole, 0) AS gain_share -- That as a share of what it was, 0..1.
FROM changes
WHERE gain.ns IS NOT NULL;

CREATE OR REPLACE VIEW gpu_kernels AS -- One row is a kernel, or a kind of copies or fills, that a device of a run executed.
WITH
  by_operator AS (
    SELECT
      run_id, device, kind, name, operator, count(*) AS calls, sum(t_end - t_start) AS ns
    FROM _gpu_works
    GROUP BY run_id, device, kind, name, operator
  ),

  works AS (
    SELECT
      run_id, device, kind, name, CAST(sum(calls) AS BIGINT) AS calls, sum(ns) AS ns,
      arg_max({'name': operator}, (calls, operator)).name AS operator
    FROM by_operator
    GROUP BY run_id, device, kind, name
  )

SELECT
  run_id, device,
  kind, -- kernel, copy, fill or communication (between devices).
  name, -- Name.
  _operation(kind, operator, name) AS operation, -- What it computes, as far as operator and name tell.
  operator, -- Operator of the framework within which most were launched; NULL where none is known.
  calls,
  ns / 1e9 AS seconds, -- How long it ran in all.
  ns / calls / 1e9 AS mean_seconds, -- How long once.
  ns / nullif(sum(ns) OVER (PARTITION BY run_id, device), 0) AS share -- Share of the durations of all work of the device, 0..1.
FROM works;
