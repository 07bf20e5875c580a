-- requires: flags
--
-- Shares of issue slots by top-down analysis: as shares of all slots, and the class that follows.
--
-- Tools write the parts of level 2 as shares of all slots or of their category; which of these is
-- seen by their sum, or as one part is larger than its category. Where only one of two parts was counted,
-- the other is the rest.

CREATE OR REPLACE MACRO _of_slots(part, other, category) AS CASE
  WHEN part IS NULL AND other > category + 0.02 THEN category * (1 - other)
  WHEN part IS NULL AND other > category THEN 0
  WHEN part IS NULL THEN category - other
  WHEN other IS NULL AND part > category + 0.02 THEN category * part
  WHEN other IS NOT NULL AND abs(part + other - 1) < abs(part + other - category)
    THEN part * category
  ELSE part
END;

-- A category; of a recording of level 2 only its parts are shares of all slots where they add up to these.
CREATE OR REPLACE MACRO _of_category(shares, whole, part, other) AS coalesce(
  shares[whole],
  CASE
    WHEN coalesce(
      shares['retiring'], shares['bad_speculation'], shares['frontend_bound'], shares['backend_bound']
    ) IS NULL
      AND abs(
        shares['branch_mispredict'] + shares['machine_clears'] + shares['frontend_latency']
          + shares['frontend_bandwidth'] + shares['memory_bound'] + shares['core_bound']
          + shares['light_operations'] + shares['heavy_operations']
          + coalesce(shares['smt_contention'], 0) - 1
      ) < 0.05
      THEN shares[part] + shares[other]
  END
);

-- Shares as tools write them, by name, as shares of all slots.
CREATE OR REPLACE MACRO _slots(shares) AS map_concat(
  shares,
  MAP {
    'retiring': _of_category(shares, 'retiring', 'light_operations', 'heavy_operations'),
    'bad_speculation':
      _of_category(shares, 'bad_speculation', 'branch_mispredict', 'machine_clears'),
    'frontend_bound':
      _of_category(shares, 'frontend_bound', 'frontend_latency', 'frontend_bandwidth'),
    'backend_bound': _of_category(shares, 'backend_bound', 'memory_bound', 'core_bound')
  },
  map_from_entries(
    list_transform(
      [
        ['bad_speculation', 'branch_mispredict', 'machine_clears'],
        ['bad_speculation', 'machine_clears', 'branch_mispredict'],
        ['frontend_bound', 'frontend_latency', 'frontend_bandwidth'],
        ['frontend_bound', 'frontend_bandwidth', 'frontend_latency'],
        ['backend_bound', 'memory_bound', 'core_bound'],
        ['backend_bound', 'core_bound', 'memory_bound'],
        ['retiring', 'light_operations', 'heavy_operations'],
        ['retiring', 'heavy_operations', 'light_operations']
      ],
      lambda n: {
        'k': n[2],
        'v': _of_slots(shares[n[2]], shares[n[3]], _of_category(shares, n[1], n[2], n[3]))
      }
    )
  )
);

-- What usually helps where a category, or a part of one, is large; the user's advice comes worst.
CREATE OR REPLACE MACRO _slot_advice(slot) AS (
  SELECT arg_min(c.advice, c.shipped) FROM slot_categories AS c WHERE c.name = slot
);

-- Whose events a metric set has. Intel alone publishes above which share of the slots a category
-- limits a program; tools that name no vendor use its categories.
CREATE OR REPLACE MACRO _slot_vendor(metric_set) AS CASE
  WHEN regexp_matches(metric_set, '^topdown-(amd|zen)') THEN 'AMD'
  WHEN metric_set LIKE 'topdown-neoverse%' THEN 'Arm'
  ELSE 'Intel'
END;

-- The category that limits, with Intel's thresholds: of those that lose more than theirs the largest;
-- retiring where none does, or 70 % retire.
CREATE OR REPLACE MACRO _slot_limit(s) AS CASE
  WHEN s['retiring'] <= 0.7 THEN coalesce(
    list_sort(
      list_filter(
        [
          {'share': s['bad_speculation'], 'least': 0.15, 'name': 'bad_speculation'},
          {'share': s['frontend_bound'], 'least': 0.15, 'name': 'frontend_bound'},
          {'share': s['backend_bound'], 'least': 0.2, 'name': 'backend_bound'}
        ],
        lambda l: l.share > l.least
      ),
      'DESC'
    )[1].name,
    'retiring'
  )
  ELSE 'retiring'
END;

-- How likely a difference of shares is above zero, where counters measure shares to about 2 %, and
-- worse where they took turns.
CREATE OR REPLACE MACRO _likely(difference, running, doubt) AS
  1 / (1 + exp(-1.702 * difference / (0.02 + 0.03 * least(1 / coalesce(running, 1) - 1, 4) + doubt)));

-- Cycles in which instructions are fetched from beyond the first cache, by usual costs: 14 from the
-- second, 40 where they miss there. Of misses alone, or of fetches alone, what these cost.
CREATE OR REPLACE MACRO _fetch_cost(m) AS
  coalesce(14 * m['L2ICAPC'] + 26 * m['L2ICMPC'], 40 * m['L2ICMPC'], 14 * m['L2ICAPC']);

-- What counts shares of issue slots, with what carries the largest, by vendor; else the misses of
-- generic events.
CREATE OR REPLACE MACRO _slot_commands() AS [
  {
    'pattern': 'intel|xeon|core\(tm\)|tma_|topdown-[^aznp]',
    'command': 'Intel: perf stat -M TopdownL1,TopdownL2 COMMAND'
  },
  {
    'pattern': '\bamd|-amd|epyc|ryzen|zen',
    'command': 'AMD Zen 4 and newer: perf stat -M PipelineL1,PipelineL2 COMMAND'
  },
  {
    'pattern': 'neoverse|graviton|altra|grace|axion|cobalt|aarch64|\barm|0x41 ',
    'command': 'Arm Neoverse: perf stat -e cpu_cycles,op_retired,op_spec,stall_slot_frontend,'
      || 'stall_slot_backend,stall_backend,stall_backend_mem,br_mis_pred,l1i_cache_refill,dtlb_walk '
      || 'COMMAND'
  },
  {
    'pattern': 'zen [123]\b|epyc 7\d\d[123]|neoverse-n1|altra|graviton2|riscv|\bpower ?\d',
    'command': 'others: perf stat -e cycles,instructions,branch-misses,cache-misses,'
      || 'dTLB-load-misses,L1-icache-load-misses COMMAND'
  }
];

-- Those for a processor, by a text with its name or those of its events; of an unknown one all.
CREATE OR REPLACE MACRO _slot_command(described) AS array_to_string(
  list_transform(
    coalesce(
      nullif(
        list_filter(
          _slot_commands(),
          lambda c: regexp_matches(described, c.pattern, 'i')
        ),
        []
      ),
      _slot_commands()
    ),
    lambda c: c.command
  ),
  '; '
);

-- The class of a sample by shares of its issue slots: what carries the category that limits, Balance
-- for retiring. Counts of misses at hand, per cycle, stand for shares that were not counted, by usual
-- costs, and with more doubt. One struct: class, its probability, drivers, slot (what advice is for),
-- rules, reason.
CREATE OR REPLACE MACRO _slot_class(slots, misses, running, command) AS (
  WITH
    _slot_given AS (
      SELECT
        slots AS s, misses AS m, running AS r, command AS c,
        slots['memory_bound'] IS NULL AS is_estimated
    ),

    _slot_ranked AS (
      SELECT
        *,
        list_sort(
          [
            {'over': s['bad_speculation'] > 0.15, 'share': s['bad_speculation'], 'least': 0.15, 'name': 'bad_speculation'},
            {'over': s['frontend_bound'] > 0.15, 'share': s['frontend_bound'], 'least': 0.15, 'name': 'frontend_bound'},
            {'over': s['backend_bound'] > 0.2, 'share': s['backend_bound'], 'least': 0.2, 'name': 'backend_bound'}
          ],
          'DESC'
        ) AS lost
      FROM _slot_given
    ),

    _slot_named AS (
      SELECT
        s, r, c, lost[1] AS worst, lost[2] AS other,
        _slot_limit(s) AS category,
        -- misses of the last cache alone tell the class of 80 % of real programs
        CASE WHEN is_estimated THEN 0.8 ELSE 1 END AS trust,
        coalesce(
          s['memory_bound'],
          CASE WHEN m['MEMAPC'] IS NOT NULL THEN least(s['backend_bound'], 100 * m['MEMAPC']) END
        ) AS memory,
        coalesce(s['core_bound'], s['backend_bound'] - memory) AS core,
        coalesce(s['page_walks'], 30 * m['DTBMPC']) AS walks,
        coalesce(s['fetch_misses'], _fetch_cost(m)) AS fetches
      FROM _slot_ranked
      WHERE s['retiring'] + s['bad_speculation'] + s['frontend_bound'] + s['backend_bound']
        IS NOT NULL
    ),

    -- of the loss that is largest, and whether another loss, or none, is as likely
    _slot_judged AS (
      SELECT
        s, category, c,
        CASE category WHEN 'retiring' THEN s['retiring'] ELSE worst.share END AS share,
        CASE category
          WHEN 'retiring' THEN greatest(
            _likely(s['retiring'] - 0.7, r, 0),
            1 - _likely(
              greatest(
                s['bad_speculation'] - 0.15, s['frontend_bound'] - 0.15, s['backend_bound'] - 0.2
              ),
              r, 0
            )
          )
          ELSE _likely(worst.share - worst.least, r, 0)
            * CASE WHEN other.over THEN _likely(worst.share - other.share, r, 0) ELSE 1 END
        END AS of_category,
        CASE category
          WHEN 'retiring' THEN {'class': 'Balance', 'likely': 1.0}
          WHEN 'bad_speculation' THEN {'class': 'Other', 'likely': 1.0}
          WHEN 'frontend_bound' THEN CASE
            WHEN fetches >= 0.05 AND fetches >= worst.share / 3 THEN {
              'class': 'ICache',
              'likely': _likely(fetches - greatest(0.05, worst.share / 3), r, 0.02)
            }
            WHEN fetches IS NOT NULL THEN {
              'class': 'Other',
              'likely': _likely(greatest(0.05, worst.share / 3) - fetches, r, 0.02)
            }
            WHEN s['frontend_bandwidth'] > s['frontend_latency'] THEN {
              'class': 'Other',
              'likely': _likely(s['frontend_bandwidth'] - s['frontend_latency'], r, 0)
            }
          END
          WHEN 'backend_bound' THEN CASE
            WHEN memory >= core AND walks >= greatest(0.1, memory / 2) THEN {
              'class': 'DTB',
              'likely': trust * _likely(memory - core, r, 0)
                * _likely(walks - greatest(0.1, memory / 2), r, 0.02)
            }
            WHEN memory >= core THEN {
              'class': 'Mem',
              'likely': trust * _likely(memory - core, r, 0)
                * coalesce(_likely(greatest(0.1, memory / 2) - walks, r, 0.02), 0.9)
            }
            WHEN memory < core THEN {
              'class': 'Other',
              'likely': trust * _likely(core - memory, r, 0)
            }
          END
        END AS found,
        CASE category
          WHEN 'backend_bound'
            THEN CASE WHEN memory >= core THEN 'memory_bound' WHEN memory < core THEN 'core_bound' END
          WHEN 'frontend_bound' THEN CASE
            WHEN s['frontend_latency'] >= s['frontend_bandwidth'] THEN 'frontend_latency'
            WHEN s['frontend_latency'] < s['frontend_bandwidth'] THEN 'frontend_bandwidth'
          END
          WHEN 'bad_speculation' THEN CASE
            WHEN s['branch_mispredict'] >= s['machine_clears'] THEN 'branch_mispredict'
            WHEN s['branch_mispredict'] < s['machine_clears'] THEN 'machine_clears'
          END
        END AS part
      FROM _slot_named
    )

  SELECT {
    'class': CASE WHEN of_category * found.likely >= 0.7 THEN found.class ELSE 'Unknown' END,
    'probability': CASE
      WHEN of_category * found.likely >= 0.7 THEN least(of_category * found.likely, 0.99)
    END,
    'drivers': list_filter(
      [{'metric': part, 'share': s[part]}, {'metric': category, 'share': share}],
      lambda d: d.share IS NOT NULL
    ),
    'slot': coalesce(part, category),
    'rules': 'top-down rules',
    'reason': CASE
      WHEN found IS NULL THEN _flag('slots_part_unknown', MAP {
        'category': replace(category, '_', ' '), 'share': CAST(round(100 * share) AS INTEGER) || ' %',
        'command': c
      })
      WHEN of_category * found.likely < 0.7 THEN _flag('slots_uncertain', MAP {
        'class': found.class, 'category': replace(category, '_', ' '),
        'probability': CAST(round(100 * of_category * found.likely) AS INTEGER) || ' %'
      })
    END
  }
  FROM _slot_judged
);

-- The class of a sample by counts without shares of issue slots: per cycle, by the usual cost of a
-- miss. Balance where 70 % of the issue width is used; else a loss of 20 % of the cycles that is three
-- times the next and not smaller than what the counts leave unexplained. bench_count_rules in tests/bench
-- has how often that is right: of simulated kernels 92 to 100 %; real programs differ more, so that the
-- probability is 80 % at most.
CREATE OR REPLACE MACRO _count_class(counts, running, command) AS (
  WITH
    _count_given AS (SELECT counts AS m, running AS r, command AS c),

    _count_losses AS (
      SELECT
        m, r, c,
        list_sort(
          list_filter(
            [
              {'share': 16 * m['BRMPC'], 'class': 'Other', 'metric': 'BRMPC', 'slot': 'bad_speculation'},
              {'share': 100 * m['MEMAPC'], 'class': 'Mem', 'metric': 'MEMAPC', 'slot': 'memory_bound'},
              {'share': 30 * m['DTBMPC'], 'class': 'DTB', 'metric': 'DTBMPC', 'slot': 'memory_bound'},
              {
                'share': _fetch_cost(m), 'class': 'ICache',
                'metric': CASE WHEN m['L2ICMPC'] IS NULL THEN 'L2ICAPC' ELSE 'L2ICMPC' END,
                'slot': 'frontend_latency'
              }
            ],
            lambda l: l.share IS NOT NULL
          ),
          'DESC'
        ) AS losses
      FROM _count_given
    ),

    _count_ranked AS (
      SELECT
        *,
        greatest(
          0.2, 3 * losses[2].share,
          CASE
            WHEN len(losses) < 4 THEN 1 - m['IPC'] - list_sum(list_transform(losses, lambda l: l.share))
          END
        ) AS least_loss
      FROM _count_losses
    ),

    _count_judged AS (
      SELECT
        c,
        CASE
          WHEN m['IPC'] >= 0.7 THEN {
            'class': 'Balance', 'metric': 'IPC', 'share': m['IPC'], 'slot': 'retiring',
            'likely': 0.8 * _likely(m['IPC'] - 0.7, r, 0.02)
          }
          WHEN m['IPC'] < 0.5 AND losses[1].share >= least_loss THEN {
            'class': losses[1].class, 'metric': losses[1].metric, 'share': least(losses[1].share, 1),
            'slot': losses[1].slot, 'likely': 0.8 * _likely(losses[1].share - least_loss, r, 0.02)
          }
        END AS found
      FROM _count_ranked
    )

  SELECT {
    'class': CASE WHEN found.likely >= 0.7 THEN found.class ELSE 'Unknown' END,
    'probability': CASE WHEN found.likely >= 0.7 THEN found.likely END,
    'drivers': CASE
      WHEN found IS NULL THEN [] ELSE [{'metric': found.metric, 'share': found.share}]
    END,
    'slot': found.slot,
    'rules': 'count rules',
    'reason': CASE
      WHEN coalesce(found.likely, 0) < 0.7 THEN _flag('counts_unclear', MAP {'command': c})
    END
  }
  FROM _count_judged
);

-- The class that rules name where no model was fitted: by shares of issue slots, else by counts; NULL
-- where the metrics are of neither kind.
CREATE OR REPLACE MACRO _rule_class(slots, counts, running, command) AS CASE
  WHEN slots IS NOT NULL THEN _slot_class(slots, counts, running, command)
  WHEN map_contains(counts, 'MEMAPC') AND map_contains(counts, 'BRMPC')
    THEN _count_class(counts, running, command)
END;
