-- requires: flags, functions
--
-- The mechanism of a change: more work, slower work, waiting; in this order, each with what would
-- refute it.

-- What an event or a metric of a benchmark shows of how a program runs, by its name in lower case
-- without processor and modifier. Of several names of one role the first counts.
CREATE OR REPLACE VIEW _roles AS
WITH
  named (role, place, name) AS (
    VALUES
      ('processor', 0, 'task-clock'), ('processor', 1, 'cpu-clock'), ('user', 0, 'user'),
      ('kernel', 0, 'system'), ('delay', 0, 'run_delay'), ('instructions', 0, 'instructions'),
      ('instructions', 1, 'papi_tot_ins'), ('instructions', 2, 'ir'), ('cycles', 0, 'cycles'),
      ('cycles', 1, 'papi_tot_cyc'), ('memory', 0, 'longest_lat_cache.miss'),
      ('memory', 1, 'cache-misses'), ('memory', 2, 'l3_misses'), ('memory', 3, 'papi_l3_tcm'),
      ('memory', 4, 'll_cache_miss_rd'), ('memory', 5, 'dlmr'),
      ('cache', 0, 'l1-dcache-load-misses'), ('cache', 1, 'papi_l1_dcm'), ('cache', 2, 'd1mr'),
      ('branches', 0, 'branch-misses'), ('branches', 1, 'papi_br_msp'), ('branches', 2, 'bcm'),
      ('branches', 3, 'mispredicts'), ('translations', 3, 'dtb_misses'),
      ('translations', 0, 'dtlb-load-misses'), ('translations', 1, 'dtlb_misses'),
      ('translations', 2, 'papi_tlb_dm'), ('faults', 0, 'page-faults'),
      ('faults', 1, 'minor_page_faults'), ('reads_back', 0, 'major_page_faults'),
      ('reads_back', 1, 'major-faults'), ('switches', 0, 'voluntary_context_switches'),
      ('switches', 1, 'context-switches'), ('preemptions', 0, 'involuntary_context_switches'),
      ('writes', 0, 'file_system_outputs'), ('reads', 0, 'file_system_inputs')
  )

FROM named
UNION ALL
SELECT n.role, n.place, a.alias
FROM named AS n
JOIN event_aliases AS a ON n.name = a.event AND a.factor = 1
ANTI JOIN named AS o ON o.name = a.alias;

-- The name by which a metric has a role.
CREATE OR REPLACE MACRO _role_name(metric) AS CASE
  WHEN starts_with(metric, 'counter:') THEN lower(_plain_event(substr(metric, 9)))
  WHEN starts_with(metric, 'metric:') THEN substr(metric, 8)
END;

-- How much of the growth of a whole, in logarithms, is that of a part: 1 where both grow alike.
CREATE OR REPLACE MACRO _growth(part, whole) AS
  CASE WHEN part > 0 AND whole > 0 AND whole <> 1 THEN ln(part) / ln(whole) END;

-- The seconds that a time grows by at a ratio, of evidence with its seconds before.
CREATE OR REPLACE MACRO _more_seconds(one, ratio) AS one.seconds * (ratio - 1);

-- A ratio of amounts as it is read: 3.1 times the cache-misses, 25 % more instructions.
CREATE OR REPLACE MACRO _as_many(ratio, what) AS CASE
  WHEN ratio >= 2 THEN format('{:.3g} times the {}', ratio, what)
  WHEN ratio >= 1 THEN format('{:.3g} % more {}', 100 * (ratio - 1), what)
  ELSE format('{:.3g} % fewer {}', 100 * (1 - ratio), what)
END;

CREATE OR REPLACE MACRO _as_percent(share) AS format('{:.3g} %', 100 * least(share, 1));

-- Of some roles the first that changed for certain, as the flag of that place in `codes`, with what was
-- counted.
CREATE OR REPLACE MACRO _first_cause(causes, roles, codes, args) AS list_transform(
  list_filter(causes, lambda cause: list_contains(roles, cause.role))[:1],
  lambda cause: _flag(
    codes[list_position(roles, cause.role)],
    map_concat(args, MAP {'what': _as_many(cause.ratio, cause.name)})
  )
)[1];

-- What a function does, or waits for, by its name: a system call or the function of a library that is
-- one, a part of a garbage collector, or of the kernel's memory management.
CREATE OR REPLACE MACRO _doing(function) AS CASE
  WHEN function IS NULL THEN NULL
  WHEN regexp_matches(function, '\b(?:clock_)?(?:nano|u)?sleep\b') THEN 'sleeps'
  WHEN regexp_matches(function, '\b(?:fsync|fdatasync|msync|sync_file_range|syncfs)\b') THEN 'waits_disk'
  WHEN regexp_matches(
    function, '(?i)\b(?:futex\w*|pthread_(?:mutex_lock|cond_\w*wait|rwlock_\w+lock)|sem_wait|lock_wait)\b|[_.]thread\.\w*lock'
  ) THEN 'waits_lock'
  WHEN regexp_matches(function, '\b(?:epoll_wait|poll|ppoll|select|pselect|recv\w*|accept4?|connect)\b')
    THEN 'waits_others'
  WHEN regexp_matches(
    function,
    '\(garbage collector\)|\bgc\.collect\b|\bgc_collect\w*|\bruntime\.(?:gc[A-Z]\w*|scan(?:object|block|stack)|greyobject|markroot\w*|sweepone|wbBufFlush\w*)|^(?:visit_(?:decref|reachable)|subtract_refs|deduce_unreachable)$|\bGC_\w+|\b(?:MarkCompact|Scavenge)\w*'
  ) THEN 'collects_garbage'
  WHEN regexp_matches(
    function,
    '^(?:clear_page(?:_\w+)?|clear_huge_page|(?:asm_)?exc_page_fault|do_(?:user_addr_fault|anonymous_page)|(?:__)?handle_mm_fault|(?:__)?alloc_pages\w*|get_page_from_freelist|rmqueue\w*|zap_pte_range|unmap_page_range|free_(?:unref|pcp)\w*|release_pages|(?:try_)?charge_memcg|lru_add\w*)$'
  ) THEN 'touches_memory'
END;

-- The mechanism of a change, a flag, from its evidence `e`: the function, and whether it is new, with
-- its calls; the shares of the change that are off the processor, in the kernel, and ready to run more
-- than the time on the processor tells (delayed); of the change without such delay that off the
-- processor (waited), which the growth of the time there refutes (worked, for certain is_work); of the change on the processor that in the kernel (kernel_part); of the growth of the function's time that of its calls,
-- of the growth of the main metric that of instructions and cycles; and what else changed for
-- certain, in the same direction: `causes`, a list of role, ratio and name, the largest first.
-- More than half of a growth is what explains it; less than a quarter is what refutes it: at the far
-- end of its interval still more than a quarter, or less than half.
CREATE OR REPLACE MACRO _mechanism(e) AS CASE
  WHEN
    e.doing IN ('collects_garbage', 'touches_memory')
    OR e.doing IS NOT NULL AND NOT coalesce(e.waited <= 0.25 AND e.waited_most < 0.5, false)
    THEN _flag(e.doing)
  WHEN e.is_new AND e.calls_after > 0
    THEN _flag('first_calls', MAP {'calls': format('{:,}', CAST(e.calls_after AS BIGINT))})
  WHEN e.calls >= 0.5 THEN _flag('more_calls', MAP {'calls': _as_many(e.calls_ratio, 'calls')})
  -- threads of its own that work more take it, too
  WHEN e.delayed >= 0.5 AND coalesce(e.worked < 0.5, true)
    -- of a quarter of the change or less nothing is said
    THEN _flag(
      if(e.delayed < 0.75, 'waits_processor_partly', 'waits_processor'),
      MAP {'share': _as_percent(e.delayed)}
    )
  WHEN e.waited >= 0.5 AND e.waited_least > 0.25 AND coalesce(e.worked < 0.5, true) THEN coalesce(
    _first_cause(
      e.causes, ['writes', 'reads', 'reads_back', 'preemptions', 'switches'],
      ['waits_writes', 'waits_reads', 'waits_reads_back', 'waits_preemptions', 'waits_switches'],
      MAP {'share': _as_percent(e.off_processor)}
    ),
    _flag('waits', MAP {'share': _as_percent(e.off_processor), 'how': if(e.is_more, 'more', 'less')})
  )
  WHEN e.kernel_part >= 0.5 AND e.kernel_least > 0.25 THEN coalesce(
    _first_cause(
      e.causes, ['faults', 'writes', 'reads', 'switches'],
      ['kernel_faults', 'kernel_writes', 'kernel_reads', 'kernel_switches'],
      MAP {'share': _as_percent(e.in_kernel)}
    ),
    _flag('kernel', MAP {'share': _as_percent(e.in_kernel)})
  )
  WHEN e.is_count THEN _flag('more_work', MAP {'how': if(e.is_more, 'more', 'less')})
  WHEN e.instructions >= 0.5 AND e.instructions_least > 0.25
    THEN _flag('more_instructions', MAP {'instructions': _as_many(e.instructions_ratio, 'instructions')})
  WHEN e.instructions <= 0.25 AND e.instructions_most < 0.5 THEN coalesce(
    _first_cause(
      e.causes, ['memory', 'cache', 'branches', 'translations', 'faults'],
      [
        'slower_memory', 'slower_cache', 'slower_branches', 'slower_translations', 'slower_faults'
      ],
      MAP {}
    ),
    CASE
      WHEN e.cycles <= 0.25 THEN _flag('slower_clock', MAP {'cycles': _as_many(e.cycles_ratio, 'cycles')})
      WHEN e.cycles IS NOT NULL THEN _flag('slower_instructions')
    END,
    _flag('same_instructions')
  )
  WHEN e.calls <= 0.25 THEN _flag('slower_calls', MAP {'how': if(e.is_more, 'longer', 'less time')})
  WHEN (e.waited <= 0.25 AND e.waited_most < 0.5 OR e.is_work) AND e.instructions IS NULL
    THEN _flag('works_longer', MAP {'how': if(e.is_more, 'longer', 'less time')})
  WHEN coalesce(e.calls, e.waited, e.instructions) IS NOT NULL THEN _flag('cause_undecided')
  ELSE _flag('cause_unknown')
END;
