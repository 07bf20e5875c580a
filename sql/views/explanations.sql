-- requires: clock_skew, explanations_metrics, explanations_mechanism, explanations_causes, explanations_threads, explanations_workers, explanations_ledger
--
-- Explanations: what changed together with a regression in the other kinds of trace.
--
-- Of metrics it is `comparison` that decides whether a change is certain, of verdicts their
-- agreement, of all other figures the same test as in `comparison`, over the subjects of a topic.

-- The topics that are not metrics, with the values of both sides compared.
CREATE OR REPLACE MACRO _explain_verdicts(pairs) AS TABLE
WITH
  every AS MATERIALIZED (
    FROM _explain_bottlenecks(pairs)
    UNION ALL FROM _explain_scaling(pairs)
    UNION ALL FROM _explain_threads(pairs)
    UNION ALL FROM _explain_workers(pairs)
    UNION ALL FROM _explain_settings(pairs)
  ),

  topics AS (
    SELECT id, topic, list(e ORDER BY subject, metric) AS rows
    FROM every AS e
    GROUP BY id, topic
  ),

  compared AS (
    SELECT
      unnest(rows) AS e,
      unnest(
        compare_runs(
          list_transform(rows, lambda e: e.b), list_transform(rows, lambda e: e.a),
          list_transform(rows, lambda e: CAST([] AS DOUBLE[])),
          list_transform(rows, lambda e: CAST([] AS DOUBLE[])),
          list_transform(rows, lambda e: CAST({'variance': NULL, 'freedom': NULL} AS STRUCT(variance DOUBLE, freedom DOUBLE))),
          list_transform(rows, lambda e: CAST(
            {
              'before': NULL, 'after': NULL, 'variance_before': NULL, 'variance_after': NULL,
              'freedom': NULL, 'noise': NULL
            } AS STRUCT(
              "before" DOUBLE, "after" DOUBLE, variance_before DOUBLE, variance_after DOUBLE,
              freedom DOUBLE, noise VARCHAR
            )
          )),
          list_transform(rows, lambda e: {
            'name': e.metric, 'is_counted': _is_counted(e.metric, e.unit), 'is_leading': false,
            'order': 0
          }),
          CAST(0.95 AS DOUBLE)
        )
      ) AS c
    FROM topics
  )

SELECT
  e.id, e.topic, e.subject, e.metric, e.unit, c.before AS "before", c.after AS "after",
  c.low AS low, c.high AS high, e.before_label, e.after_label, e.share,
  CASE
    WHEN e.topic IN ('scaling', 'bottleneck', 'idle') THEN 'lower'
    ELSE _better(NULL, NULL, e.metric, e.unit)
  END AS better,
  CASE
    WHEN e.sure IS NOT NULL THEN e.sure
    -- moved classes, of too few runs
    WHEN e.before_label <> e.after_label THEN NULL
    ELSE c.p_value < 0.05
  END AS certain,
  CASE WHEN e.topic NOT IN ('scaling', 'setting') THEN c.p_value END AS p_value,
  len(e.b) AS runs_before, len(e.a) AS runs_after, c.noise AS noise,
  e.relevant, e.notable, e.topic = 'setting' AND e.relevant AS found, e.flags, e.query, e.ids,
  e.sure IS NOT NULL AS is_judged
FROM compared;

CREATE OR REPLACE MACRO _explained(pairs) AS TABLE
WITH
  sides AS (
    SELECT
      id, any_value(named) AS named, list(DISTINCT run_id ORDER BY run_id) AS ids
    FROM (SELECT unnest(pairs, recursive := true))
    GROUP BY id
  ),

  found AS (
    SELECT
      *,
      -- a column, as a macro repeats what it is given: of a row all its columns, each time
      {
        'metric': metric, 'unit': unit, 'before': "before", 'after': "after", 'certain': certain,
        'runs_before': runs_before, 'runs_after': runs_after
      } AS amount
    FROM (
      SELECT
        * EXCLUDE (ids), CAST(NULL AS DOUBLE) AS calls_before, CAST(NULL AS DOUBLE) AS calls_after
      FROM _explain_verdicts(pairs)
      UNION ALL BY NAME
      SELECT *, false AS is_judged FROM _explain_metrics(pairs)
    )
  ),

  -- What leads: the change of the time or cost, the function with most of it, and the mechanism. A
  -- change that is not certain has no cause; where the noise hides what runs are judged by, a measure
  -- of time that varies less leads.
  headline AS (
    SELECT
      f.id, f.topic, f.metric, f.unit, f."before", f."after", f.better, f.query, f.certain,
      f."after" / nullif(f."before", 0) AS ratio, f.runs_before, f.runs_after, f.amount,
      CASE WHEN f.metric = 'wall_seconds' THEN f."after" - f."before" END AS more_seconds
    FROM found AS f
    JOIN _main_order AS o ON f.metric = o.metric
    JOIN found AS m ON f.id = m.id AND m.topic = 'metric'
    WHERE f.topic = 'metric' AND f.certain IS NOT false
      -- what hardly changed is not what the other may have changed by
      OR f.topic IN ('counter', 'function') AND f.certain AND f.relevant
        AND abs(ln(nullif(f."after", 0) / nullif(f."before", 0)))
          >= 0.5 * abs(ln(nullif(m."after", 0) / nullif(m."before", 0)))
        -- misses that cost too little are none
        AND coalesce(o.instructions * abs(f."after" - f."before") >= 0.02 * m."before", true)
    QUALIFY row_number() OVER (
      PARTITION BY f.id ORDER BY f.certain IS NULL, f.topic <> 'metric', o.place
    ) = 1
  ),

  -- What functions have of the event that leads, of which they have no times or costs.
  of_event AS (
    SELECT
      * EXCLUDE (whole, runs_before, runs_after, of_before, of_after),
      of_before / runs_before AS "before", of_after / runs_after AS "after",
      (of_after / runs_after - of_before / runs_before) / nullif(whole, 0) AS share
    FROM (
      SELECT
        l.id, 'function' AS topic, _path_parts(p.region)[-1] AS subject, l.metric, l.unit, l.query,
        true AS found, l."after" - l."before" AS whole, l.runs_before, l.runs_after,
        coalesce(sum(p.value) FILTER (NOT s.is_after), 0) AS of_before,
        coalesce(sum(p.value) FILTER (s.is_after), 0) AS of_after
      FROM headline AS l
      JOIN (SELECT unnest(pairs, recursive := true)) AS s ON l.id = s.id
      JOIN pmu_samples AS p ON s.run_id = p.run_id AND l.metric = 'counter:' || p.event
      WHERE l.topic = 'counter' AND l.certain AND p.region IS NOT NULL
        AND _is_of(p.run_id, _run_ids(pairs))
      GROUP BY ALL
    )
  ),

  evidence AS (
    SELECT id, map_from_entries(list({'key': role, 'value': one})) AS roles
    FROM (
      SELECT
        f.id, r.role,
        arg_min(
          {
            'role': r.role, 'name': f.subject, 'more': f."after" - f."before",
            'seconds': f."before" / f.per_second, 'seconds_after': f."after" / f.per_second,
            'ratio': f."after" / nullif(f."before", 0), 'is_certain': f.certain,
            -- the ends of its interval, in the direction of the main metric and against it
            'most': if(l.ratio > 1, f.high, f.low), 'least': if(l.ratio > 1, f.low, f.high)
          },
          r.place
        ) AS one
      FROM (
        SELECT *, CASE unit WHEN 'ns' THEN 1e9 WHEN 's' THEN 1 ELSE 1e3 END AS per_second
        FROM found
        WHERE topic = 'evidence'
      ) AS f
      JOIN headline AS l ON f.id = l.id
      JOIN _roles AS r ON _role_name(f.metric) = r.name
      GROUP BY f.id, r.role
    )
    GROUP BY id
  ),

  timed AS (
    SELECT
      v.*, _more_seconds(roles['delay'], roles['delay'].ratio) AS more_delay,
      coalesce(
        _more_seconds(roles['processor'], roles['processor'].ratio),
        _more_seconds(roles['user'], roles['user'].ratio)
          + _more_seconds(roles['kernel'], roles['kernel'].ratio)
      ) AS more_processor,
      1 + more_processor
        / coalesce(roles['processor'].seconds, roles['user'].seconds + roles['kernel'].seconds)
        AS processor_ratio,
      _growth(processor_ratio, l.ratio) AS work_growth,
      -- On a busy machine work takes longer in proportion, threads but the first without a delay;
      -- but a program does not give up the processor more often for that.
      CASE
        WHEN coalesce(
          roles['switches'].is_certain
            AND _growth(roles['switches'].ratio, l.ratio) > greatest(work_growth, 1)
            AND abs(roles['switches'].more) > coalesce(abs(roles['preemptions'].more), 0), false
        ) THEN NULL
        ELSE work_growth
      END AS worked,
      -- of a quarter of the change or less nothing is said
      CASE
        WHEN coalesce(more_delay / l.more_seconds, 0) < 0.75
          THEN l.more_seconds - coalesce(more_delay, 0)
        -- threads of its own that wait for each other
        WHEN worked >= 0.5 THEN l.more_seconds
      END AS undelayed
    FROM evidence AS v
    JOIN headline AS l ON v.id = l.id
  ),

  -- Functions that do the same, such as those of a garbage collector, count together. Where waiting
  -- grew as the time on the processor did, it is their part of what functions lost that counts.
  by_itself AS (
    SELECT
      id, subject, doing, metric, unit, "before", "after", share, query,
      "after" / nullif("before", 0) AS ratio, calls_after,
      calls_after / nullif(calls_before, 0) AS calls_ratio
    FROM (
      SELECT
        *, _doing(subject) AS doing,
        sum(share) OVER alike AS together, sum("after" - "before") OVER alike AS more
      FROM (FROM found UNION ALL BY NAME FROM of_event)
      WHERE topic = 'function' AND subject IS NOT NULL AND found AND share > 0
        -- what a device did and waited for leads
        AND id NOT IN (SELECT id FROM found WHERE topic = 'device')
      WINDOW alike AS (PARTITION BY id, unit, coalesce(doing, subject))
    )
    LEFT JOIN (
      SELECT f.id, f.unit, f."after" - f."before" AS lost
      FROM found AS f
      JOIN timed AS t ON f.id = t.id
      WHERE f.topic = 'function' AND f.subject IS NULL AND f.certain AND t.worked >= 0.5
    ) USING (id, unit)
    WHERE together >= 0.2 OR more / lost >= 0.2
    QUALIFY row_number() OVER (
      PARTITION BY id ORDER BY unit IS DISTINCT FROM 's', together DESC, share DESC, subject
    ) = 1
  ),

  -- Of what is scattered over many functions, the deepest one under which most of it lies; what nearly
  -- all lies under on both sides tells nothing.
  with_callees AS (
    SELECT
      *, _doing(subject) AS doing, 'inclusive:' || subject AS metric,
      ("after" - "before") / loss AS share, "after" / nullif("before", 0) AS ratio
    FROM (
      SELECT
        t.id, t.unit, t.query, t.loss, t.lost, t."before" AS whole,
        _without_line(f.function) AS subject,
        min(f.depth) AS depth,
        coalesce(sum(f.inclusive) FILTER (NOT s.is_after), 0) / any_value(t.runs_before) AS "before",
        coalesce(sum(f.inclusive) FILTER (s.is_after), 0) / any_value(t.runs_after) AS "after"
      FROM (
        SELECT
          f.*, f."after" - f."before" AS lost,
          if(_are_parts(f.amount, l.amount), l."after" - l."before", lost) AS loss
        FROM found AS f
        JOIN headline AS l ON f.id = l.id
        WHERE f.topic = 'function' AND f.subject IS NULL AND f.certain
          AND f.id NOT IN (SELECT id FROM by_itself)
      ) AS t
      JOIN (SELECT unnest(pairs, recursive := true)) AS s ON t.id = s.id
      JOIN function_totals AS f ON s.run_id = f.run_id AND t.unit = f.unit
      WHERE _is_of(f.run_id, _run_ids(pairs))
      GROUP BY ALL
    )
    WHERE ("after" - "before") / lost >= 0.5 AND share >= 0.2 AND "before" <= 0.9 * whole
      AND id NOT IN (SELECT id FROM found WHERE topic = 'device')
    QUALIFY row_number() OVER (
      PARTITION BY id ORDER BY depth DESC, abs("after" - "before") DESC, subject
    ) = 1
  ),

  foremost AS (
    FROM by_itself
    UNION ALL BY NAME
    SELECT id, subject, doing, metric, unit, "before", "after", share, query, ratio
    FROM with_callees
  ),

  -- Each a column of its own: a macro repeats what it is given.
  evidenced AS (
    SELECT
      l.id, l.metric AS leading, l.topic = 'metric' AS is_main, f.subject, f.share, l.better,
      if(f.id IS NULL, l.metric, f.metric) AS metric, if(f.id IS NULL, l.unit, f.unit) AS unit,
      if(f.id IS NULL, l."before", f."before") AS "before",
      if(f.id IS NULL, l."after", f."after") AS "after", if(f.id IS NULL, l.query, f.query) AS query,
      {
        'doing': f.doing, 'is_new': f."before" = 0, 'calls_after': f.calls_after,
        'is_more': l."after" > l."before",
        'off_processor': 1 - more_processor / l.more_seconds,
        -- without the delay that grew as the time on the processor did
        'delayed':
          (more_delay - _more_seconds(roles['delay'], processor_ratio)) / l.more_seconds,
        'waited': 1 - more_processor / undelayed,
        'worked': v.worked,
        'is_work': f.id IS NOT NULL AND v.worked >= 0.5
          AND (roles['processor'].is_certain OR roles['user'].is_certain),
        -- whatever the noise between runs hides
        'waited_least': 1 - coalesce(
          _more_seconds(roles['processor'], roles['processor'].most),
          _more_seconds(roles['user'], roles['user'].most)
            + _more_seconds(roles['kernel'], coalesce(roles['kernel'].most, roles['kernel'].ratio))
        ) / undelayed,
        'waited_most': 1 - coalesce(
          _more_seconds(roles['processor'], roles['processor'].least),
          _more_seconds(roles['user'], roles['user'].least)
            + _more_seconds(roles['kernel'], coalesce(roles['kernel'].least, roles['kernel'].ratio))
        ) / undelayed,
        'in_kernel': _more_seconds(roles['kernel'], roles['kernel'].ratio) / l.more_seconds,
        'kernel_part': _more_seconds(roles['kernel'], roles['kernel'].ratio) / more_processor,
        'kernel_least': _more_seconds(roles['kernel'], roles['kernel'].least) / more_processor,
        'calls_ratio': f.calls_ratio, 'calls': _growth(f.calls_ratio, f.ratio),
        'instructions_ratio': roles['instructions'].ratio,
        'instructions': _growth(roles['instructions'].ratio, l.ratio),
        'instructions_most': _growth(roles['instructions'].most, l.ratio),
        'instructions_least': _growth(roles['instructions'].least, l.ratio),
        'is_count': l.unit = 'instructions',
        'cycles_ratio': roles['cycles'].ratio, 'cycles': _growth(roles['cycles'].ratio, l.ratio),
        'causes': list_reverse_sort(
          list_transform(
            list_filter(
              map_values(roles),
              lambda one: one.is_certain AND (one.ratio > 1) = (l.ratio > 1)
                -- who gives up the processor more often is not who loses it
                AND NOT coalesce(
                  one.role = 'preemptions' AND abs(one.more) < abs(roles['switches'].more)
                  OR one.role = 'switches' AND abs(one.more) < abs(roles['preemptions'].more),
                  false
                )
            ),
            lambda one: {'size': abs(ln(nullif(one.ratio, 0))), 'role': one.role, 'ratio': one.ratio, 'name': one.name}
          )
        )
      } AS e
    FROM headline AS l
    LEFT JOIN foremost AS f ON l.id = f.id
    LEFT JOIN timed AS v ON l.id = v.id
    WHERE l.certain
  ),

  -- Where other programs take the processor, all functions take longer, and none is the cause; nor of
  -- waiting one that has less of the loss than that, such as the scheduler's.
  judged AS (
    SELECT
      *, _mechanism(e) AS mechanism,
      starts_with(mechanism['code'], 'waits_processor')
        OR starts_with(mechanism['code'], 'waits') AND e.doing IS NULL AND share < 0.5 AS is_outside
    FROM evidenced
  ),

  causes AS (
    SELECT
      v.* EXCLUDE (e, mechanism, is_outside)
        REPLACE (
          if(is_outside, NULL, v.subject) AS subject, if(is_outside, NULL, v.share) AS share,
          if(is_outside, l.metric, v.metric) AS metric, if(is_outside, l.unit, v.unit) AS unit,
          if(is_outside, l."before", v."before") AS "before",
          if(is_outside, l."after", v."after") AS "after", if(is_outside, l.query, v.query) AS query
        ),
      v.mechanism
    FROM judged AS v
    JOIN headline AS l ON v.id = l.id
  ),

  -- Amounts of which a ledger consists.
  amounts AS (
    SELECT
      l.id, any_value(l.amount) AS main,
      list(
        _entry(split_part(f.metric, ':', 2), f.subject, f.amount, f.certain)
        ORDER BY abs(f."after" - f."before") DESC, f.subject
      ) FILTER (f.topic = 'device' AND f.subject IS NOT NULL) AS devices,
      list(
        _entry('function', f.subject, f.amount, f.certain)
        ORDER BY abs(f."after" - f."before") DESC, f.subject
      ) FILTER (f.topic = 'function' AND f.subject IS NOT NULL) AS functions,
      any_value(f.amount) FILTER (f.topic = 'function' AND f.subject IS NULL) AS together
    FROM headline AS l
    LEFT JOIN found AS f ON l.id = f.id AND l.unit = f.unit AND f.topic IN ('device', 'function')
    GROUP BY l.id
  ),

  workers AS (
    SELECT
      id,
      any_value(_entry('total', 'window', w, NULL)) FILTER (part = 'total') AS "window",
      list(_entry(part, NULL, w, NULL) ORDER BY abs(w."after" - w."before") DESC)
        FILTER (part <> 'total') AS parts
    FROM _worker_accounts(pairs) AS w
    GROUP BY id
  ),

  clocked AS (
    SELECT
      id, _seconds_of(roles['kernel']) AS kernel, _seconds_of(roles['user']) AS program,
      _seconds_of(roles['delay']) AS delay,
      coalesce(
        _seconds_of(roles['processor']), CASE WHEN program IS NOT NULL THEN _sum_of([program, kernel]) END
      ) AS processor
    FROM evidence
  ),

  -- What a ledger is of, and its entries. Work and idle time of devices are all of their time.
  entered AS (
    SELECT
      id, main.unit AS unit,
      CASE kind
        WHEN 'devices' THEN _entry('total', 'devices', _sum_of(devices), NULL)
        WHEN 'workers' THEN "window"
        WHEN 'functions' THEN _entry('total', together.metric, together, together.certain)
        ELSE _entry('total', main.metric, main, main.certain)
      END AS total,
      CASE kind
        WHEN 'devices' THEN devices
        WHEN 'workers' THEN parts
        WHEN 'functions' THEN _function_entries(functions, together)
        ELSE _time_entries(main, functions, together, kernel, processor, delay, is_outside)
      END AS entries
    FROM (
      SELECT
        *,
        CASE
          WHEN len(devices) > 0 THEN 'devices'
          WHEN main.unit = 's' AND together IS NULL AND len(parts) > 0 THEN 'workers'
          WHEN together IS NOT NULL AND NOT _are_parts(together, main) THEN 'functions'
          ELSE 'main'
        END AS kind
      FROM amounts
      LEFT JOIN workers USING (id)
      LEFT JOIN clocked USING (id)
      LEFT JOIN (SELECT id, is_outside FROM judged) USING (id)
    )
  ),

  ledgers AS (
    SELECT id, unit, _balanced(total, entries) AS entries FROM entered WHERE len(entries) > 0
  ),

  findings AS (
    SELECT
      f.id, topic, subject, metric, unit, "before", "after",
      ("after" - "before") / nullif(abs("before"), 0) AS change,
      low - 1 AS change_low, high - 1 AS change_high,
      before_label, after_label, share,
      CASE
        WHEN better IN ('lower', 'higher') AND "after" <> "before"
          THEN if((better = 'lower') = ("after" < "before"), 'better', 'worse')
      END AS direction,
      certain, p_value,
      runs_before AS values_before, runs_after AS values_after, calls_before, calls_after, noise,
      flags || CASE
        WHEN is_judged OR certain IS NOT NULL AND runs_before > 1 AND runs_after > 1 THEN []
        WHEN runs_before < 2 OR runs_after < 2 THEN _flags(['single_run'])
        ELSE _flags(['few_runs'])
      END AS flags,
      query || if(topic = 'scaling', '', _of_runs(s.ids, s.named)) AS query
    FROM found AS f
    JOIN sides AS s ON f.id = s.id
    WHERE
      (f.found OR certain AND relevant OR certain IS NULL AND notable)
      -- Streams and threads of a device are no workers that wait for tasks.
      AND NOT (topic = 'idle' AND f.id IN (SELECT id FROM found WHERE topic = 'device'))
    UNION ALL BY NAME
    SELECT
      c.id, 'cause' AS topic, c.subject, c.metric, c.unit, c."before", c."after",
      c."after" / nullif(c."before", 0) - 1 AS change, c.leading AS before_label, c.share,
      if((c."after" > c."before") = (c.better = 'lower'), 'worse', 'better') AS direction,
      true AS certain,
      [c.mechanism] AS flags, c.query || _of_runs(s.ids, s.named) AS query
    FROM causes AS c
    JOIN sides AS s ON c.id = s.id
    WHERE c.subject IS NOT NULL OR c.mechanism.code NOT IN ('cause_undecided', 'cause_unknown') OR NOT c.is_main
    UNION ALL BY NAME
    SELECT
      id, 'ledger' AS topic, e.subject AS subject, e.part AS metric, unit, e."before" AS "before",
      e."after" AS "after", e."after" / nullif(e."before", 0) - 1 AS change,
      (e."after" - e."before") / nullif(entries[1]."after" - entries[1]."before", 0) AS share,
      e.certain AS certain, _flags([]) AS flags, entry
    FROM (SELECT *, unnest(entries) AS e, generate_subscripts(entries, 1) AS entry FROM ledgers)
  )

-- The strongest evidence first: what is certain, new, gone or separated, then that of which the noise
-- is unknown (of single runs what is new, too), with the largest shares of the loss that are not
-- certain. Functions by their share. A slow worker comes before all else, because it slows down what
-- waits for it.
SELECT
  * EXCLUDE (entry),
  row_number() OVER (
    PARTITION BY id
    ORDER BY
      topic = 'ledger', entry, topic <> 'metric', topic <> 'cause', topic <> 'device', metric <> 'slowdown',
      topic = 'setting',
      CASE
        WHEN
          certain
          OR list_has_any(flag_codes(flags), ['new', 'gone', 'separated'])
            AND NOT list_contains(flag_codes(flags), 'single_run')
          THEN 0
        WHEN certain IS NULL OR list_contains(flag_codes(flags), 'largest') THEN 1
        ELSE 2
      END,
      list_position(
        ['device', 'function', 'bottleneck', 'counter', 'benchmark', 'scaling', 'idle', 'threads', 'setting'],
        topic
      ),
      subject IS NOT NULL, share DESC NULLS FIRST, list_contains(flag_codes(flags), 'same_count'),
      CASE WHEN topic IN ('counter', 'benchmark')
        -- these differ in size: what came from nothing, or went, is first
        THEN abs(ln(nullif(abs("after"), 0) / nullif(abs("before"), 0)))
        ELSE abs("after" - "before")
      END DESC NULLS FIRST,
      subject
  ) AS place
FROM findings;

CREATE OR REPLACE MACRO explain_run(runs, against, explaining := '', judged_by := '') AS TABLE -- One row is one thing that changed between runs and the runs `against` (each a run or a list of runs): topic, subject, metric, unit, before, after, change, before_label, after_label, share, direction, certain, p_value, values_before, values_after, calls_before, calls_after, noise, flags, query, as in explanations, with change_low and change_high. There is always a row of topic metric where both sides have a main metric (`judged_by := metric` states another). Where the runs are those that explain_baseline returns for a run, `explaining := run` makes the queries shorter. Sides that a query finds are given as variables (SET VARIABLE, getvariable): a subquery would be computed anew in each part of the answer.
SELECT * EXCLUDE (id, place)
FROM _explained(
  _sides(
    0, _as_list(runs), _as_list(against), nullif(CAST(explaining AS VARCHAR), ''),
    nullif(CAST(judged_by AS VARCHAR), '')
  )
)
WHERE topic <> 'ledger';

CREATE OR REPLACE MACRO explain_ledger(runs, against) AS TABLE -- What the difference between runs and the runs `against` (each a run or a list of runs) consists of: rows as in difference_ledger, which add up to it. No row where the total differs by no more than noise.
SELECT
  first_value(subject) OVER parts AS total, metric AS part, subject, unit, "before", "after",
  "after" - "before" AS difference, share, certain, row_number() OVER parts - 1 AS place
FROM _explained(_sides(0, _as_list(runs), _as_list(against), NULL, NULL)) AS e
WHERE topic = 'ledger'
WINDOW parts AS (ORDER BY e.place)
QUALIFY metric <> 'total';

CREATE OR REPLACE MACRO explain_coverage(runs, against) AS TABLE -- One row is a topic of explain_run(runs, against), and of how many runs on either side it could be examined: topic, runs_before, runs_after, note (why a bottleneck is Unknown; other events or kernels than on the other side; clocks that are apart). A topic with runs on both sides and no row in explain_run did not change.
WITH
  side AS (
    SELECT unnest(_sides(0, _as_list(runs), _as_list(against), NULL, NULL), recursive := true)
  ),

  verdicts AS (
    SELECT run_id, bool_or(class <> 'Unknown') AS is_known, any_value(reason) AS reason
    FROM bottlenecks
    WHERE _is_of(run_id, _as_list(runs) || _as_list(against))
    GROUP BY run_id
  ),

  -- runs that have nothing in common with the other side cannot be compared
  counted AS (
    SELECT
      run_id,
      min(is_after) OVER (PARTITION BY 1) = max(is_after) OVER (PARTITION BY 1)
        OR min(is_after) OVER event <> max(is_after) OVER event AS is_shared
    FROM (SELECT DISTINCT run_id, event, is_after FROM pmu_samples JOIN side USING (run_id))
    WINDOW event AS (PARTITION BY event)
  ),

  visited AS (
    SELECT
      run_id,
      min(is_after) OVER (PARTITION BY 1) = max(is_after) OVER (PARTITION BY 1)
        OR min(is_after) OVER kernel <> max(is_after) OVER kernel AS is_shared
    FROM (SELECT DISTINCT run_id, kernel, is_after FROM bb_visits JOIN side USING (run_id))
    WINDOW kernel AS (PARTITION BY kernel)
  ),

  traced AS (
    SELECT
      run_id,
      run_id IN (
        SELECT a.run_id
        FROM _clocks_apart AS a
        WHERE _is_of(a.run_id, _as_list(runs) || _as_list(against))
      ) AS is_apart
    FROM (SELECT DISTINCT run_id FROM tasks SEMI JOIN side USING (run_id))
  ),

  topics (place, topic, run_id, note) AS (
    SELECT DISTINCT 0, 'function', run_id, NULL FROM fn_timings SEMI JOIN side USING (run_id)
    UNION ALL
    SELECT DISTINCT 0, 'function', run_id, NULL FROM function_costs SEMI JOIN side USING (run_id)
    UNION ALL
    SELECT DISTINCT 1, 'counter', if(is_shared, run_id, NULL), if(is_shared, NULL, _flag('other_events'))
    FROM counted
    UNION ALL
    SELECT 2, 'bottleneck', if(is_known, run_id, NULL), if(is_known, NULL, reason) FROM verdicts
    UNION ALL
    SELECT 3, 'scaling', r.run_id, NULL
    FROM runs AS r
    JOIN scaling_sets AS s ON _set_id(r.app, r.version, r.machine) = s.set_id
    WHERE s.counts >= 3
    UNION ALL
    SELECT 4, 'idle', if(is_apart, NULL, run_id), if(is_apart, _flag('clocks_apart'), NULL)
    FROM traced
    UNION ALL
    SELECT DISTINCT 5, 'threads', if(is_shared, run_id, NULL), if(is_shared, NULL, _flag('other_kernels'))
    FROM visited
    UNION ALL
    SELECT DISTINCT 6, 'benchmark', run_id, NULL FROM metrics SEMI JOIN side USING (run_id)
  ),

  -- with devices these are what idles
  every (place, topic) AS (
    VALUES (0, 'function'), (1, 'counter'), (2, 'bottleneck'), (3, 'scaling'),
      (4, if(EXISTS (FROM _gpu_sums SEMI JOIN side USING (run_id)), 'device', 'idle')),
      (5, 'threads'), (6, 'benchmark')
  )

SELECT
  e.topic,
  count(DISTINCT s.run_id) FILTER (NOT s.is_after) AS runs_before,
  count(DISTINCT s.run_id) FILTER (s.is_after) AS runs_after,
  CASE WHEN runs_before = 0 OR runs_after = 0 THEN any_value(t.note) END AS note
FROM every AS e
LEFT JOIN topics AS t ON e.place = t.place
LEFT JOIN side AS s ON t.run_id = s.run_id
GROUP BY e.place, e.topic
ORDER BY e.place;

CREATE OR REPLACE VIEW explanations AS -- One row is one thing that changed together with a regression: a change for the worse of the metric that runs are judged by (the tag main_metric, else wall_seconds, else functions:seconds, cycles ..., else results of benchmarks, else counters, else any metric) in change_points. For any two runs: explain_run.
SELECT * EXCLUDE (main_direction, place)
FROM change_explanations
WHERE main_direction = 'worse' AND topic <> 'ledger';

COMMENT ON COLUMN explanations.run_id IS 'First run after the change.';
COMMENT ON COLUMN explanations.version IS 'Version of that run.';
COMMENT ON COLUMN explanations.main_metric IS 'Metric that got worse.';
COMMENT ON COLUMN explanations.runs IS 'Runs after the change, up to the next one, 30 at most, 8 of a series that drifts.';
COMMENT ON COLUMN explanations.against IS 'Runs before it, from the change before, likewise.';
COMMENT ON COLUMN explanations.topic IS 'metric (the main metric itself), cause (the function with most of the change of a time or cost, and the mechanism, a flag: more work, slower work or waiting), function, counter, benchmark (a result of one, or another value of the table metrics), bottleneck, scaling, idle, threads, or setting (a field or tag that differs between the two sides).';
COMMENT ON COLUMN explanations.subject IS 'Function or code region (NULL: all of them together), event, part of the idle time, kernel or field.';
COMMENT ON COLUMN explanations.metric IS 'What before and after are of: seconds:FUNCTION, inclusive:FUNCTION (of a cause: with its callees), per_cycle:EVENT, frac_mem, exponent, starvation_percent, fluctuation ...';
COMMENT ON COLUMN explanations.unit IS 'Their unit.';
COMMENT ON COLUMN explanations."before" IS 'Before the change: the geometric mean of its runs, or the mean where values are not positive (as in comparison; without a function a run spent no time in it).';
COMMENT ON COLUMN explanations."after" IS 'The same after it.';
COMMENT ON COLUMN explanations.change_low IS 'Lower end of the interval of change, which holds for all metrics together with a probability of 95 %; NULL where it is unbounded or the noise is unknown.';
COMMENT ON COLUMN explanations.before_label IS 'In words: class of bottleneck, formula, dominant part of the idle time, verdict on threads, setting.';
COMMENT ON COLUMN explanations.after_label IS 'The same after the change.';
COMMENT ON COLUMN explanations.share IS 'Share of the loss: of the time that all functions together take more, or of the cycles that all counted regions take more. Negative where it took less. NULL where there is no such sum.';
COMMENT ON COLUMN explanations.direction IS 'worse or better; NULL where that is not known.';
COMMENT ON COLUMN explanations.certain IS 'Whether it is beyond noise: of numbers where p_value is below 0.05 (comparison), of exponents where the 90 % interval of their difference is off 0, of classes where nine of ten runs on both sides agree. NULL: the noise is unknown (flags). Changes within noise have no row, except functions with the flags new, gone, separated or largest.';
COMMENT ON COLUMN explanations.p_value IS 'Probability of such a difference without a change, corrected for the number of metrics compared; NULL where the noise is unknown, or intervals decide.';
COMMENT ON COLUMN explanations.values_before IS 'Values (of runs, or of launches) that before is the mean of.';
COMMENT ON COLUMN explanations.values_after IS 'Values that after is the mean of.';
COMMENT ON COLUMN explanations.calls_before IS 'Of functions: calls in a run before, over all ranks and threads (mean); NULL where no tool counted them.';
COMMENT ON COLUMN explanations.calls_after IS 'The same after.';
COMMENT ON COLUMN explanations.noise IS 'Where the noise is from: runs, history, other side or usual (comparison); NULL where it is unknown or not needed.';
COMMENT ON COLUMN explanations.flags IS 'single_run, few_runs (too few to distinguish from noise), new, gone (a function of one side only), separated (every run of one side above every run of the other, but among too many functions to be certain), largest (not certain, but one of the three largest shares of a loss of which other functions explain less than half), same_count (an event per cycle moved because the cycles did, not its count), flags of scaling models.';
COMMENT ON COLUMN explanations.query IS 'SQL that shows the values behind it.';

CREATE OR REPLACE VIEW difference_ledger AS -- One row is one part of the difference that a change made (changes of the metric that runs are judged by), in one unit: the parts of a change add up to it. For any two sets of runs: explain_ledger.
SELECT
  change_id,
  run_id, -- First run after the change.
  app, machine,
  version, -- Version of that run.
  started_at,
  first_value(subject) OVER of_change AS total, -- What the parts are parts of: the main metric; functions:seconds where functions take longer than the run, as those of several threads do; window: the time from the first task to the last, mean over workers; devices: their time from the first work to the last, mean over devices.
  metric AS part, -- function (exclusive), other_functions, user and kernel (time on the processor), processor (both), other_processor (time there that is in no function), run_delay (ready to run and waiting for a processor), waiting (the total without both); computing, starvation, latency, overhead, not_recorded, tail (of workers); busy, idle (of devices); not_explained: the rest.
  subject, -- Function; of devices the operation, or what the device waited for; NULL for other parts.
  unit, -- Unit of before, after and difference.
  "before", -- Before the change, as in change_explanations.
  "after", -- The same after it.
  "after" - "before" AS difference, -- after - before; negative where it became less.
  share, -- Share of the difference of the total: negative where the part went the other way.
  certain, -- Whether the difference of a function is beyond noise; NULL where the noise is unknown, and for parts that are differences of others.
  row_number() OVER of_change - 1 AS place -- Place among the parts of the change, from 1: the largest first, what is not explained last.
FROM change_explanations
WHERE topic = 'ledger'
WINDOW of_change AS (PARTITION BY change_id ORDER BY change_explanations.place)
QUALIFY metric <> 'total';
