-- Counters: every event per cycle of its own sample, and summed over a run.

-- Whether the words of a name say that it is no count: llc_miss_rate, L2 miss ratio, IPC, cpu (%),
-- overallMissRate::total, snoopFanout::mean. The ticks of AMD's processors at their largest clock are.
CREATE OR REPLACE MACRO _is_name_of_rate(event) AS
  regexp_matches(
    event,
    '%|(?:^|[^a-zA-Z])(?i:rates?|ratios?|fraction|percent(?:age)?|pct|per|avg|average|g?mean|stdev'
    || '|median|min|max|peak|ipc|cpi|mpki|bw|bandwidth|throughput|util|utili[sz]ation|freq'
    || '|frequency|occupancy|efficiency|intensity|speedup|watts?|temperature)(?:$|[^a-zA-Z])'
    || '|(?:^avg|[a-z](?:Rate|Ratio|Fraction|Avg|Util|Freq|BW))(?:$|[^a-z])'
  )
  AND event <> 'MAX_CPU_CLOCK';

-- Whether an event is no count: a share, a rate, power, a temperature, what is in use at a moment,
-- or a constant of the core, as the issue width in gem5's windows, or of a launch. Such are averaged
-- over samples, and not per cycle.
-- Where the tool records no unit, the name shows it.
CREATE OR REPLACE MACRO _is_rate(event, unit) AS
  CASE
    WHEN unit IS NULL THEN _is_name_of_rate(event)
    ELSE regexp_matches(
        unit,
        '[/%]|[Rr]atio|[Rr]ate|^(?:[kKMG]?[Hh]z|[mk]?W|[Ww]atts?|°?C|deg ?C|[Cc]elsius|m?V|[Vv]olts?'
        || '|[kKMGT]?i?[Bb](?:it)?ps|[kKMGTP]FLOPS|[kKM]?IOPS)$'
      )
      OR (unit = 'Count' AND regexp_matches(event, '::(?:mean|gmean|stdev|max_value|min_value)$'))
      OR regexp_matches(event, '(?i: per )|_per_|\.ratio$')
  END
  OR event IN (
    'mem_heap', 'mem_heap_extra', 'mem_stacks', 'issue_width', 'finalTick', 'final_tick',
    'Block Size', 'launch__block_size'
  )
  OR regexp_matches(event, '^(?:# |Block Limit |launch__occupancy_limit_|device__attribute_)|Config(?:uration )?Size$')
  OR starts_with(event, 'memory.')
  OR starts_with(event, 'procs.');

-- Whether what is averaged over time adds up over places that run at the same time, as processors,
-- ranks and GPUs do: amounts per second, power, bytes in use, and what processes have of the
-- processors' time (% CPU); not clocks and other shares, nor what is a mean, a largest value or the
-- like. Where the tool records no unit, the name shows it.
CREATE OR REPLACE MACRO _adds_over_places(event, unit) AS
  CASE
    WHEN unit IS NULL
      THEN regexp_matches(
        event,
        '(?:^|[^a-zA-Z])(?i:bandwidth|bw|throughput|watts?|per[ _]s(?:ec(?:ond)?)?)(?:$|[^a-zA-Z])'
        || '|[a-z]BW$|/s(?:ec)?$'
      )
      AND NOT regexp_matches(
        event,
        '%|(?:^|[^a-zA-Z])(?i:ratio|fraction|percent(?:age)?|pct|util|utili[sz]ation|efficiency'
        || '|bound|cycles|ticks)(?:$|[^a-zA-Z])|^tma_[a-z]+_bandwidth$'
      )
    ELSE regexp_matches(
        unit,
        '/ ?s(?:ec|econd)?$|^(?:[mk]?W|[Ww]atts?|[kKMGT]?i?(?:B|[Bb]ytes?)|[kKMGT]?i?[Bb](?:it)?ps'
        || '|[kKMGTP]FLOPS|[kKM]?IOPS)$',
        'i'
      )
      AND NOT regexp_matches(unit, '^(?:cycles?|ticks?)/|%', 'i')
      OR unit = '% CPU'
  END
  AND NOT regexp_matches(
    event,
    '(?:^|[^a-zA-Z])(?i:avg|average|g?mean|median|min|max|peak|std(?:ev|dev)|p\d\d)(?:$|[^a-zA-Z])'
    || '|^avg[A-Z]'
  );

-- Whether a region is a part of the machine: GPU 0, or as perf stat writes it S0-D0-C1, N0. Such
-- run at the same time, where regions of code follow one another, and have nothing in common, where
-- disks and interfaces can be one on top of another.
CREATE OR REPLACE MACRO _is_part_of_machine(region) AS
  regexp_full_match(region, 'GPU .+|(?:S\d+|N\d+)(?:-[A-Z]+\d+)*');

-- Whether a sample has a time but no end: its value is that of a moment, and adds up to nothing.
CREATE OR REPLACE MACRO _is_moment(t_start, t_end) AS t_start IS NOT NULL AND t_end IS NULL;

-- How much a sample counts for in a mean over time: by its length, ns, where that is known.
CREATE OR REPLACE MACRO _weight(t_start, t_end, seconds) AS
  coalesce(CAST(nullif(t_end - t_start, 0) AS DOUBLE), nullif(seconds * 1e9, 0), 1);

-- Whether an event is time by the clock, which passes for all threads at once: the longest counts.
CREATE OR REPLACE MACRO _is_elapsed(event) AS
  event IN ('Runtime (RDTSC)', 'duration_time', 'real_cycles', 'real_time_nsec');

-- Whether an event is the smallest or largest of several values, as Caliper writes it of the visits
-- of a region, or of the processes: those of regions are no part of one of the run.
CREATE OR REPLACE MACRO _is_extreme(event) AS regexp_matches(event, '^(?:min|max)#');

-- Names in tools of the cycles in which a core was running, with and without processor and modifier.
CREATE OR REPLACE MACRO _is_cycles(event) AS
  regexp_full_match(
    event,
    '(?i:(?:[a-z]\w*/)?(?:cycles|cpu[-_]cycles|cpu_clk_unhalted[._](?:core|thread)(?:_p)?|clockticks'
    || '|papi_tot_cyc|cpu_clocks_unhalted|actual_cpu_clock|ls_not_halted_cyc|pm_(?:run_)?cyc'
    || '|fixed_cycles|mcycle|unhaltedcorecycles|totalcycles)(?:/[a-z]*|:[a-z]+)?'
    || '|system\.cpu\.numcycles|sm__cycles_active\.sum)'
  );

-- In which mode of the processor alone an event of perf was counted: instructions:k, cpu_core/cycles/u.
CREATE OR REPLACE MACRO _mode(event) AS
  CASE regexp_replace(
    regexp_extract(event, '(?:[^:]:|/)([ukhpPGHDISWeb]+)$', 1), '[^uk]', '', 'g'
  )
    WHEN 'u' THEN 'user'
    WHEN 'k' THEN 'kernel'
  END;

-- Which cycles an event is divided by: those of its mode, and of both modes those of both, which are
-- `together` where they were counted one by one; where only one of them was, those.
CREATE OR REPLACE MACRO _in_mode(mode, of_both, of_user, of_kernel, together) AS
  CASE mode
    WHEN 'user' THEN of_user
    WHEN 'kernel' THEN of_kernel
    ELSE coalesce(
      of_both,
      CASE WHEN of_user IS NOT NULL AND of_kernel IS NOT NULL THEN together END,
      of_user,
      of_kernel
    )
  END;

-- The kind of cores of a hybrid processor that an event was counted on: each has its own cycles.
CREATE OR REPLACE MACRO _core_type(event) AS
  nullif(
    regexp_extract(
      event, '(?:^|\()(cpu_(?:core|atom|lowpower)|armv\d+_\w+|apple_\w+_pmu)(?:/|\)$)', 1
    ),
    ''
  );

CREATE OR REPLACE VIEW pmu_per_cycle AS -- One row is one event of one sample, divided by the cycles of the same sample.
WITH
  -- a tool can count cycles under several names, and write several rows of one
  by_name AS (
    SELECT run_id, source_id, rank, thread, cpu, region, sample, event, sum(value) AS cycles
    FROM pmu_samples
    WHERE _is_cycles(event) AND value > 0
    GROUP BY ALL
  ),

  sample_cycles AS (
    SELECT
      run_id, source_id, rank, thread, cpu, region, sample,
      _core_type(event) AS core_type,
      max(cycles) FILTER (_mode(event) IS NULL) AS of_both,
      max(cycles) FILTER (_mode(event) = 'user') AS of_user,
      max(cycles) FILTER (_mode(event) = 'kernel') AS of_kernel
    FROM by_name
    GROUP BY ALL
  )

SELECT
  s.run_id, s.source_id, s.rank, s.thread, s.cpu, s.region, s.sample, s.event,
  s.value, -- Count or value over the sample.
  _in_mode(_mode(s.event), c.of_both, c.of_user, c.of_kernel, c.of_user + c.of_kernel) AS cycles, -- Cycles of the same sample, on a hybrid processor of the same kind of cores, of instructions:u and the like of the same mode; NULL where they were not counted.
  CASE
    WHEN
      NOT _is_moment(s.t_start, s.t_end)
      AND NOT _is_rate(s.event, s.unit)
      AND NOT _is_extreme(s.event)
      THEN s.value
        / _in_mode(_mode(s.event), c.of_both, c.of_user, c.of_kernel, c.of_user + c.of_kernel)
  END AS per_cycle -- value / cycles; NULL where either is unknown or no cycle passed, and of values of a moment, shares, rates, memory in use and the issue width (by the unit, or without one by the name).
FROM pmu_samples AS s
LEFT JOIN sample_cycles AS c
  ON s.run_id = c.run_id
  AND s.source_id = c.source_id
  AND s.rank IS NOT DISTINCT FROM c.rank
  AND s.thread IS NOT DISTINCT FROM c.thread
  AND s.cpu IS NOT DISTINCT FROM c.cpu
  AND s.region IS NOT DISTINCT FROM c.region
  AND s.sample IS NOT DISTINCT FROM c.sample
  AND _core_type(s.event) IS NOT DISTINCT FROM c.core_type;

CREATE OR REPLACE VIEW counter_summary AS -- One row is one event of a run, over all its samples.
WITH
  -- by unit, so that it is looked at once and not in each sample
  by_unit AS (
    SELECT
      run_id, source_id, event, unit, rank, thread, cpu, region IS NULL AS is_whole,
      _is_moment(t_start, t_end) AS is_moment,
      -- regions of samples of a moment are devices: GPUs, disks, interfaces
      CASE
        WHEN _is_moment(t_start, t_end) OR (contains(unit, '/') AND _is_part_of_machine(region))
          THEN region
      END AS device,
      sum(value) AS value,
      sum(value * _weight(t_start, t_end, seconds))
      / sum(_weight(t_start, t_end, seconds)) FILTER (value IS NOT NULL) AS mean,
      sum(_weight(t_start, t_end, seconds)) AS span,
      count(value) AS counted,
      count(*) AS samples,
      sum(sample) FILTER (value IS NULL) AS lacking,
      -- in which samples it is, by the last bits of their numbers: groups of events take turns
      bit_or(CAST(1 AS BIGINT) << (sample & 31)) AS numbers,
      min(running) AS running
    FROM pmu_samples
    GROUP BY ALL
  ),

  -- of a thread that was counted as a whole (without a region), its regions are parts
  by_place AS (
    SELECT
      run_id, source_id, event, unit, rank, thread, cpu, device,
      bool_or(is_whole) AS is_whole,
      is_moment OR _is_rate(event, unit) AS is_rate,
      NOT (is_moment OR _is_rate(event, unit)) OR _adds_over_places(event, unit) AS adds_up,
      CASE
        -- threads below their process, as pidstat -t has both
        WHEN starts_with(device, '|__') THEN -2
        WHEN device IS NOT NULL THEN -1
        WHEN coalesce(thread, cpu) IS NOT NULL THEN 0
        WHEN rank IS NOT NULL THEN 1
        ELSE 2
      END AS extent,
      arg_max(
        {
          'value': value, 'mean': mean, 'span': span,
          -- samples of unknown length count as 1 ns
          'is_timed': span > samples, 'counted': counted, 'samples': samples,
          'lacking': lacking, 'numbers': numbers, 'running': running
        },
        is_whole
      ) AS counts
    FROM by_unit
    GROUP BY run_id, source_id, event, unit, rank, thread, cpu, device, is_moment
  ),

  -- a place can be in several files
  by_span AS (
    SELECT
      *,
      sum(counts.span) OVER (
        PARTITION BY run_id, event, rank, thread, cpu, device, extent, counts.is_timed
      ) AS span
    FROM by_place
  ),

  -- What was there for a part of the time, as a process can be, counts for that part.
  by_share AS (
    SELECT
      *,
      CASE
        WHEN counts.mean IS NOT NULL
          THEN counts.span / max(span) OVER (PARTITION BY run_id, event, extent, counts.is_timed)
      END AS share
    FROM by_span
  ),

  by_extent AS (
    SELECT
      run_id, source_id, event, any_value(unit) AS unit,
      CASE
        WHEN
          bool_and(is_rate AND adds_up)
          AND count(DISTINCT device) FILTER (
            coalesce(rank, thread, cpu) IS NULL AND NOT _is_part_of_machine(device)
          ) > 1
          THEN NULL
        WHEN bool_or(is_rate) THEN sum(counts.mean * share)
        WHEN _is_elapsed(event) THEN max(counts.value)
        ELSE sum(counts.value)
      END AS value,
      sum(share) AS shares,
      sum(counts.counted) AS counted,
      sum(counts.samples) AS samples,
      sum(counts.lacking) AS lacking,
      bit_or(counts.numbers) AS numbers,
      min(counts.running) AS running,
      bool_or(is_rate) AS is_rate,
      bool_and(adds_up) AS adds_up,
      bool_or(is_whole) AS is_whole
    FROM by_share
    GROUP BY run_id, source_id, event, extent
    -- In a file, and in several of a run, the same can be counted more than once: the program as a
    -- whole, its processes, their threads, and by function. Only the widest is summed then.
    -- as a sum over a window this would read all samples twice
    QUALIFY rank() OVER (
      PARTITION BY run_id, event
      ORDER BY CASE WHEN bool_or(is_whole) THEN extent ELSE least(extent, -1) END DESC
    ) = 1
  ),

  by_source AS (
    SELECT
      run_id, source_id, event, any_value(unit) AS unit,
      CASE WHEN _is_elapsed(event) THEN max(value) ELSE sum(value) END AS value,
      sum(shares) AS shares,
      sum(counted) AS counted,
      sum(samples) AS samples,
      -- the samples without a value: how many, and the sum of their numbers, as which they are
      {'count': sum(samples) - sum(counted), 'numbers': sum(lacking)} AS lacking,
      bit_or(numbers) AS numbers,
      min(running) AS running,
      bool_or(is_rate) AS is_rate,
      bool_and(adds_up) AS adds_up
    FROM by_extent
    GROUP BY run_id, source_id, event
  ),

  by_mode AS (
    SELECT
      *,
      _core_type(event) AS core_type, _mode(event) AS mode,
      CASE
        WHEN _is_cycles(event) AND value > 0
          THEN {'value': value, 'lacking': lacking, 'numbers': numbers}
      END AS as_cycles
    FROM by_source
  ),

  -- where a tool counts cycles under several names, the largest
  by_core_type AS (
    SELECT
      *,
      max(as_cycles) FILTER (mode IS NULL) OVER source AS of_both,
      max(as_cycles) FILTER (mode = 'user') OVER source AS of_user,
      max(as_cycles) FILTER (mode = 'kernel') OVER source AS of_kernel,
      row_number() OVER (PARTITION BY run_id, source_id, core_type, mode) = 1 AS is_first
    FROM by_mode
    WINDOW source AS (PARTITION BY run_id, source_id, core_type)
  ),

  by_cycles AS (
    SELECT
      * EXCLUDE (of_both, of_user, of_kernel),
      _in_mode(
        mode, of_both, of_user, of_kernel,
        {
          'value': of_user.value + of_kernel.value, 'lacking': of_user.lacking,
          'numbers': of_user.numbers
        }
      ) AS cycles
    FROM by_core_type
  ),

  totals AS (
    SELECT
      run_id, event, any_value(unit) AS unit,
      CASE
        WHEN _is_extreme(event) THEN NULL
        WHEN NOT bool_and(adds_up) THEN sum(value) / sum(shares)
        WHEN _is_elapsed(event) THEN max(value)
        ELSE sum(value)
      END AS value,
      sum(value) FILTER (cycles IS NOT NULL) AS value_with_cycles,
      sum(cycles.value) FILTER (value IS NOT NULL) AS cycles,
      bool_and(
        numbers IS NOT DISTINCT FROM cycles.numbers
        AND (
          lacking IS NOT DISTINCT FROM cycles.lacking
          OR greatest(lacking.count, cycles.lacking.count) <= 0.01 * samples
        )
      ) FILTER (value IS NOT NULL AND cycles IS NOT NULL) AS is_together,
      any_value(all_cycles) AS all_cycles,
      sum(samples) AS samples,
      sum(samples) - sum(counted) AS not_counted,
      min(running) AS running,
      bool_or(is_rate) AS is_rate
    FROM (
      SELECT
        *,
        sum(cycles.value) FILTER (is_first) OVER (PARTITION BY run_id, core_type, mode)
          AS all_cycles
      FROM by_cycles
    )
    GROUP BY run_id, event
  )

SELECT
  run_id, event,
  value, -- Sum over the samples, of the program as a whole where it was counted so, else of what was counted of its processes, threads and regions; of time by the clock that of the thread in which it is longest; the mean over time of values of a moment (which have t_start and no t_end), and where the unit, or without one the name, is that of a ratio, rate, mean, frequency, power, temperature or per cent, of memory in use, and of the issue width. Of these, amounts per second, power, bytes in use and what processes have of the processors' time (% CPU) add up over threads, processors, ranks, sockets and GPUs, which are taken to run at the same time (of one that several files of a run have, the mean of the files), and the others are averaged over them. Samples count by their length (t_start and t_end, or seconds), where that is unknown alike. NULL of the smallest and largest values of regions (min#, max#), and of amounts per second of several devices that may be parts of one another (disks, interfaces).
  unit, -- Unit where the tool records one.
  -- by the cycles of the files that counted the event, where they counted cycles; sums of other
  -- samples say nothing of each other
  CASE
    WHEN is_rate OR _is_elapsed(event) OR _is_extreme(event) OR NOT is_together THEN NULL
    WHEN cycles > 0 THEN value_with_cycles / cycles
    WHEN all_cycles > 0 THEN value / all_cycles
  END AS per_cycle, -- Sum of the event over the sum of the cycles that the same files counted, or else those of the run; on a hybrid processor those of the same kind of cores, of events of one mode (instructions:u) those of that mode. NULL where either was not counted in samples in which the other was, beyond 1 % of them (pmu_per_cycle has each sample).
  CAST(samples AS BIGINT) AS samples, -- Samples.
  CAST(not_counted AS BIGINT) AS not_counted, -- Samples in which the event was not counted.
  running -- Smallest share of the time in which the event was on a counter, 0..1.
FROM totals;
