-- requires: flags
--
-- What limits each launch of a kernel, by what Nsight Compute measured and by what its rules state.
--
-- Each candidate has a share: that of the peak which it reaches, that of a warp's time which is
-- waited for it, or that of the multiprocessors which it leaves idle. The largest is the answer, if it
-- is .3 or more. Which metric and which stall tells what is in Nsight Compute's Kernel Profiling
-- Guide and in its rules (SOLBottleneck: 60 % of a peak are enough to limit).

-- The figures of a launch by the names in pages details and raw.
CREATE OR REPLACE VIEW _kernel_figures AS
WITH
  named (figure, event) AS (
    SELECT figure, unnest(events)
    FROM (
      VALUES
        ('dram', ['dram throughput', 'sol dram', 'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed']),
        ('l2', ['l2 cache throughput', 'sol l2 cache', 'lts__throughput.avg.pct_of_peak_sustained_elapsed']),
        ('l2_busiest', ['lts__throughput.max.pct_of_peak_sustained_elapsed']),
        ('l1', ['l1/tex cache throughput', 'sol l1/tex cache', 'l1tex__throughput.avg.pct_of_peak_sustained_active']),
        ('memory', [
          'memory throughput [%]', 'memory [%]', 'sol memory',
          'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed'
        ]),
        ('issued', ['issue slots busy', 'sm__inst_issued.avg.pct_of_peak_sustained_elapsed']),
        ('eligible', ['one or more eligible', 'smsp__issue_active.avg.pct_of_peak_sustained_active']),
        ('pipes', ['sm busy', 'sm__instruction_throughput.avg.pct_of_peak_sustained_elapsed']),
        ('compute', ['compute (sm) throughput', 'compute (sm) [%]', 'sm [%]', 'sol sm', 'sm__throughput.avg.pct_of_peak_sustained_elapsed']),
        ('lanes', ['avg. active threads per warp', 'smsp__thread_inst_executed_per_inst_executed.ratio']),
        ('occupancy', ['achieved occupancy', 'sm__warps_active.avg.pct_of_peak_sustained_active']),
        ('possible', ['theoretical occupancy', 'sm__maximum_warps_per_active_cycle_pct']),
        ('grid', ['grid size', 'launch__grid_size']),
        ('multiprocessors', ['# sms', 'launch__sm_count', 'device__attribute_multiprocessor_count']),
        ('active', ['sm active cycles', 'sm__cycles_active.avg']),
        ('elapsed', ['elapsed cycles', 'gpc__cycles_elapsed.max', 'sm__cycles_elapsed.max']),
        ('cpi', ['warp cycles per issued instruction', 'smsp__average_warp_latency_per_inst_issued.ratio']),
        ('spills', ['local memory spilling request overhead', 'derived__local_spilling_requests_pct']),
        ('of_local', ['memorycacheaccesspattern: local']),
        ('conflicts', [
          'sharedmemoryconflicts, estimated speedup (global)',
          'uncoalescedsharedaccess, estimated speedup (global)'
        ]),
        ('shared', ['l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed']),
        ('shared_bytes', [
          'static shared memory per block', 'dynamic shared memory per block',
          'launch__shared_mem_per_block_static', 'launch__shared_mem_per_block_dynamic'
        ]),
        ('slices', ['workloadimbalance: l2 slices']),
        ('diverging', ['threaddivergence, estimated speedup (global)']),
        ('plain_requests', [
          'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum', 'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum'
        ]),
        ('atomic_requests', [
          'l1tex__t_requests_pipe_lsu_mem_global_op_red.sum', 'l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum'
        ]),
        ('local_requests', [
          'l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum', 'l1tex__t_requests_pipe_lsu_mem_local_op_st.sum'
        ]),
        ('shared_atomics', ['l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum.pct_of_peak_sustained_elapsed'])
    ) AS t(figure, events)
  ),

  -- shares of a warp's time: rules state them, the raw page has cycles
  stalls AS (
    SELECT
      run_id, region, sample, value,
      regexp_extract(
        event, '(?:CPIStall: |^smsp__average_warps_issue_stalled_)(\w+?)(?:_per_issue_active\.ratio)?$', 1
      ) AS stall,
      starts_with(event, 'CPIStall') AS is_share
    FROM pmu_samples
    WHERE starts_with(event, 'CPIStall: ')
      OR event LIKE 'smsp\_\_average\_warps\_issue\_stalled\_%\_per\_issue\_active.ratio' ESCAPE '\'
  ),

  waited AS (
    SELECT
      run_id, region, sample,
      map_from_entries(
        list({'key': stall, 'value': if(is_share, value / 100, value / nullif(cycles, 0))})
      ) AS waits
    FROM (
      SELECT
        run_id, region, sample, stall, bool_or(is_share) AS is_share, max(value) AS value,
        sum(max(value)) FILTER (NOT bool_or(is_share)) OVER (PARTITION BY run_id, region, sample)
          AS cycles
      FROM stalls
      WHERE stall <> ''
      GROUP BY run_id, region, sample, stall
    )
    GROUP BY run_id, region, sample
  ),

  figures AS (
    SELECT
      s.run_id, s.region, s.sample, n.figure,
      CASE WHEN n.figure LIKE '%\_requests' ESCAPE '\' OR n.figure = 'shared_bytes'
        THEN sum(s.value) ELSE max(s.value) END AS value
    FROM pmu_samples AS s
    JOIN named AS n ON lower(s.event) = n.event
    WHERE s.value IS NOT NULL
    GROUP BY s.run_id, s.region, s.sample, n.figure
  ),

  launches AS (
    SELECT
      run_id, region, sample,
      map_from_entries(list({'key': figure, 'value': value})) AS f
    FROM figures
    GROUP BY run_id, region, sample
    HAVING f['memory'] IS NOT NULL AND f['compute'] IS NOT NULL
  )

SELECT l.run_id, l.region, l.sample, l.f, coalesce(w.waits, MAP {}) AS w
FROM launches AS l
LEFT JOIN waited AS w
  ON l.run_id = w.run_id AND l.region = w.region AND l.sample IS NOT DISTINCT FROM w.sample;

CREATE OR REPLACE MACRO _limit_percent(share) AS format('{:.3g} %', 100 * share);

CREATE OR REPLACE VIEW kernel_limits AS -- One row is a launch of a GPU kernel that Nsight Compute measured, and what limits it, or what is second to that.
WITH
  shares AS (
    SELECT
      run_id, region, sample, f,
      -- of a warp's time: it waits for global or local memory; for barriers; for shared memory
      coalesce(w['long_scoreboard'], 0) + coalesce(w['lg_throttle'], 0) + coalesce(w['drain'], 0)
        + coalesce(w['membar'], 0) + coalesce(w['tex_throttle'], 0) AS for_memory,
      coalesce(w['barrier'], 0) AS for_barriers,
      coalesce(w['mio_throttle'], 0) + coalesce(w['short_scoreboard'], 0) AS for_shared,
      coalesce(w['branch_resolving'], 0) AS for_branches,
      -- L1 serves shared memory, too
      greatest(
        coalesce(f['dram'], 0), coalesce(f['l2'], 0),
        if(coalesce(f['shared_bytes'], 0) = 0, f['memory'], coalesce(f['memory'] - f['shared'], 0))
      ) / 100 AS bandwidth,
      coalesce(f['l1'], f['memory']) / 100 AS l1,
      coalesce(f['pipes'], f['compute']) / 100 AS pipes,
      coalesce(f['eligible'], f['issued'], f['compute']) / 100 AS issued,
      least(coalesce(f['lanes'], 32) / 32, 1) AS lanes,
      coalesce(f['occupancy'], 100) / 100 AS occupancy,
      coalesce(f['possible'], 100) / 100 AS possible,
      f['grid'] / f['multiprocessors'] AS blocks,
      f['active'] / nullif(f['elapsed'], 0) AS active,
      f['plain_requests'] + coalesce(f['atomic_requests'], 0) + coalesce(f['local_requests'], 0)
        AS requests
    FROM _kernel_figures
  ),

  -- how much of the time on memory is that of local memory, and of atomic operations
  parts AS (
    SELECT
      *,
      coalesce(
        f['local_requests'] / nullif(requests, 0),
        greatest(coalesce(f['spills'], 0), coalesce(f['of_local'], 0)) / 100
      ) AS of_local,
      coalesce(
        f['atomic_requests'] / nullif(requests, 0),
        -- one slice of L2 is busy, and the rest idle: all add to the same place
        CASE WHEN coalesce(f['dram'], 0) < 10 THEN f['slices'] / 100 END,
        0
      ) AS of_atomics,
      greatest(bandwidth, for_memory) AS on_memory
    FROM shares
  ),

  candidates AS (
    SELECT
      run_id, region, sample, f,
      unnest([
        {
          'code': 'few_blocks', 'share': if(blocks < 1, 1 - blocks, 0),
          'args': MAP {
            'blocks': format('{:d}', CAST(f['grid'] AS BIGINT)),
            'multiprocessors': format('{:d}', CAST(f['multiprocessors'] AS BIGINT))
          }
        },
        {
          'code': 'tail', 'share': if(coalesce(blocks, 1) >= 1 AND f['elapsed'] >= 20000, 1 - active, 0),
          'args': MAP {'idle': _limit_percent(1 - active)}
        },
        {
          'code': 'divergence',
          'share': (1 - lanes) * (issued + (1 - issued) * for_branches) * (1 - bandwidth),
          'args': MAP {'lanes': format('{:.3g}', 32 * lanes)}
        },
        {
          'code': 'barriers', 'share': for_barriers,
          'args': MAP {'waits': _limit_percent(for_barriers)}
        },
        {
          'code': 'shared_memory',
          'share': CASE WHEN f['shared_bytes'] > 0 OR f['conflicts'] > 0 THEN greatest(
            least(l1, coalesce(f['conflicts'], 0) / 100), coalesce(f['shared'], 0) / 100,
            for_shared * l1
          ) ELSE 0 END * (1 - coalesce(f['shared_atomics'] / nullif(f['shared'], 0), 0)),
          'args': MAP {'l1': _limit_percent(l1)}
        },
        {
          'code': 'atomics',
          'share': greatest(
            of_atomics * greatest(on_memory, coalesce(f['l2_busiest'], 0) / 100),
            coalesce(f['shared_atomics'], 0) / 100
          ),
          'args': MAP {'memory': _limit_percent(for_memory)}
        },
        {
          'code': 'local_memory', 'share': of_local * greatest(on_memory, l1),
          'args': MAP {'requests': _limit_percent(of_local)}
        },
        {
          'code': 'memory_bandwidth',
          'share': bandwidth * (1 - of_local) * (1 - of_atomics),
          'args': MAP {'dram': _limit_percent(f['dram'] / 100), 'l2': _limit_percent(f['l2'] / 100)}
        },
        {
          'code': 'memory_latency',
          'share': for_memory * (1 - bandwidth) * (1 - of_local) * (1 - of_atomics)
            -- more warps would hide it, where registers or shared memory allow few
            * if(possible < .4, .75, 1),
          'args': MAP {'waits': _limit_percent(for_memory)}
        },
        {
          'code': 'compute', 'share': pipes * lanes, 'args': MAP {'pipes': _limit_percent(pipes)}
        },
        {
          'code': 'occupancy',
          'share': if(f['elapsed'] < 5000, 0, 1) * (1 - occupancy) * (1 - issued) * (1 - bandwidth)
            * if(possible < .4, 1, 1 - for_memory) * (1 - for_barriers) * (1 - for_shared),
          'args': MAP {
            'occupancy': _limit_percent(occupancy), 'possible': _limit_percent(possible)
          }
        }
      ], recursive := false) AS c
    FROM parts
  ),

  ranked AS (
    SELECT
      run_id, region, sample, c,
      row_number() OVER (
        PARTITION BY run_id, region, sample ORDER BY c.share DESC NULLS LAST, c.code
      ) AS place
    FROM candidates
  )

SELECT
  run_id,
  sample AS launch, -- Launch (pmu_samples.sample); NULL where launches are summed up.
  region AS kernel,
  CAST(place AS INTEGER) AS place, -- 1 for what limits it, 2 for what is second and has a share of .3 or more.
  if(c.share >= .3, c.code, 'unknown') AS code, -- memory_bandwidth, memory_latency, compute, shared_memory, local_memory (spilled registers, arrays of a thread), divergence (threads of a warp part), atomics, barriers, few_blocks (fewer than multiprocessors), tail (few blocks run on while most multiprocessors are idle), occupancy (too few warps to hide latencies), or unknown.
  if(c.share >= .3, c.args, MAP {}) AS args, -- Figures behind it.
  if(c.share >= .3, c.share, NULL) AS share -- Share of a peak that is reached, of the time that is waited, or of multiprocessors that are idle, 0..1; NULL for unknown.
FROM ranked
WHERE place = 1 OR place = 2 AND c.share >= .3;
