-- A trace of instructions cut into segments; `trace` is what the reader found in the file.
    -- a segment ends where another thread continues
    changed AS (
        SELECT
            *,
            coalesce(thread, 0) IS DISTINCT FROM lag(coalesce(thread, 0)) OVER (ORDER BY place)
                AS begins
        FROM trace
    ),

    cut AS (
        SELECT
            *,
            CAST(sum(CAST(begins AS INTEGER)) OVER (ORDER BY place) AS BIGINT) - 1 AS segment
        FROM changed
    ),

    classified AS MATERIALIZED (
        SELECT
            place, segment, coalesce(thread, 0) AS thread, reads, writes, producers, cycle, taken,
            latency, row_number() OVER (PARTITION BY segment ORDER BY place) - 1 AS step,
            CASE
                WHEN lower("class") IN (
                    'int', 'mul', 'div', 'fp', 'fp_div', 'simd', 'load', 'store', 'branch',
                    'serialising', 'other'
                ) THEN lower("class")
                WHEN "class" IS NOT NULL
                    THEN error('the class ' || "class" || ' is not known: int, mul, div, fp, '
                        || 'fp_div, simd, load, store, branch, serialising and other are')
                WHEN regexp_matches(op, '^(dsb|dmb|isb|mfence|lfence|sfence|cpuid|serialize)')
                    THEN 'serialising'
                WHEN regexp_matches(op, '^(b|bl|blr|br|bx|blx|ret|cbn?z|tbn?z|call|loop.*|j[a-z]+|b\.?(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al))$')
                    THEN 'branch'
                WHEN regexp_matches(op, '^(ld[a-z0-9]*|vldr|vldm.*|pop.*|lods.*)$') THEN 'load'
                WHEN regexp_matches(op, '^(st[a-z0-9]*|vstr|vstm.*|push.*|stos.*)$') THEN 'store'
                WHEN regexp_matches(op, '^(fdiv|fsqrt|vdiv|vsqrt|divs|sqrt)') THEN 'fp_div'
                WHEN regexp_matches(op, '^([su]?div|idiv)$') THEN 'div'
                WHEN regexp_matches(op, '^(i?mulx?|[su]?mull?|madd|msub|mla|mls|[su]mul[lh]|[su]maddl)$')
                    THEN 'mul'
                WHEN regexp_matches(op, '^v?(p[a-z]{3,}|[a-z]+p[sd])$') AND NOT op LIKE 'pre%'
                    THEN 'simd'
                WHEN regexp_matches(op, '^(f[a-z]+|v?[a-z]+s[sd]|v?cvt.*|v(add|sub|mul|mov|cmp|abs|neg|mla)(\.f(32|64))?)$')
                    THEN 'fp'
                WHEN op IN ('nop', 'hint', 'yield', 'pause', 'endbr64') THEN 'other'
                ELSE 'int'
            END AS kind
        FROM (SELECT *, lower(trim(opcode)) AS op FROM cut)
    ),

    read AS (
        SELECT segment, step, unnest(regexp_extract_all(lower(reads), '[^\s,;]+')) AS register
        FROM classified
        WHERE reads IS NOT NULL
    ),

    written AS (
        SELECT segment, step, unnest(regexp_extract_all(lower(writes), '[^\s,;]+')) AS register
        FROM classified
        WHERE writes IS NOT NULL
    ),

    -- the latest writer of each register that an instruction reads
    fed AS (
        SELECT r.segment, r.step, r.step - w.step AS distance
        FROM read AS r
        ASOF JOIN written AS w
            ON r.segment = w.segment AND r.register = w.register AND r.step > w.step
        UNION ALL
        SELECT
            segment, step,
            CAST(unnest(regexp_extract_all(producers, '[0-9]+')) AS BIGINT) AS distance
        FROM classified
        WHERE producers IS NOT NULL
    ),

    sources AS (
        SELECT
            segment, step, CAST(list(distance) AS INTEGER[]) AS distances,
            min(distance) AS nearest
        FROM fed
        WHERE distance BETWEEN 1 AND 1000000000
        GROUP BY segment, step
    ),

    -- latencies that the trace does not state: those of a core that is not known
    latencies AS (
        SELECT unnest(['load', 'store', 'other']) AS kind,
            unnest([max(latency) FILTER (class = 'memory'), 1, 1]) AS cycles
        FROM core_units
        WHERE core = '*'
        UNION ALL
        SELECT class, latency FROM core_units WHERE core = '*'
    ),

    linked AS MATERIALIZED (
        SELECT
            c.segment, c.step, coalesce(s.distances, CAST([] AS INTEGER[])) AS distances,
            CAST(coalesce(c.latency, l.cycles, 1) AS DOUBLE) AS latency,
            count(*) FILTER (c.kind = 'serialising') OVER (PARTITION BY c.segment ORDER BY c.step)
                AS stretch
        FROM classified AS c
        LEFT JOIN sources AS s USING (segment, step)
        LEFT JOIN latencies AS l USING (kind)
        WHERE (SELECT count(reads) + count(producers) FROM classified) > 0
    ),

    -- not list(... ORDER BY step), which takes the memory of 2048 instructions for each group
    groups AS (
        SELECT
            segment,
            longest_chain(list_transform(steps, lambda one: one.distances)) AS longest
        FROM (
            SELECT segment, list_sort(list({'step': step, 'distances': distances})) AS steps
            FROM linked
            GROUP BY segment, step // 40
        )
    ),

    -- what follows a serialising instruction waits for all that came before it
    stretches AS (
        SELECT
            segment,
            data_flow(
                list_transform(steps, lambda one: one.distances),
                list_transform(steps, lambda one: one.latency)
            ) AS flow
        FROM (
            SELECT
                segment,
                list_sort(
                    list({'step': step, 'distances': distances, 'latency': latency})
                ) AS steps
            FROM linked
            GROUP BY segment, stretch
        )
    ),

    flows AS (
        SELECT
            segment, sum(flow.flow_unlimited) AS flow_unlimited, sum(flow.flow_64) AS flow_64,
            sum(flow.flow_128) AS flow_128
        FROM stretches
        GROUP BY segment
    ),

    chains AS (
        SELECT
            segment,
            list_transform(
                range(1, 41), lambda k: len(list_filter(list(longest), lambda l: l = k))
            ) AS critical_path
        FROM groups
        GROUP BY segment
    ),

    near AS (
        SELECT
            segment,
            [
                count(*) FILTER (nearest = 1), count(*) FILTER (nearest = 2),
                count(*) FILTER (nearest = 3), count(*) FILTER (nearest BETWEEN 4 AND 7),
                count(*) FILTER (nearest BETWEEN 8 AND 15),
                count(*) FILTER (nearest BETWEEN 16 AND 31),
                count(*) FILTER (nearest BETWEEN 32 AND 63), count(*) FILTER (nearest >= 64)
            ] AS distances
        FROM sources
        GROUP BY segment
    ),

    issue AS (
        SELECT segment, cycle, count(*) AS issued
        FROM classified
        WHERE cycle IS NOT NULL
        GROUP BY segment, cycle
    ),

    timed AS (
        SELECT
            segment,
            max(cycle) - min(cycle) + 1 AS cycles,
            list_prepend(
                max(cycle) - min(cycle) + 1 - count(*),
                list_transform(
                    range(1, CAST(max(issued) AS BIGINT) + 1),
                    lambda k: len(list_filter(list(issued), lambda i: i = k))
                )
            ) AS issued
        FROM issue
        GROUP BY segment
    ),

    counted AS (
        SELECT
            segment, any_value(thread) AS thread, count(*) AS instructions,
            count(*) FILTER (kind IN ('int', 'mul', 'div')) AS n_int,
            count(*) FILTER (kind = 'mul') AS n_mul,
            count(*) FILTER (kind = 'div') AS n_div,
            count(*) FILTER (kind IN ('fp', 'fp_div')) AS n_fp,
            count(*) FILTER (kind = 'fp_div') AS n_fp_div,
            count(*) FILTER (kind = 'simd') AS n_simd,
            count(*) FILTER (kind = 'load') AS n_load,
            count(*) FILTER (kind = 'store') AS n_store,
            count(*) FILTER (kind = 'branch') AS n_branch,
            count(*) FILTER (kind = 'other') AS n_other,
            count(*) FILTER (kind = 'serialising') AS serialising,
            CAST(sum(taken) AS BIGINT) AS taken
        FROM classified
        GROUP BY segment
    )

SELECT
    c.*, CAST(t.cycles AS DOUBLE) AS cycles, t.issued, k.critical_path, n.distances,
    f.flow_unlimited, f.flow_64, f.flow_128
FROM counted AS c
LEFT JOIN timed AS t USING (segment)
LEFT JOIN chains AS k USING (segment)
LEFT JOIN near AS n USING (segment)
LEFT JOIN flows AS f USING (segment)
ORDER BY segment
